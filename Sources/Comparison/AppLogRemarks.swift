import Model

/// What was unusual about a log, apart from its content.
package struct AppLogRemarks: Hashable, Sendable {
    /// An identifier in a log that no geofence has.
    package struct UnknownIdentifier: Hashable, Sendable {
        package var identifier: String
        /// The number of reports and lists with it.
        package var count: Int
        /// Whether it has the app's prefix, so that it should identify a geofence.
        package var isOurs: Bool

        package init(identifier: String, count: Int, isOurs: Bool) {
            self.identifier = identifier
            self.count = count
            self.isOurs = isOurs
        }
    }

    /// The number of observations.
    package var observations = 0
    /// Observations that repeat an earlier one with the same time and content.
    package var doubled = 0
    /// Observations older than the one before them.
    package var outOfOrder = 0
    /// Reports before the first or after the last position of the track, which cannot be evaluated.
    package var outsideTrack = 0
    /// Enters of geofences in which the track begins. They are neither reported nor false.
    package var initial = 0
    /// Dwell reports that are not compared, because the geofence has no dwell time or the platform reports no dwells.
    package var dwellsNotCompared = 0
    /// The longest time without an observation while transitions happened, in the track's time; nil if there is none.
    package var longestGap: ClosedRange<Instant>?
    /// Sorted by count, the most frequent first, up to `mostIdentifiers`.
    package var unknownIdentifiers: [UnknownIdentifier] = []
    /// The number of identifiers that no geofence has.
    package var unknownIdentifierCount = 0
    /// Whether the log has identifiers, and none of them is that of a geofence.
    package var namesNoGeofence = false
    package var skew: ClockSkew?

    package static let mostIdentifiers = 20

    package init() {}
}

extension AppLogRemarks: JSONDescribed {
    private var gapSince: Instant? { longestGap?.lowerBound }
    private var gapUntil: Instant? { longestGap?.upperBound }

    package static let shape = JSONShape<AppLogRemarks>(
        "LogRemarks", summary: "What was unusual about a log",
        .init("observations", kind: .whole, summary: "The number of observations", content: \.observations),
        .init("doubled", kind: .whole, summary: "Repeated observations; they count once", content: \.doubled),
        .init("outOfOrder", kind: .whole, summary: "Observations older than the one before them", content: \.outOfOrder),
        .init("outsideTrack", kind: .whole, summary: "Reports before or after the track: not evaluated", content: \.outsideTrack),
        .init(
            "initial", kind: .whole, summary: "Enters of geofences in which the track starts: not evaluated", content: \.initial),
        .init("dwellsNotCompared", kind: .whole, summary: "Dwell reports that are not evaluated", content: \.dwellsNotCompared),
        .init(
            "gapSince", optional: .time, summary: "The beginning of the longest gap in which transitions were missed",
            content: \.gapSince),
        .init(
            "gapUntil", optional: .time, summary: "The end of that gap",
            content: \.gapUntil),
        .init(
            "unknownIdentifiers", kind: .list(of: .object(of: UnknownIdentifier.shape)),
            summary: "Identifiers without a geofence, the most frequent first",
            content: \.unknownIdentifiers),
        .init("unknownIdentifierCount", kind: .whole, summary: "Their number", content: \.unknownIdentifierCount),
        .init(
            "namesNoGeofence", kind: .flag, summary: "Whether none of the log's identifiers belongs to a geofence",
            content: \.namesNoGeofence),
        .init("clockSkew", optional: .object, summary: "How much the log's clock differs from the track's", content: \.skew),
        make: {
            observations, doubled, outOfOrder, outsideTrack, initial, dwells, gapSince, gapUntil, unknown, unknownCount,
            namesNoGeofence, skew in
            var remarks = AppLogRemarks()
            remarks.observations = observations
            remarks.doubled = doubled
            remarks.outOfOrder = outOfOrder
            remarks.outsideTrack = outsideTrack
            remarks.initial = initial
            remarks.dwellsNotCompared = dwells
            if let gapSince, let gapUntil, gapSince <= gapUntil { remarks.longestGap = gapSince...gapUntil }
            remarks.unknownIdentifiers = unknown
            remarks.unknownIdentifierCount = unknownCount
            remarks.namesNoGeofence = namesNoGeofence
            remarks.skew = skew
            return remarks
        })
}

extension AppLogRemarks.UnknownIdentifier: JSONDescribed {
    package static let shape = JSONShape<AppLogRemarks.UnknownIdentifier>(
        "UnknownIdentifier", summary: "An identifier in a log that no geofence has",
        .init("identifier", kind: .text, summary: "The identifier", content: \.identifier),
        .init("count", kind: .whole, summary: "The number of reports and lists that contain it", content: \.count),
        .init("ours", kind: .flag, summary: "Whether it has the app's prefix", content: \.isOurs),
        make: { .init(identifier: $0, count: $1, isOurs: $2) })
}

extension ClockSkew: JSONDescribed {
    package static let shape = JSONShape<ClockSkew>(
        "ClockSkew", summary: "A constant difference between the clocks of a log and a track",
        .init("seconds", kind: .number, summary: "Positive if the log's clock is ahead", content: \.seconds),
        .init("reports", kind: .whole, summary: "The number of reports that show it", content: \.reports),
        .init("corrected", kind: .flag, summary: "Whether the log's times were corrected by it", content: \.isCorrected),
        make: { ClockSkew(seconds: $0, reports: $1, isCorrected: $2) })
}
