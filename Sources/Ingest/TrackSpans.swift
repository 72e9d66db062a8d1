import Model

/// The times of the segments of a file's tracks, to notice a track that is of another device: two tracks of one device do not overlap.
struct TrackSpans {
    /// The spans that are kept. When there are more, the oldest are forgotten, so that memory stays bounded.
    static let maxSpans = 100_000

    struct Span: Hashable {
        var start: Instant
        var end: Instant
    }

    /// The segments of earlier tracks, sorted and disjoint.
    private var earlier: [Span] = []
    /// The segments of the current track.
    private var current: [Span] = []
    private var startsSegment = true

    mutating func beginSegment() { startsSegment = true }

    mutating func beginTrack() {
        beginSegment()
        if current.isEmpty { return }
        let added = Self.union(current)
        current.removeAll(keepingCapacity: true)
        let isBehind = earlier.last.map { $0.end <= added[0].start } ?? true
        earlier += added
        if !isBehind || earlier.count > Self.maxSpans { earlier = Self.union(earlier).suffix(Self.maxSpans) }
    }

    /// Adds a point of the current track.
    mutating func add(_ time: Instant) {
        if startsSegment || current.isEmpty {
            current.append(Span(start: time, end: time))
            startsSegment = false
        } else {
            current[current.count - 1].start = min(current[current.count - 1].start, time)
            current[current.count - 1].end = max(current[current.count - 1].end, time)
        }
    }

    /// Whether a time lies within a segment of an earlier track. Its ends do not count, because the next track may begin there.
    func isInEarlierTrack(_ time: Instant) -> Bool {
        guard let last = earlier.last, time < last.end else { return false }
        // The first span that ends after the time.
        var low = 0
        var high = earlier.count - 1
        while low < high {
            let middle = (low + high) / 2
            if earlier[middle].end > time { high = middle } else { low = middle + 1 }
        }
        return earlier[low].start < time
    }

    /// The union of spans, sorted and disjoint. Spans that only touch stay separate.
    static func union(_ spans: [Span]) -> [Span] {
        var united: [Span] = []
        for span in spans.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            if let last = united.last, span.start < last.end {
                united[united.count - 1].end = max(last.end, span.end)
            } else {
                united.append(span)
            }
        }
        return united
    }
}
