import Model

/// Reads the tracks of a GPX file before its positions, to decide whether they are of one device or of several.
///
/// A track overlaps others if, during at least `minOverlap` or half of its duration, another track is open as well. A track
/// without duration overlaps if one of its points is within another track. Overlapping tracks are from different devices. A
/// segment lasts from its earliest to its latest time. Points with an invalid time are ignored.
package struct TrackSurvey {
    /// Which devices the tracks of a file belong to.
    package enum Verdict: Hashable, Sendable {
        /// No track overlaps another one.
        case oneDevice
        /// Some tracks overlap others. The name of each of them is a device id, and tracks with the same name do not overlap each
        /// other. A longer track that shares less than `minOverlap` and less than half of its time does not overlap, so it may
        /// have no name.
        case byName
        /// Some tracks overlap, and their names do not distinguish their devices.
        case contradictory(Conflict)
    }

    /// A track of a file.
    package struct Track: Hashable, Sendable {
        /// The position of the track in the file, from 1.
        package var number: Int
        /// The line of the `trk` element.
        package var line: Int
        /// The name; empty if the track has none.
        package var name: String
    }

    /// Two tracks that overlap, in the order of the file.
    package struct Conflict: Hashable, Sendable {
        package var earlier: Track
        package var later: Track
    }

    /// The number of milliseconds from which shared time always counts as an overlap.
    private static let minOverlap: Int64 = 300_000
    /// The maximum number of segments that are compared, so that memory is bounded.
    private static let maxSegments = 100_000

    private struct Segment {
        /// The index of the track.
        var track: Int
        var start: Instant
        var end: Instant
    }

    private let parser = XMLPushParser()
    private var times: TimeResolver
    /// The tracks that have points with times.
    private var tracks: [Track] = []
    private var segments: [Segment] = []
    /// The name and the place of the current track, and how many tracks began.
    private var current = GPXTrack()
    private var begun = 0
    /// Whether the next point begins a segment, or a track.
    private var startsSegment = true
    private var startsTrack = true
    /// The number of open elements from the track point on; 0 outside a track point.
    private var depth = 0
    private var isTime = false
    private var time = ""

    private init(_ options: DecodingOptions) { times = TimeResolver(options) }

    /// Decides about the tracks of a file in time O(n log n). Only a file with several tracks is parsed.
    ///
    /// - Parameters:
    ///   - options: The settings of times with which the file will be decoded.
    ///   - forEachPiece: Calls its body with the bytes of the file, from the start, until the body returns false. The bytes may be compressed
    ///     with gzip. Called a second time if the file has several tracks.
    /// - Returns: The verdict; nil if the file has too many segments to compare them. For a damaged file, it is based on the part
    ///   that can be read.
    package static func verdict(
        _ options: DecodingOptions, forEachPiece: ((UnsafeBufferPointer<UInt8>) -> Bool) -> Void
    ) -> Verdict? {
        var count = TrackCount()
        unsafe forEachPiece(decompressing { count.read($0) })
        if !count.hasSeveralTracks { return .oneDevice }
        var survey = TrackSurvey(options)
        unsafe forEachPiece(decompressing { survey.read($0) })
        return survey.segments.count > maxSegments ? nil : survey.verdict
    }

    /// A receiver of pieces of a file, which decompresses them if necessary.
    private static func decompressing(_ body: @escaping (Bytes) -> Bool) -> (UnsafeBufferPointer<UInt8>) -> Bool {
        let unpacker = GzipReader(source: .body)
        return { chunk in
            var offset = 0
            do throws(Problem) {
                while let piece = try unsafe unpacker.nextPiece(of: chunk, from: &offset) {
                    if !body(unsafe piece.span) { return false }
                }
                return true
            } catch {
                return false
            }
        }
    }

    // MARK: - Reading

    /// Reads the next piece. Returns whether more is needed.
    private mutating func read(_ bytes: Bytes) -> Bool {
        do throws(Problem) {
            try parser.read(bytes, source: .body) { handle($0) }
        } catch {
            return false
        }
        return segments.count <= Self.maxSegments
    }

    private mutating func handle(_ event: XMLEvent) {
        switch event {
        case .start(let name, _, let line):
            if depth > 0 {
                depth += 1
                isTime = depth == 2 && name == "time"
                if isTime { time = "" }
            } else if name == "trkpt" {
                depth = 1
                time = ""
            } else if current.start(name, line: line) {
                begun += 1
                startsTrack = true
            } else if name == "trkseg" {
                startsSegment = true
            }
        case .text(let text):
            if depth == 0 { current.text(text) } else if isTime, time.utf8.count < 64 { time += text }
        case .end:
            if depth == 0 { return current.end() }
            if depth == 1 { addPoint() }
            isTime = false
            depth -= 1
        }
    }

    private mutating func addPoint() {
        let written = time.withBytes { WrittenTime($0, $0.trimmed(0..<$0.count)) }
        guard segments.count <= Self.maxSegments, let moment = try? times.resolve(written, device: nil).moment else { return }
        if startsTrack || tracks.isEmpty {
            tracks.append(Track(number: max(begun, 1), line: current.line, name: current.name))
            startsTrack = false
            startsSegment = true
        }
        if startsSegment {
            segments.append(Segment(track: tracks.count - 1, start: moment, end: moment))
            startsSegment = false
        } else {
            let last = segments.count - 1
            segments[last].start = min(segments[last].start, moment)
            segments[last].end = max(segments[last].end, moment)
        }
    }

    // MARK: - Deciding

    private var verdict: Verdict {
        let overlapping = Self.overlapping(segments)
        if overlapping.isEmpty { return .oneDevice }
        if let nameless = overlapping.filter({ tracks[$0].device == nil }).min() { return contradiction(nameless, segments) }
        let devices = Dictionary(grouping: segments) { tracks[$0.track].device }
        let conflicts = devices.values.compactMap { segments in
            Self.overlapping(segments).min().map { (track: $0, segments: segments) }
        }
        guard let first = conflicts.min(by: { $0.track < $1.track }) else { return .byName }
        return contradiction(first.track, first.segments)
    }

    /// The tracks that overlap with others in some segments.
    private static func overlapping(_ segments: [Segment]) -> Set<Int> {
        /// The order of steps at the same moment: first ends, then single points, then starts. So segments that only touch do not overlap.
        enum Kind: Int { case end, point, start }
        struct Step {
            var time: Instant
            var kind: Kind
            var track: Int
        }
        struct Measure {
            /// The milliseconds that the track lasts, and those during which another one is open.
            var length: Int64 = 0
            var shared: Int64 = 0
            /// Whether a point lies within another track.
            var isPointInside = false

            var isOverlap: Bool {
                length == 0 ? isPointInside : shared > 0 && (shared >= TrackSurvey.minOverlap || shared * 2 >= length)
            }
        }
        let steps = segments.flatMap { segment in
            segment.start == segment.end
                ? [Step(time: segment.start, kind: .point, track: segment.track)]
                : [
                    Step(time: segment.start, kind: .start, track: segment.track),
                    Step(time: segment.end, kind: .end, track: segment.track),
                ]
        }.sorted { ($0.time, $0.kind.rawValue) < ($1.time, $1.kind.rawValue) }
        var measures: [Int: Measure] = [:]
        // Each open track: the number of its open segments, and when it was opened.
        var open: [Int: (segments: Int, at: Instant, sharedBefore: Int64)] = [:]
        // The milliseconds during which at least two tracks are open, until `now`.
        var shared: Int64 = 0
        var now = Instant.earliest
        for step in steps {
            if open.count > 1 { shared += step.time.milliseconds - now.milliseconds }
            now = step.time
            switch step.kind {
            case .start: open[step.track, default: (0, now, shared)].segments += 1
            case .point:
                if open.count > (open[step.track] == nil ? 0 : 1) {
                    measures[step.track, default: Measure()].isPointInside = true
                }
            case .end:
                guard let opened = open[step.track] else { continue }
                if opened.segments > 1 {
                    open[step.track]?.segments -= 1
                } else {
                    open[step.track] = nil
                    measures[step.track, default: Measure()].length += now.milliseconds - opened.at.milliseconds
                    measures[step.track, default: Measure()].shared += shared - opened.sharedBefore
                }
            }
        }
        return Set(measures.filter(\.value.isOverlap).keys)
    }

    /// The conflict between a track and the other track that shares the most time with it, among the given segments.
    private func contradiction(_ track: Int, _ segments: [Segment]) -> Verdict {
        // The track's segments, sorted and merged, each with the total milliseconds before it. The last millisecond is included, so that a
        // single point lasts one millisecond.
        var own: [(start: Int64, end: Int64, before: Int64)] = []
        for segment in segments.filter({ $0.track == track }).sorted(by: { $0.start < $1.start }) {
            let (start, end) = (segment.start.milliseconds, segment.end.milliseconds + 1)
            if let last = own.last, start <= last.end {
                own[own.count - 1].end = max(last.end, end)
            } else {
                own.append((start, end, own.last.map { $0.before + $0.end - $0.start } ?? 0))
            }
        }
        // The milliseconds of the track before a time.
        func covered(_ time: Int64) -> Int64 {
            var (low, high) = (0, own.count)
            while low < high {
                let middle = (low + high) / 2
                if own[middle].start < time { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? 0 : own[low - 1].before + min(time, own[low - 1].end) - own[low - 1].start
        }
        var common: [Int: Int64] = [:]
        for segment in segments where segment.track != track {
            common[segment.track, default: 0] += covered(segment.end.milliseconds + 1) - covered(segment.start.milliseconds)
        }
        let other = common.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? track
        return .contradictory(Conflict(earlier: tracks[min(track, other)], later: tracks[max(track, other)]))
    }
}

extension TrackSurvey.Track {
    /// The name, if it is the id of a device.
    fileprivate var device: String? { Identifier.device(name) }
}

/// Finds out whether an XML document has several tracks, without parsing it.
private struct TrackCount {
    /// The last four bytes. Zero bytes are skipped, so that UTF-16 can be read too.
    private var window: UInt32 = 0
    private var starts = 0
    private var isXML = false

    /// With a namespace prefix, the end tag (`</gpx:trk>`) is counted too. The file is then parsed without need, but the result is the same.
    var hasSeveralTracks: Bool { starts > 1 }

    /// Reads the next piece. Returns whether more is needed.
    mutating func read(_ bytes: Bytes) -> Bool {
        // "<trk" and ":trk".
        let (plain, prefixed) = (0x3C74_726B as UInt32, 0x3A74_726B as UInt32)
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if !isXML {
                switch byte {
                case UInt8(ascii: "<"): isXML = true
                // White space and byte order marks.
                case 0, 9, 10, 13, 32, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF: continue
                default: return false
                }
            }
            if byte == 0 { continue }
            let isEndOfName = byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte <= 32
            if isEndOfName, window == plain || window == prefixed {
                starts += 1
                if hasSeveralTracks { return false }
            }
            window = window << 8 | UInt32(byte)
        }
        return true
    }
}
