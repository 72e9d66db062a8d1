import Model

/// How many transitions a log reports, and how late.
package struct ComparisonTally: Hashable, Sendable {
    package private(set) var reported = 0
    package private(set) var missed = 0
    package private(set) var falseCount = 0
    /// Median of the delays of the reported ones in seconds; nil if none was reported.
    package private(set) var medianDelay: Double?
    /// The longest delay of the reported ones in seconds.
    package private(set) var worstDelay: Double?

    /// The number of transitions that happened.
    package var happened: Int { reported + missed }
    /// The number of missed and false transitions.
    package var faultCount: Int { missed + falseCount }

    init(_ transitions: [ComparedTransition]) {
        for transition in transitions {
            switch transition.outcome {
            case .reported: reported += 1
            case .missed: missed += 1
            case .false: falseCount += 1
            }
        }
        let delays = transitions.compactMap { $0.outcome == .reported ? $0.delay : nil }.sorted()
        if !delays.isEmpty { (medianDelay, worstDelay) = (delays[delays.count / 2], delays.last) }
    }
}

extension ComparisonTally: JSONDescribed {
    /// The members of a comparison and of each of its geofences. They have no separate schema.
    package static let shape = JSONShape<ComparisonTally>(
        "ComparisonTally", summary: "How many transitions a log reports",
        .init("told", kind: .whole, summary: "Transitions that happened and were reported in time", content: \.reported),
        .init("missed", kind: .whole, summary: "Transitions that happened and were not reported in time", content: \.missed),
        .init("false", kind: .whole, summary: "Transitions that were reported but did not happen", content: \.falseCount),
        .init("medianDelay", optional: .number, summary: "Seconds, of the reported ones", content: \.medianDelay),
        .init("worstDelay", optional: .number, summary: "Seconds, of the reported ones", content: \.worstDelay)
    ) { reported, missed, falseCount, medianDelay, worstDelay in
        var tally = ComparisonTally([])
        (tally.reported, tally.missed, tally.falseCount) = (reported, missed, falseCount)
        (tally.medianDelay, tally.worstDelay) = (medianDelay, worstDelay)
        return tally
    }
}
