import Model
import Presence

/// What a replay of a device would change.
package struct ReplayFinding: Sendable {
    package var deviceId: String
    package var counts: ReplayCounts
    /// The events that would be retracted.
    package var wrong: [Event]
    /// The events that would be added, without id and number.
    package var right: [Event]
}

extension ReplayFinding {
    /// One line for each event: `{"retract":{…}}` or `{"new":{…}}`.
    package var lines: [JSONValue] {
        wrong.map { ["retract": $0.json] }
            + right.map { ["new": $0.supposedJSON] }
    }
}

extension Event {
    /// The members that only an event on record has.
    private static let recordMembers: Set = ["id", "sequence", "recordedAt"]

    /// An event that is not on record as JSON.
    var supposedJSON: JSONValue { .object((json.members ?? []).filter { !Self.recordMembers.contains($0.name) }) }

    /// Reads `supposedJSON`.
    static func supposed(_ json: JSONValue) throws(JSONMismatch) -> Event {
        let members = (json.members ?? []).filter { !recordMembers.contains($0.name) }
        let time = json["confirmedAt"] ?? .null
        return try shape.decode(
            .object(members + [.init("id", ""), .init("sequence", JSONValue(0)), .init("recordedAt", time)]))
    }
}

extension JSONKind<Event> {
    /// An event that is not on record.
    static var supposedEvent: Self {
        .object(named: "SupposedEvent", encode: \.supposedJSON) { (json) throws(JSONMismatch) in try Event.supposed(json) }
    }
}
