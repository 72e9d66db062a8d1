import Model
import Service

extension Answer {
    /// The answer as what present geofences change in the past of a device.
    func pastFinding() throws(Problem) -> PastFinding {
        var finding = PastFinding(
            deviceId: try text("deviceId"), obstacle: json["passedOver"]?.string.flatMap(PastFinding.Obstacle.init(rawValue:)))
        finding.since = try optionalInstant("since")
        for change in try list("changes") { finding.changes.append(try change.pastChange()) }
        return finding
    }

    private func pastChange() throws(Problem) -> PastFinding.Change {
        var change = PastFinding.Change(geofenceId: try text("geofenceId"), geofenceName: try text("geofenceName"))
        change.retracted = try integer("retracted")
        change.new = try integer("new")
        for example in try list("examples") {
            if let event = example.json["retract"] {
                change.retractedExamples.append(try Event(Answer(event, source: source)))
            } else if let event = example.json["new"] {
                change.newExamples.append(try Event(Answer(event.withNumbers, source: source)))
            }
        }
        return change
    }
}

extension JSONValue {
    /// An event that is not on record, with the members that only an event on record has.
    fileprivate var withNumbers: JSONValue {
        let known = members ?? []
        return .object(
            known + [.init("id", ""), .init("sequence", JSONValue(0)), .init("recordedAt", self["confirmedAt"] ?? .null)])
    }
}
