import Model

/// Decodes track points of GPX 1.0 and 1.1 (Topografix, "GPX: the GPS Exchange Format"). Waypoints and routes are not decoded, because they
/// are not positions of a device at a time.
///
/// `line` is the line of the `trkpt` element. Elements are identified by their local name, regardless of their prefix. The
/// accuracy is Apple's `hAcc` in meters if present, else `hdop` × 5 m. Other elements with plain text in a point, including its
/// extensions, become attributes.
///
/// All tracks are of the file's device, unless the options name devices by track. Contradictory tracks are refused all at once; see
/// `TrackSurvey`.
struct GPXFixDecoder {
    private var point = GPXPoint()
    /// The number of open elements from the track point on; 0 outside a track point.
    private var depth = 0
    private var track = GPXTrack()
    /// The number of tracks with points.
    private var tracks = 0
    private var startsTrack = true
    private var trackPoints = 0
    private var waypoints = 0
    private var routePoints = 0

    /// Refuses a document without track points at its end. Adds a remark if several tracks count as one device and nothing says that they are.
    func finish(_ sink: FixSink, into batch: inout FixBatch) {
        if tracks > 1, sink.options.device == nil, sink.options.tracks == nil {
            batch.remarks.append(.tracksOfOneDevice(tracks))
        }
        if trackPoints == 0 {
            sink.refuse(
                line: nil, field: "trkpt", value: "",
                reason: .expecting(.noTrackPoints(waypoints, routePoints), Phrase("a track (trk) whose points have times")),
                into: &batch)
        }
    }

    /// Handles an event after the root element.
    mutating func handleEvent(_ event: XMLEvent, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        switch event {
        case .start(let name, let attributes, let line):
            if depth > 0 {
                depth += 1
                point.start(name, attributes)
                return try checkSize(sink)
            }
            if name != "trkpt", track.start(name, line: line) { startsTrack = true }
            switch name {
            case "trkpt":
                trackPoints += 1
                if startsTrack { tracks += 1 }
                startsTrack = false
                depth = 1
                point = GPXPoint(attributes, line: line)
            case "wpt": waypoints += 1
            case "rtept": routePoints += 1
            default: break
            }
        case .text(let text):
            guard depth > 1 else { return track.text(text) }
            point.text(text)
            try checkSize(sink)
        case .end(let name):
            guard depth > 0 else { return track.end() }
            if depth > 1 { point.end(name, depth: depth) } else { deliver(&sink, into: &batch) }
            depth -= 1
        }
    }

    private mutating func deliver(_ sink: inout FixSink, into batch: inout FixBatch) {
        var device: String?
        if sink.options.device == nil {
            switch sink.options.tracks {
            case .contradictory(let conflict):
                if trackPoints == 1 { refuse(conflict, sink, into: &batch) }
                return
            case .byName: device = Identifier.device(track.name)
            case .oneDevice, nil: break
            }
        }
        point.deliver(ofTrack: device, &sink, into: &batch)
    }

    private func refuse(_ conflict: TrackSurvey.Conflict, _ sink: FixSink, into batch: inout FixBatch) {
        let (earlier, later) = (conflict.earlier, conflict.later)
        let reason = Phrase.tracksOverlap(later.number, with: earlier.number, name: earlier.name, line: earlier.line)
        sink.refuse(
            .unknownDevice, line: later.line, field: "trk", value: later.name,
            reason: .expecting(reason, Phrase("a file for each device, or --device if all tracks are of one device")),
            into: &batch)
    }

    private func checkSize(_ sink: FixSink) throws(Problem) {
        if point.size > GPXPoint.maxBytes {
            throw .tooLarge(
                what: .line(sink.source, point.line), limit: .mebibytes(GPXPoint.maxBytes >> 20))
        }
    }
}

/// The name and the place of a GPX track.
struct GPXTrack {
    /// The line of the `trk` element.
    private(set) var line = 0
    /// The text of its `name`, at most 1,024 bytes.
    private(set) var name = ""
    /// The number of open elements from `trk` on; 0 outside a track.
    private var depth = 0
    private var isName = false

    /// Handles the start of an element outside a point. Returns whether it is that of a track.
    mutating func start(_ element: String, line: Int) -> Bool {
        isName = false
        if depth > 0 {
            depth += 1
            isName = element == "name" && depth == 2
            return false
        }
        guard element == "trk" else { return false }
        self = GPXTrack()
        self.line = line
        depth = 1
        return true
    }

    mutating func text(_ text: String) {
        if isName, name.utf8.count < 1024 { name += text }
    }

    mutating func end() {
        isName = false
        guard depth > 0 else { return }
        if depth == 2 || depth == 1 { name = name.trimmed }
        depth -= 1
    }
}
