import Model
import Monitor
import Store
import Timeline

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
    /// The event as JSON, without what only an event on record has.
    var supposedJSON: JSONValue {
        if !id.isEmpty { return json }
        let unknown: Set = ["id", "sequence", "recordedAt"]
        return .object((json.members ?? []).filter { !unknown.contains($0.name) })
    }
}
