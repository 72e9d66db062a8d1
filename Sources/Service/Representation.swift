import Model
import Store

// The JSON of responses, which is the same for the command line and the service (docs/http-api.md).

extension Visit {
    package var json: JSONValue {
        .compact([
            ("deviceId", .string(deviceId)),
            ("geofenceId", .string(geofenceId)),
            ("geofenceName", .string(geofenceName)),
            ("enteredAt", JSONValue(enteredAt)),
            ("exitedAt", exitedAt.map { JSONValue($0) }),
            ("duration", duration.map { JSONValue($0) }),
            ("lastSeenAt", lastSeenAt.map { JSONValue($0) }),
            ("seenSeconds", seenSeconds.map { JSONValue($0) }),
            ("notSeenSince", notSeenSince.map { JSONValue($0) }),
            ("enterCause", .string(enterCause.rawValue)),
            ("exitCause", exitCause.map { .string($0.rawValue) }),
            ("open", .bool(exitedAt == nil)),
        ])
    }

    /// A visit as a member of a device's status.
    var insideJSON: JSONValue {
        .compact([
            ("geofenceId", .string(geofenceId)),
            ("geofenceName", .string(geofenceName)),
            ("enteredAt", JSONValue(enteredAt)),
            ("lastSeenAt", lastSeenAt.map { JSONValue($0) }),
            ("seenSeconds", seenSeconds.map { JSONValue($0) }),
            ("notSeenSince", notSeenSince.map { JSONValue($0) }),
        ])
    }
}

extension VisitTotal: JSONDescribed {
    package static let shape = JSONShape<VisitTotal>(
        "The visits of a device to a geofence, added up",
        .init("deviceId", kind: .text, summary: "Whose", content: \.deviceId),
        .init("geofenceId", kind: .text, summary: "Where", content: \.geofenceId),
        .init("geofenceName", kind: .text, summary: "For people", content: \.geofenceName),
        .init("visits", kind: .whole, summary: "How many", content: \.visits),
        .init(
            "seenSeconds", kind: .number, summary: "For how long the device was seen in them; silences do not count",
            content: \.seenSeconds.roundedToMilliseconds),
        .init(
            "elapsedSeconds", kind: .number, summary: "From enter to exit, or until now; silences included",
            content: \.elapsedSeconds.roundedToMilliseconds),
        .init(
            "unknownVisits", optional: .whole,
            summary: "So many of the visits are not in seenSeconds, because positions that would tell were removed",
            content: \.unknownVisitsIfAny)
    ) { deviceId, geofenceId, geofenceName, visits, seenSeconds, elapsedSeconds, unknownVisits in
        var total = VisitTotal(deviceId: deviceId, geofenceId: geofenceId, geofenceName: geofenceName)
        total.visits = visits
        total.seenSeconds = seenSeconds
        total.elapsedSeconds = elapsedSeconds
        total.unknownVisits = unknownVisits ?? 0
        return total
    }

    private var unknownVisitsIfAny: Int? { unknownVisits == 0 ? nil : unknownVisits }
}

extension Double {
    /// Seconds rounded to milliseconds, because sums of fractions have rounding errors.
    fileprivate var roundedToMilliseconds: Double { (self * 1000).rounded() / 1000 }
}

extension SeenSpan {
    /// The period between two positions without silence between them.
    var json: JSONValue {
        ["from": JSONValue(Instant(milliseconds: begins)), "to": JSONValue(Instant(milliseconds: ends))]
    }
}

extension JSONValue {
    /// Nil for an object without members.
    fileprivate var nonempty: JSONValue? { members?.isEmpty == true ? nil : self }
}

extension Device {
    package var json: JSONValue {
        .compact([
            ("id", .string(id)),
            ("name", .string(name)),
            ("groups", .array(groups.map(JSONValue.string))),
            ("policy", policy.json),
            ("platform", platform.map { .string($0.rawValue) }),
            ("registry", .string(registry.rawValue)),
            ("autoRepair", .bool(autoRepair)),
            ("silentAfter", JSONValue(silentAfter)),
            ("keepPositions", keepPositions.map { $0.isFinite ? JSONValue($0) : "forever" }),
            ("quietHours", quietHoursJSON),
            ("inherited", InheritedDefaults.json(of: self).nonempty),
        ])
    }

    private var quietHoursJSON: JSONValue? {
        if own.quietHours == nil, inherited.quietHours == nil { return nil }
        return .array(quietHours.map { JSONValue.string($0.text) })
    }
}

extension Queries.DeviceStatus {
    package var json: JSONValue {
        .compact([
            ("deviceId", .string(device.id)),
            ("name", .string(device.name)),
            ("lastFix", newest?.shortJSON), ("isDoubted", isOutlierCandidate ? true : nil),
            ("silentSince", silentSince.map { JSONValue($0) }),
            ("inside", .array(inside.map(\.insideJSON))),
        ])
    }
}

extension Refusal {
    /// `{"refused":{…}}`
    package var json: JSONValue {
        [
            "refused": .compact(
                [
                    ("file", file.map(JSONValue.string)),
                    ("line", line.map { JSONValue($0) }),
                    ("field", .string(field)),
                    ("value", .string(value)),
                ], reason.members())
        ]
    }
}

extension FileFeed.Summary {
    /// `{"summary":{…}}`
    package var json: JSONValue {
        [
            "summary": [
                "fixes": JSONValue(counts.fixes),
                "accepted": JSONValue(counts.accepted),
                "duplicates": JSONValue(counts.duplicates),
                "late": JSONValue(counts.late),
                "waiting": JSONValue(counts.waiting),
                "replayed": JSONValue(replays.devices),
                "corrections": JSONValue(replays.retracted + replays.new),
                "refused": JSONValue(counts.refused),
                "events": JSONValue(counts.events),
                "seconds": JSONValue((seconds * 1000).rounded() / 1000),
                "fixesPerSecond": JSONValue(fixesPerSecond.rounded()),
            ]
        ]
    }
}
