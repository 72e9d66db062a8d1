import Core
import History
import Model
import Presence

// Access to the past of devices of a running service.

extension RemoteService: HistoryQueryBackend, HistoryCommandBackend {
    func removePositions(ofDevice id: String, since moment: Instant, isDry: Bool) throws(Problem) -> PositionRemoval {
        let query = [("since", moment.description), ("dryRun", isDry ? "true" : nil)]
        return try connection.send("DELETE", ["devices", id, "positions"], query: query).decoded()
    }

    func explanation(
        of question: Explanation.Question, in language: Language, zone: LocalTimeZone
    ) throws(Problem) -> JSONValue {
        try connection.send(
            "GET", ["explain"],
            query: [
                ("device", question.deviceId), ("geofence", question.geofenceId), ("at", question.at?.description),
                ("around", "\(question.around)"), ("timezone", zone.queryName),
            ]
        ).json
    }

    func writeExport(ofDevice id: String, _ write: ([UInt8]) throws(Problem) -> Void) throws(Problem) {
        _ = try connection.download(["devices", id, "export"], write)
    }

    func replay(
        device id: String?, since: Instant?, progress: (_ done: Int, _ of: Int) -> Void, report: ([Event]) -> Void
    ) throws(Problem) -> ReplayCounts {
        var counts = ReplayCounts()
        let ids = if let id { [id] } else { try devices().map(\.id) }
        for (number, id) in ids.enumerated() {
            progress(number, ids.count)
            let wanted = JSONValue.compact([("deviceId", .string(id)), ("since", since.map { JSONValue($0) })])
            let answer: ReplayAnswer = try connection.send("POST", ["replay"], body: .json(wanted)).decoded()
            counts.add(answer.counts)
            report(Array(answer.events))
        }
        return counts
    }

    func correctPast(
        _ correction: PastCorrection, progress: (_ done: Int, _ of: Int) -> Void, report: (PastFinding) -> Void
    ) throws(Problem) -> (counts: ReplayCounts, unlistedDevices: Int) {
        try replay(correction, applies: true, report)
    }

    /// Asks what the request would change.
    func simulateCorrection(
        _ correction: PastCorrection, report: (PastFinding) -> Void
    ) throws(Problem) -> (counts: ReplayCounts, unlistedDevices: Int) {
        try replay(correction, applies: false, report)
    }

    private func replay(
        _ correction: PastCorrection, applies: Bool, _ report: (PastFinding) -> Void
    ) throws(Problem) -> (counts: ReplayCounts, unlistedDevices: Int) {
        let wanted = JSONValue.compact([
            ("deviceId", correction.device.map(JSONValue.string)), ("since", correction.since.map { JSONValue($0) }),
            ("geofences", correction.geofences.isEmpty ? nil : .array(correction.geofences.map(JSONValue.string))),
            ("all", correction.geofences.isEmpty ? true : nil), ("deleted", .bool(correction.includesRemoved)),
            ("apply", .bool(applies)),
        ])
        let answer: ReplayAnswer = try connection.send("POST", ["replay"], body: .json(wanted)).decoded()
        for finding in answer.past ?? [] { report(finding) }
        return (answer.counts, answer.omitted ?? 0)
    }
}
