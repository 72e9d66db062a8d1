import Model

/// How the log reports the transitions of one geofence.
package struct GeofenceComparison: Hashable, Sendable {
    /// The geofence's id, or an identifier that no geofence has.
    package var geofenceID: String
    package var name: String
    package private(set) var reported = 0
    package private(set) var missed = 0
    package private(set) var falseCount = 0
    /// Median of the delays of the reported ones in seconds; nil if none was reported.
    package private(set) var medianDelay: Double?
    /// The longest delay of the reported ones in seconds.
    package private(set) var worstDelay: Double?

    /// The number of transitions that happened.
    package var happened: Int { reported + missed }

    init(geofenceID: String, name: String, _ transitions: [ComparedTransition]) {
        self.geofenceID = geofenceID
        self.name = name
        for transition in transitions {
            switch transition.outcome {
            case .reported: reported += 1
            case .missed: missed += 1
            case .false: falseCount += 1
            }
        }
        (medianDelay, worstDelay) = ComparedTransition.delays(of: transitions)
    }

    fileprivate init(
        geofenceID: String, name: String, reported: Int, missed: Int, falseCount: Int, medianDelay: Double?, worstDelay: Double?
    ) {
        self.geofenceID = geofenceID
        self.name = name
        self.reported = reported
        self.missed = missed
        self.falseCount = falseCount
        self.medianDelay = medianDelay
        self.worstDelay = worstDelay
    }
}

extension ComparedTransition {
    /// Median and maximum of the delays of reported transitions, in seconds.
    static func delays(of transitions: [ComparedTransition]) -> (median: Double?, worst: Double?) {
        let delays = transitions.compactMap { $0.outcome == .reported ? $0.delay : nil }.sorted()
        return (delays.isEmpty ? nil : delays[delays.count / 2], delays.last)
    }
}

extension GeofenceComparison: JSONDescribed {
    package static let shape = JSONShape<GeofenceComparison>(
        "GeofenceComparison", summary: "How a log reports the transitions of one geofence",
        .init("geofenceId", kind: .text, summary: "The geofence, or an identifier that no geofence has", content: \.geofenceID),
        .init("name", kind: .text, summary: "The geofence's name", content: \.name),
        .init("told", kind: .whole, summary: "Transitions that happened and were reported in time", content: \.reported),
        .init("missed", kind: .whole, summary: "Transitions that happened and were not reported in time", content: \.missed),
        .init("false", kind: .whole, summary: "Transitions that were reported but did not happen", content: \.falseCount),
        .init("medianDelay", optional: .number, summary: "Seconds, of the reported ones", content: \.medianDelay),
        .init("worstDelay", optional: .number, summary: "Seconds, of the reported ones", content: \.worstDelay),
        make: { id, name, reported, missed, falseCount, medianDelay, worstDelay in
            GeofenceComparison(
                geofenceID: id, name: name, reported: reported, missed: missed, falseCount: falseCount, medianDelay: medianDelay,
                worstDelay: worstDelay)
        })
}
