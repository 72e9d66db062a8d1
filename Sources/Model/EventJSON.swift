// Events and positions as JSON. The command line, the service and the messages to sinks use the same form
// (docs/events-and-visits.md).

extension Event {
    /// False for an alarm or a missed event of a device that has never sent a usable position; then its fix has no meaning.
    package var hasPosition: Bool { alarm?.hasPosition != false && rule?.hasPosition != false }

    package var json: JSONValue {
        .compact([
            ("type", .string(type.rawValue)),
            ("id", .string(id)),
            ("sequence", JSONValue(Int(sequence))),
            ("deviceId", .string(deviceId)),
            ("geofenceId", geofenceId.map(JSONValue.string)),
            ("geofenceName", geofenceName.map(JSONValue.string)),
            ("occurredAt", JSONValue(occurredAt)),
            ("recordedAt", JSONValue(recordedAt)),
            ("confirmedAt", JSONValue(confirmedAt)),
            ("crossedAt", crossedAt.map { JSONValue($0) }),
            ("cause", .string(cause.rawValue)),
            ("inferred", .bool(inferred)),
            ("urgency", urgency == .normal ? nil : .string(urgency.rawValue)),
            ("alarm", alarm?.json),
            ("rule", rule?.json),
            ("fix", hasPosition ? fix.shortJSON : nil),
            ("lastSeen", inferred ? JSONValue(fix.time) : nil),
            ("enteredAt", enteredAt.map { JSONValue($0) }),
            ("duration", duration.map { JSONValue($0) }),
            ("lastHeard", lastHeard.map { JSONValue($0) }),
            ("retracts", retracts.map(JSONValue.string)),
            ("properties", properties.isEmpty ? nil : .object(properties)),
        ])
    }
}

extension Fix {
    /// Position, accuracy and time only.
    package var shortJSON: JSONValue {
        .compact([
            ("latitude", JSONValue(coordinate.latitude)),
            ("longitude", JSONValue(coordinate.longitude)),
            ("accuracy", accuracy.map { JSONValue($0) }),
            ("timestamp", JSONValue(time)),
        ])
    }
}
