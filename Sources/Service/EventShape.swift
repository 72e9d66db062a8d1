import Geodesy
import Model

extension Event {
    /// Describes `json` and `write(into:)`, which are written by hand because streams and intakes write many events.
    package static let shape = JSONShape<Event>(
        "Event", summary: "Something that happened",
        .init("type", kind: .word, summary: "What", content: \.type),
        .init("id", kind: .text, summary: "The same wherever the same was decided", content: \.id),
        .init(
            "sequence", kind: .whole,
            summary: "Its number: increasing, never used again, and gapless but where the store was set back", content: \.sequence
        ),
        .init("deviceId", kind: .text, summary: "Whose", content: \.deviceId),
        .init(
            "geofenceId", optional: .text, summary: "Which; absent when it is about the device alone", content: \.geofenceId),
        .init("geofenceName", optional: .text, summary: "For people", content: \.geofenceName),
        .init("occurredAt", kind: .time, summary: "When it was", content: \.occurredAt),
        .init("recordedAt", kind: .time, summary: "When it was told", content: \.recordedAt),
        .init("confirmedAt", kind: .time, summary: "When it was sure", content: \.confirmedAt),
        .init(
            "crossedAt", optional: .time, summary: "When the way between two fixes met the boundary", content: \.crossedAt),
        .init("cause", kind: .word, summary: "Why", content: \.cause),
        .init("inferred", kind: .flag, summary: "It was not seen, and follows from what was", content: \.inferred),
        .init(
            "urgency", optional: .word, summary: "How soon a person has to know of it; absent when it is normal",
            content: \.urgencyIfRaised),
        .init("alarm", optional: .object(of: Alarm.shape), content: \.alarm),
        .init("rule", optional: .missedRule, content: \.rule),
        .init("fix", optional: .fix, content: \.fixIfKnown),
        .init("lastSeen", optional: .time, summary: "Of what is inferred: the last fix before it", content: \.lastSeen),
        .init(
            "enteredAt", optional: .time, summary: "Of exit and dwell, and of missed where a stay was too long or too short",
            content: \.enteredAt),
        .init("duration", optional: .number, summary: "Seconds since the enter; or of silence", content: \.duration),
        .init("lastHeard", optional: .time, summary: "Of silent and returned", content: \.lastHeard),
        .init("retracts", optional: .text, summary: "The id of the event that it takes back", content: \.retracts),
        .init("properties", optional: .anyObject, summary: "The geofence's own", content: \.propertiesIfAny)
    ) {
        (
            type: EventType, id: String, sequence: Int64, deviceId: String, geofenceId: String?, geofenceName: String?,
            occurredAt: Instant, recordedAt: Instant, confirmedAt: Instant, crossedAt: Instant?, cause: Cause, inferred: Bool, _,
            alarm: Alarm?, rule: MissedRule?, fix: Fix?, _, enteredAt: Instant?, duration: Double?, lastHeard: Instant?,
            retracts: String?, properties: [JSONValue.Member]?
        ) throws(JSONMismatch) -> Event in
        // Only alarms and missed events can be without a position.
        if fix == nil, alarm == nil, rule == nil { throw JSONMismatch(member: "fix", expected: .object) }
        var (alarm, rule) = (alarm, rule)
        alarm?.hasPosition = fix != nil
        rule?.hasPosition = fix != nil
        return Event(
            id: id, sequence: sequence, type: type, deviceId: deviceId, geofenceId: geofenceId, geofenceName: geofenceName,
            occurredAt: occurredAt, recordedAt: recordedAt, confirmedAt: confirmedAt, crossedAt: crossedAt, cause: cause,
            inferred: inferred, fix: fix ?? Fix(time: occurredAt, coordinate: Coordinate(latitude: 0, longitude: 0)),
            enteredAt: enteredAt, duration: duration, lastHeard: lastHeard, retracts: retracts, properties: properties ?? [],
            alarm: alarm, rule: rule)
    }

    private var urgencyIfRaised: EventUrgency? { urgency == .normal ? nil : urgency }
    private var fixIfKnown: Fix? { hasPosition ? fix : nil }
    private var lastSeen: Instant? { inferred ? fix.time : nil }
    private var propertiesIfAny: [JSONValue.Member]? { properties.isEmpty ? nil : properties }
}

extension Alarm {
    /// Describes `json`. `hasPosition` is that of the event.
    package static let shape = JSONShape<Alarm>(
        "Alarm", summary: "What is known of an alarm",
        .init("kind", kind: .text, summary: "As the device calls it", content: \.kind),
        .init(
            "inside", kind: .list(of: .object(of: Place.shape)), summary: "The geofences that the device was in",
            content: \.inside),
        .init("emergencyNumber", kind: .text, summary: "Whom to call where it was raised", content: \.emergencyNumber),
        .init(
            "acknowledgedAt", optional: .time, summary: "When a person said that they have seen it",
            content: \.acknowledgedAt),
        .init("acknowledgedBy", optional: .text, summary: "Who it was", content: \.acknowledgedBy)
    ) { kind, inside, emergencyNumber, acknowledgedAt, acknowledgedBy in
        Alarm(
            kind: kind, inside: inside, hasPosition: true, emergencyNumber: emergencyNumber,
            acknowledgement: acknowledgedAt.map { Acknowledgement(at: $0, by: acknowledgedBy) })
    }

    private var acknowledgedAt: Instant? { acknowledgement?.at }
    private var acknowledgedBy: String? { acknowledgement?.by }
}

extension Alarm.Place {
    package static let shape = JSONShape<Alarm.Place>(
        "AlarmPlace", summary: "A geofence that a device was in when it raised an alarm",
        .init("geofenceId", kind: .text, summary: "Which", content: \.geofenceId),
        .init("geofenceName", kind: .text, summary: "For people", content: \.geofenceName)
    ) { geofenceId, geofenceName in Alarm.Place(geofenceId: geofenceId, geofenceName: geofenceName) }
}

extension JSONKind<Event> {
    package static var event: Self {
        .object(named: Event.shape.name, encode: \.json) { (json) throws(JSONMismatch) in try Event.shape.decode(json) }
    }
}

extension JSONKind<MissedRule> {
    /// The decoder takes what a person may write. `hasPosition` is that of the event.
    static var missedRule: Self {
        .object(named: "MissedRule", encode: \.json) { (json) throws(JSONMismatch) in
            do throws(Problem) {
                return try MissedRule(json: json, hasPosition: true)
            } catch {
                throw JSONMismatch(member: "rule", expected: .object)
            }
        }
    }
}
