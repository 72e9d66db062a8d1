import Model

/// How an app's log reports the transitions that happened along a track.
package struct ComparisonReport: Hashable, Sendable {
    package var platform: Device.Platform
    /// The device; nil for a track without a name.
    package var deviceID: String?
    /// The times of the first and the last position; nil if there is none.
    package var span: ClosedRange<Instant>?
    package var fixCount: Int
    /// The active geofences that apply to the device.
    package var geofenceCount: Int
    /// Seconds after which a transition counts as missed.
    package var maxDelay: Double
    /// One for each geofence with a transition, sorted by id.
    package var geofences: [GeofenceComparison]
    /// All transitions, sorted by time.
    package var transitions: [ComparedTransition]
    package var remarks: AppLogRemarks

    /// The numbers of transitions at all geofences.
    package var tally: ComparisonTally { ComparisonTally(transitions) }
    /// Whether every transition was reported, and no report was false.
    package var isClean: Bool { faults.isEmpty }
    /// The names of the geofences in `geofences` by id.
    package var names: [String: String] { Dictionary(geofences.map { ($0.geofenceID, $0.name) }) { first, _ in first } }

    /// The missed and the false transitions, sorted by time.
    package var faults: [ComparedTransition] { transitions.filter { $0.outcome != .reported } }
}

extension ComparisonReport: JSONDescribed {
    private var since: Instant? { span?.lowerBound }
    private var until: Instant? { span?.upperBound }

    package static let shape = JSONShape<ComparisonReport>(
        "ComparisonReport", summary: "How an app's log reports the transitions that happened along a track",
        .init("platform", kind: .word, summary: "The platform whose operating system is the reference", content: \.platform),
        .init("deviceId", optional: .text, summary: "The device", content: \.deviceID),
        .init(
            "since", optional: .time, summary: "The time of the first position",
            content: \.since),
        .init(
            "until", optional: .time, summary: "The time of the last position",
            content: \.until),
        .init("fixes", kind: .whole, summary: "The number of positions", content: \.fixCount),
        .init("geofenceCount", kind: .whole, summary: "Active geofences of the device", content: \.geofenceCount),
        .init("maxDelay", kind: .number, summary: "Seconds after which a transition counts as missed", content: \.maxDelay),
        JSONMember<ComparisonReport, ComparisonTally>(membersOf: ComparisonTally.shape, content: \.tally),
        .init(
            "geofences", kind: .list(of: .object(of: GeofenceComparison.shape)),
            summary: "One for each geofence with a transition, by id",
            content: \.geofences),
        .init(
            "transitions", kind: .list(of: .object(of: ComparedTransition.shape)), summary: "All transitions, by time",
            content: \.transitions),
        .init("log", kind: .object, summary: "What was unusual about the log", content: \.remarks),
        make: { platform, deviceID, since, until, fixes, geofenceCount, maxDelay, _, geofences, transitions, remarks in
            var span: ClosedRange<Instant>?
            if let since, let until, since <= until { span = since...until }
            return ComparisonReport(
                platform: platform, deviceID: deviceID, span: span, fixCount: fixes, geofenceCount: geofenceCount,
                maxDelay: maxDelay, geofences: geofences, transitions: transitions, remarks: remarks)
        })
}
