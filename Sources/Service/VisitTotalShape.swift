import Model

extension VisitTotal: JSONDescribed {
    package static let shape = JSONShape<VisitTotal>(
        "VisitTotal",
        summary: "The visits of a device to a geofence, added up",
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
