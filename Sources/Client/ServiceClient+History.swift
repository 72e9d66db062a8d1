import Core
import History
import Model
import Presence
import SQLite

// Access to the past of devices.

extension ServiceClient {
    /// Removes a device's positions since a moment.
    ///
    /// - Parameter isDry: Whether to report only what would be removed.
    package func removePositions(ofDevice id: String, since moment: Instant, isDry: Bool) throws(Problem) -> PositionRemoval {
        let query = [("since", moment.description), ("dryRun", isDry ? "true" : nil)]
        return try connection.send("DELETE", ["devices", id, "positions"], query: query).decoded()
    }

    /// Explains why something did or did not happen between a device and a geofence; see `Explanation.output`.
    ///
    /// - Parameter zone: The zone of the times in the sentences.
    package func explanation(of question: Explanation.Question, zone: LocalTimeZone) throws(Problem) -> JSONValue {
        try connection.send(
            "GET", ["explain"],
            query: [
                ("device", question.deviceId), ("geofence", question.geofenceId), ("at", question.at?.description),
                ("around", "\(question.around)"), ("timezone", zone.queryName),
            ]
        ).json
    }

    /// Exports all data of a device; see `Queries.exportDevice(id:_:)`.
    ///
    /// - Parameter write: Receives the lines, each with its line break; several at once.
    package func writeExport(ofDevice id: String, _ write: ([UInt8]) throws(Problem) -> Void) throws(Problem) {
        _ = try connection.download(["devices", nonEmptyID(id, .device), "export"], write)
    }

    /// Exports a device to a file that only its owner can read. An existing file is replaced when the export is complete.
    ///
    /// - Returns: The summary, as in the last line.
    package func exportDevice(id: String, to path: String) throws(Problem) -> JSONValue {
        let partial = try PartialFile.create(for: path)
        var buffer: [UInt8] = []
        var last: [UInt8] = []
        try writeExport(ofDevice: id) { bytes throws(Problem) in
            buffer += bytes
            last += bytes
            if let end = last.dropLast().lastIndex(of: UInt8(ascii: "\n")) { last.removeFirst(end + 1) }
            if buffer.count > 1 << 16 { try partial.append(&buffer, of: path) }
        }
        try partial.append(&buffer, of: path)
        let summary: JSONValue?
        do throws(JSONParser.Failure) {
            summary = try JSONParser.parse(String(decoding: last, as: UTF8.self))["summary"]
        } catch {
            summary = nil
        }
        // An export that was cut off has no summary.
        guard let summary else {
            throw .decodingFailed(source: .verbatim(connection.location), line: nil, reason: .answerLacks(.object, "summary"))
        }
        try partial.finish(path)
        return summary
    }

    /// Evaluates stored positions again with the geofences of their time, of one device or of all, and records what differs.
    ///
    /// - Parameters:
    ///   - since: The replay starts shortly before this time; nil for the first position.
    ///   - progress: Called before each device with the number of completed devices and of all.
    ///   - report: Called with resulting events of each device, and the number of others that the answer leaves out.
    package func replay(
        device id: String?, since: Instant?, progress: (_ done: Int, _ of: Int) -> Void,
        report: (_ events: [Event], _ omitted: Int) -> Void
    ) throws(Problem) -> ReplayCounts {
        var counts = ReplayCounts()
        let ids = if let id { [id] } else { try devices().map(\.id) }
        for (number, id) in ids.enumerated() {
            progress(number, ids.count)
            let wanted = JSONValue.compact([("deviceId", .string(id)), ("since", since.map { JSONValue($0) })])
            let answer: ReplayAnswer = try connection.send("POST", ["replay"], body: .json(wanted)).decoded()
            counts.add(answer.counts)
            let events = Array(answer.events)
            report(events, max(0, answer.counts.retracted + answer.counts.new - events.count))
        }
        return counts
    }

    /// Evaluates stored positions with the current geofences, of one device or of all.
    ///
    /// - Parameters:
    ///   - applies: Whether to record what differs; otherwise only reports it.
    ///   - progress: Called before each device with the number of completed devices and of all.
    ///   - report: Called for each device for which something changes.
    /// - Throws: Among others, `Problem.validationFailed` if no device has a position to evaluate.
    package func replay(
        _ correction: PastCorrection, applies: Bool, progress: (_ done: Int, _ of: Int) -> Void, _ report: (PastFinding) -> Void
    ) throws(Problem) -> ReplayCounts {
        if correction.device != nil { return try replayOne(correction, applies: applies, report) }
        var counts = ReplayCounts()
        let ids = try devices().map(\.id)
        var evaluated = 0
        for (number, id) in ids.enumerated() {
            progress(number, ids.count)
            var single = correction
            single.device = id
            do throws(Problem) {
                counts.add(try replayOne(single, applies: applies, report))
                evaluated += 1
            } catch .validationFailed(let field, _, _, _) where field == "device" || field == "since" {
                // This device has no positions to evaluate; others may have some.
            }
        }
        // If none has, the whole request is refused with what it names.
        if evaluated == 0 { return try replayOne(correction, applies: applies, report) }
        return counts
    }

    private func replayOne(
        _ correction: PastCorrection, applies: Bool, _ report: (PastFinding) -> Void
    ) throws(Problem) -> ReplayCounts {
        let wanted = JSONValue.compact([
            ("deviceId", correction.device.map(JSONValue.string)), ("since", correction.since.map { JSONValue($0) }),
            ("geofences", correction.geofences.isEmpty ? nil : .array(correction.geofences.map(JSONValue.string))),
            ("all", correction.geofences.isEmpty ? true : nil), ("deleted", .bool(correction.includesRemoved)),
            ("apply", .bool(applies)),
        ])
        let answer: ReplayAnswer = try connection.send("POST", ["replay"], body: .json(wanted)).decoded()
        for finding in answer.past ?? [] { report(finding) }
        return answer.counts
    }
}
