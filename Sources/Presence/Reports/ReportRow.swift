import Model

/// The visits of a geofence, a device or a group in one period, added up.
package struct ReportRow: Hashable, Sendable {
    var period: String
    var from: Instant
    var to: Instant
    var geofenceId: String?
    var geofenceName: String?
    var deviceId: String?
    var group: String?
    /// Seconds for which devices were seen in geofences.
    var seenSeconds = 0.0
    /// The number of visits that overlap the period.
    var visits = 0
    var firstIn: Instant?
    /// Nil if there is no visit, or if one continues now.
    var lastOut: Instant?
    /// In meters; nil for geofences.
    var distance: Double?
    /// The number of positions that are left out of the distance, because they imply more than the maximum speed of the device's policy.
    var outliers = 0

    /// Whether a visit continues now.
    var isOngoing: Bool { visits > 0 && lastOut == nil }

    init(_ period: ReportPeriod) {
        self.period = period.name
        from = period.from
        to = period.to
    }
}

extension ReportRow: JSONDescribed {
    package static let shape = JSONShape<ReportRow>(
        "ReportRow", summary: "The visits of a geofence, a device or a group in one period, added up",
        .init(
            "period", kind: .text, summary: "For example 2026-10, 2026-W41 or 2026-10-05, in the report's time zone",
            content: \.period),
        .init("from", kind: .time, summary: "The first moment of the period", content: \.from),
        .init("to", kind: .time, summary: "The first moment after the period", content: \.to),
        .init("geofenceId", optional: .text, summary: "The geofence's id, in reports by geofence", content: \.geofenceId),
        .init("geofenceName", optional: .text, summary: "The geofence's name", content: \.geofenceName),
        .init("deviceId", optional: .text, summary: "The device's id, in reports by device", content: \.deviceId),
        .init("group", optional: .text, summary: "The group, in reports by group", content: \.group),
        .init(
            "seenSeconds", kind: .number, summary: "Seconds for which devices were seen in geofences, without silences",
            content: \.shownSeconds),
        .init("visits", kind: .whole, summary: "The number of visits that overlap the period", content: \.visits),
        .init(
            "firstIn", optional: .time,
            summary: "When the first visit began, or the period's start if it is later; omitted without visits",
            content: \.firstIn
        ),
        .init(
            "lastOut", optional: .time,
            summary:
                "When the last visit ended, or the period's end if it is earlier; omitted without visits and while a visit is open",
            content: \.lastOut),
        .init(
            "distance", optional: .number, summary: "Distance between positions in meters, without outliers, by device and group",
            content: \.shownDistance),
        .init(
            "outliers", optional: .whole,
            summary:
                "The number of positions that are left out of the distance, because they imply more than the maximum speed",
            content: \.outliersIfAny)
    ) {
        (
            period: String, from: Instant, to: Instant, geofenceId: String?, geofenceName: String?, deviceId: String?,
            group: String?,
            seenSeconds: Double, visits: Int, firstIn: Instant?, lastOut: Instant?, distance: Double?, outliers: Int?
        ) -> ReportRow in
        var row = ReportRow(ReportPeriod(name: period, from: from, to: to))
        (row.geofenceId, row.geofenceName, row.deviceId, row.group) = (geofenceId, geofenceName, deviceId, group)
        (row.seenSeconds, row.visits) = (seenSeconds, visits)
        (row.firstIn, row.lastOut, row.distance, row.outliers) = (firstIn, lastOut, distance, outliers ?? 0)
        return row
    }

    // Sums of fractions have rounding errors.
    private var shownSeconds: Double { (seenSeconds * 1000).rounded() / 1000 }
    private var shownDistance: Double? { distance.map { ($0 * 1000).rounded() / 1000 } }
    private var outliersIfAny: Int? { outliers == 0 ? nil : outliers }
}
