import Model
import Monitor

extension Explanation {
    /// - Parameters:
    ///   - language: Of the sentences.
    ///   - zone: Of the times in the sentences.
    package func json(in language: Language = .english, zone: LocalTimeZone = .utc) -> JSONValue {
        .compact([
            ("deviceId", .string(device.id)),
            ("geofenceId", .string(geofence.id)),
            ("geofenceName", .string(geofence.name)),
            ("at", at.map { JSONValue($0) }),
            ("answer", .string(answer.words(in: language, zone: zone))),
            ("visit", visits.current?.json),
            ("visitBefore", visits.before?.json),
            ("visitAfter", visits.after?.json),
            ("steps", .array(steps.map { $0.json(in: language, zone: zone) })),
            ("events", .array(events.map(\.json))),
            ("policy", .object(policy.map { .init($0.name, $0.json) })),
            ("remarks", remarks.isEmpty ? nil : .array(remarks.map { .string($0.words(in: language, zone: zone)) })),
        ])
    }
}

extension Explanation.Step {
    func json(in language: Language, zone: LocalTimeZone) -> JSONValue {
        .compact([
            ("timestamp", JSONValue(at)),
            ("latitude", fix.map { JSONValue($0.coordinate.latitude) }),
            ("longitude", fix.map { JSONValue($0.coordinate.longitude) }),
            ("accuracy", fix?.accuracy.map { JSONValue($0) }),
            ("distance", measurement.flatMap { $0.distance.isFinite ? Self.meters($0.distance) : nil }),
            ("counted", measurement.map { Self.meters($0.countedAccuracy) }),
            ("margin", measurement.map { Self.meters($0.exitMargin) }),
            ("reading", measurement.map { .string($0.containment.rawValue) }),
            ("before", before.map { .string($0.rawValue) }),
            ("after", after.map { .string($0.rawValue) }),
            ("rule", .string(rule.rawValue)),
            ("because", .string(because.words(in: language, zone: zone))),
        ])
    }

    /// A length in meters, rounded to millimeters.
    private static func meters(_ length: Double) -> JSONValue { JSONValue((length * 1000).rounded() / 1000) }
}

extension Explanation.PolicyParameter {
    var json: JSONValue {
        ["value": value.isFinite ? JSONValue(value) : "none", "unit": .string(unit), "from": .string(source.rawValue)]
    }
}
