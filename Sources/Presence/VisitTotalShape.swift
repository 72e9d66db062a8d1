import Model

extension VisitTotal: JSONDescribed {
    package static let shape = JSONShape<VisitTotal>(
        "VisitTotal",
        summary: "The visits of a device to a geofence, added up",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.deviceId),
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceId),
        .init("geofenceName", kind: .text, summary: "The geofence's name", content: \.geofenceName),
        .init("visits", kind: .whole, summary: "The number of visits", content: \.visits),
        .init(
            "seenSeconds", kind: .number, summary: "Seconds for which the device was seen in the visits, without silences",
            content: \.seenSeconds.roundedToMilliseconds),
        .init(
            "elapsedSeconds", kind: .number, summary: "Seconds from enter to exit or until now, including silences",
            content: \.elapsedSeconds.roundedToMilliseconds)
    ) { deviceId, geofenceId, geofenceName, visits, seenSeconds, elapsedSeconds in
        var total = VisitTotal(deviceId: deviceId, geofenceId: geofenceId, geofenceName: geofenceName)
        total.visits = visits
        total.seenSeconds = seenSeconds
        total.elapsedSeconds = elapsedSeconds
        return total
    }
}

extension Double {
    /// Seconds rounded to milliseconds, because sums of fractions have rounding errors.
    fileprivate var roundedToMilliseconds: Double { (self * 1000).rounded() / 1000 }
}
