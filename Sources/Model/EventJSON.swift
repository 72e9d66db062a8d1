// Events and positions as JSON: one shape for the command line, the service and what sinks are sent (see the README).

extension Event {
    public var json: JSONValue {
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
            ("fix", alarm?.hasPosition == false ? nil : fix.shortJSON),
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
    /// Place, accuracy and time.
    public var shortJSON: JSONValue {
        .compact([
            ("latitude", JSONValue(coordinate.latitude)),
            ("longitude", JSONValue(coordinate.longitude)),
            ("accuracy", accuracy.map { JSONValue($0) }),
            ("timestamp", JSONValue(time)),
        ])
    }
}
