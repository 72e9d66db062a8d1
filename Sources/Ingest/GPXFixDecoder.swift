import Model

/// Decodes track points of GPX 1.0 and 1.1 (Topografix, "GPX: the GPS Exchange Format"). Waypoints and routes are not decoded, because they
/// are not positions of a device at a time.
///
/// `line` is the line of the `trkpt` element. Elements are identified by their local name, whatever their prefix. The accuracy is Apple's
/// `hAcc` in meters if present, else `hdop` × 5 m. Other elements with plain text in a point, also in its extensions, become attributes.
struct GPXFixDecoder {
    private let parser = XMLPushParser()
    private var point = GPXPoint()
    /// The number of open elements from the track point on; 0 outside a track point.
    private var depth = 0
    private var isRootSeen = false
    private var trackPoints = 0
    private var waypoints = 0
    private var routePoints = 0

    /// - Throws: `Problem.decodingFailed` for XML that is not well-formed, `.unsupportedFormat` for a root element other than `gpx`.
    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var start = 0
        while start < chunk.count {
            // Parsed in pieces, so that the events of a large chunk are not in memory all at once.
            let end = min(chunk.count, start + 65_536)
            try handleParsed(parser.parse(chunk.extracting(start..<end)), &sink, into: &batch)
            start = end
        }
    }

    /// - Throws: `Problem.decodingFailed` if the document is incomplete.
    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        let nothing: [UInt8] = []
        try handleParsed(parser.parse(nothing.span, isLast: true), &sink, into: &batch)
        if trackPoints == 0 {
            sink.refuse(
                line: nil, field: "trkpt", value: "",
                reason: .expecting(.noTrackPoints(waypoints, routePoints), .timedTrack), into: &batch)
        }
    }

    private mutating func handleParsed(
        _ parsed: (events: [XMLEvent], failure: XMLPushParser.Failure?), _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        for event in parsed.events { try handleEvent(event, &sink, into: &batch) }
        if let failure = parsed.failure {
            throw .decodingFailed(source: sink.source, line: failure.line, reason: failure.reason)
        }
    }

    private mutating func handleEvent(_ event: XMLEvent, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        switch event {
        case .start(let name, let attributes, let line):
            if depth > 0 {
                depth += 1
                point.start(name, attributes, depth: depth)
                return try checkSize(sink)
            }
            if !isRootSeen {
                isRootSeen = true
                guard name == "gpx" else {
                    throw .unsupportedFormat(
                        source: sink.source, found: .rootElement(name), supported: FixFormat.supported)
                }
            }
            switch name {
            case "trkpt":
                trackPoints += 1
                depth = 1
                point = GPXPoint(attributes, line: line)
            case "wpt": waypoints += 1
            case "rtept": routePoints += 1
            default: break
            }
        case .text(let text):
            guard depth > 1 else { return }
            point.text(text)
            try checkSize(sink)
        case .end(let name):
            guard depth > 0 else { return }
            if depth > 1 { point.end(name, depth: depth) } else { point.deliver(&sink, into: &batch) }
            depth -= 1
        }
    }
    private func checkSize(_ sink: FixSink) throws(Problem) {
        if point.size > GPXPoint.maxBytes {
            throw .tooLarge(
                what: .line(sink.source, point.line), limit: .mebibytes(GPXPoint.maxBytes >> 20))
        }
    }
}
