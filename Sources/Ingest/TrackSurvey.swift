import Model

/// Reads the tracks of a GPX file before its positions, to find out whether they are of different devices: some overlap in time, and each has
/// a name that no track has with which it overlaps. Other files, and whatever cannot be read, give no answer.
package struct TrackSurvey {
    private struct Segment {
        var name: String
        var span: TrackSpans.Span
    }

    /// The greatest number of segments. A file with more is of a logger, not of a group.
    private static let maxSegments = 10_000

    private let parser = XMLPushParser()
    private var track = GPXTrack()
    private var segments: [Segment] = []
    private var startsSegment = true
    private var isTime = false
    private var time = ""
    private var hasNamelessTrack = false
    private var isOver = false

    package init() {}

    /// Reads the next piece of the file, until it is of no use.
    ///
    /// - Returns: Whether more is needed.
    package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if isOver { return false }
        let (events, failure) = unsafe parser.parse(bytes.span)
        for event in events { handle(event) }
        if failure != nil || segments.count > Self.maxSegments || hasNamelessTrack { isOver = true }
        return !isOver
    }

    /// Whether the tracks are of different devices, which their names name.
    package var namesDevices: Bool {
        if hasNamelessTrack || segments.count > Self.maxSegments { return false }
        let sorted = segments.sorted { ($0.span.start, $0.span.end) < ($1.span.start, $1.span.end) }
        var overlap = false
        // The segment that ends last among the earlier ones, and that of another name than it.
        var last: Segment?
        var other: Segment?
        for segment in sorted {
            for earlier in [last, other].compactMap(\.self)
            where segment.span.start < earlier.span.end && segment.name != earlier.name {
                overlap = true
            }
            if let latest = last {
                if segment.name == latest.name {
                    if segment.span.end > latest.span.end { last = segment }
                } else if segment.span.end > latest.span.end {
                    (last, other) = (segment, latest)
                } else if segment.span.end > other?.span.end ?? .earliest {
                    other = segment
                }
            } else {
                last = segment
            }
        }
        return overlap
    }

    private mutating func handle(_ event: XMLEvent) {
        switch event {
        case .start(let name, _, let line):
            isTime = name == "time"
            if isTime { time = "" }
            _ = track.start(name, line: line)
            if name == "trkseg" { startsSegment = true }
            if name == "trkpt" { time = "" }
        case .text(let text):
            if isTime, time.utf8.count < 64 { time += text }
            track.text(text)
        case .end(let name):
            if name == "trkpt" { addPoint() }
            isTime = false
            track.end(name)
        }
    }

    private mutating func addPoint() {
        defer { time = "" }
        let written = time.withBytes { WrittenTime($0, $0.trimmed(0..<$0.count)) }
        guard let moment = written.localMoment else { return }
        if Identifier.flaw(inDevice: track.name) != nil { return hasNamelessTrack = true }
        if startsSegment || segments.isEmpty {
            segments.append(Segment(name: track.name, span: .init(start: moment, end: moment)))
            startsSegment = false
        } else {
            segments[segments.count - 1].span.start = min(segments[segments.count - 1].span.start, moment)
            segments[segments.count - 1].span.end = max(segments[segments.count - 1].span.end, moment)
        }
    }
}
