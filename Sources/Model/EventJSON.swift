import Geodesy

// Events and positions as JSON. The command line, the service and the messages to sinks use the same form
// (docs/events-and-visits.md).

extension Event: JSONDescribed {
    /// `write(into:)` writes the same with its own code, because intakes write many events.
    package static let shape = JSONShape<Event>(
        "Event", summary: "Something that happened to a device, such as an enter",
        .init("type", kind: .word, summary: "The type of the event", content: \.type),
        .init("id", kind: .text, summary: "The event's id; a replay that decides the same gives the same id", content: \.id),
        .init(
            "sequence", kind: .whole,
            summary:
                "The event's number. Numbers increase without gaps, except where a backup was restored, and are never reused",
            content: \.sequence
        ),
        .init("deviceId", kind: .text, summary: "The device's id", content: \.deviceId),
        .init(
            "geofenceId", optional: .text, summary: "The geofence's id; omitted when the event concerns only the device",
            content: \.geofenceId),
        .init("geofenceName", optional: .text, summary: "The geofence's name", content: \.geofenceName),
        .init("occurredAt", kind: .time, summary: "When the transition occurred", content: \.occurredAt),
        .init("recordedAt", kind: .time, summary: "When Picket recorded the event", content: \.recordedAt),
        .init("confirmedAt", kind: .time, summary: "When the transition was confirmed", content: \.confirmedAt),
        .init(
            "crossedAt", optional: .time, summary: "When the path between two positions crossed the boundary",
            content: \.crossedAt),
        .init("cause", kind: .word, summary: "Why the event was emitted", content: \.cause),
        .init(
            "inferred", kind: .flag, summary: "Whether the event was inferred from other data and no position shows it",
            content: \.inferred),
        .init(
            "urgency", optional: .word, summary: "How soon a person should know about the event; omitted when normal",
            content: \.urgencyIfRaised),
        .init("alarm", optional: .object(of: Alarm.shape), content: \.alarm),
        .init("rule", optional: .missedRule, content: \.rule),
        .init("fix", optional: .fix, content: \.fixIfKnown),
        .init(
            "lastSeen", optional: .time, summary: "In inferred events: the time of the last position before the event",
            content: \.lastSeen),
        .init(
            "enteredAt", optional: .time,
            summary: "When the device entered; in exit and dwell, and in missed when the stay was too long or too short",
            content: \.enteredAt),
        .init("duration", optional: .number, summary: "Seconds since the enter, or of the silence", content: \.duration),
        .init(
            "lastHeard", optional: .time, summary: "In silent and returned: when the device last reported",
            content: \.lastHeard),
        .init("retracts", optional: .text, summary: "The id of the event that this one retracts", content: \.retracts),
        .init("properties", optional: .anyObject, summary: "The geofence's properties", content: \.propertiesIfAny)
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

    /// False for an alarm or a missed event of a device that has never sent a usable position; then its fix has no meaning.
    package var hasPosition: Bool { alarm?.hasPosition != false && rule?.hasPosition != false }

    private var urgencyIfRaised: EventUrgency? { urgency == .normal ? nil : urgency }
    private var fixIfKnown: Fix? { hasPosition ? fix : nil }
    private var lastSeen: Instant? { inferred ? fix.time : nil }
    private var propertiesIfAny: [JSONValue.Member]? { properties.isEmpty ? nil : properties }
}

extension Alarm: JSONDescribed {
    /// `hasPosition` is that of the event.
    package static let shape = JSONShape<Alarm>(
        "Alarm", summary: "An alarm that a device raised",
        .init("kind", kind: .text, summary: "The kind of alarm as the device names it", content: \.kind),
        .init(
            "inside", kind: .list(of: .object(of: Place.shape)), summary: "The geofences that the device was in",
            content: \.inside),
        .init(
            "emergencyNumber", kind: .text, summary: "The emergency number to call", content: \.emergencyNumber),
        .init(
            "acknowledgedAt", optional: .time, summary: "When a person acknowledged the alarm",
            content: \.acknowledgedAt),
        .init("acknowledgedBy", optional: .text, summary: "Who acknowledged it", content: \.acknowledgedBy)
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
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceId),
        .init("geofenceName", kind: .text, summary: "The geofence's name", content: \.geofenceName)
    ) { geofenceId, geofenceName in Alarm.Place(geofenceId: geofenceId, geofenceName: geofenceName) }
}

extension JSONKind<Event> {
    package static var event: Self { .object(of: Event.shape) }
}

extension JSONKind<MissedRule> {
    /// The decoder takes what a person may write. `hasPosition` is that of the event.
    static var missedRule: Self {
        .object(named: MissedRule.output.name, encode: \.json) { (json) throws(JSONMismatch) in
            do throws(Problem) {
                return try MissedRule(json: json, hasPosition: true)
            } catch {
                throw JSONMismatch(member: "rule", expected: .object)
            }
        }
    }
}

extension Fix {
    /// Position, accuracy and time only. For speed, intakes and live streams write the `fix` of events with their own code.
    package static let shape = JSONShape<Fix>(
        "Fix", summary: "A position",
        .init("latitude", kind: .number, summary: "Degrees", content: \.coordinate.latitude),
        .init("longitude", kind: .number, summary: "Degrees", content: \.coordinate.longitude),
        .init("accuracy", optional: .number, summary: "Radius in meters, 68 %", content: \.accuracy),
        .init("timestamp", kind: .time, summary: "When the device was there", content: \.time)
    ) { latitude, longitude, accuracy, time in
        Fix(time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy)
    }
}

extension JSONKind<Fix> {
    package static var fix: Self { .object(of: Fix.shape) }
}
