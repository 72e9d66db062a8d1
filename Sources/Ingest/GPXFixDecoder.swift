import Model

/// Decodes track points of GPX 1.0 and 1.1 (Topografix, "GPX: the GPS Exchange Format"). Waypoints and routes are not decoded, because they
/// are not positions of a device at a time.
///
/// `line` is the line of the `trkpt` element. Elements are identified by their local name, whatever their prefix. The accuracy is Apple's
/// `hAcc` in meters if present, else `hdop` × 5 m. Other elements with plain text in a point, also in its extensions, become attributes.
struct GPXFixDecoder {
    private var point = GPXPoint()
    /// The number of open elements from the track point on; 0 outside a track point.
    private var depth = 0
    private var trackPoints = 0
    private var waypoints = 0
    private var routePoints = 0

    /// Refuses a document without track points at its end.
    func finish(_ sink: FixSink, into batch: inout FixBatch) {
        if trackPoints == 0 {
            sink.refuse(
                line: nil, field: "trkpt", value: "",
                reason: .expecting(.noTrackPoints(waypoints, routePoints), .timedTrack), into: &batch)
        }
    }

    /// Handles an event after the root element.
    mutating func handleEvent(_ event: XMLEvent, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        switch event {
        case .start(let name, let attributes, let line):
            if depth > 0 {
                depth += 1
                point.start(name, attributes, depth: depth)
                return try checkSize(sink)
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
