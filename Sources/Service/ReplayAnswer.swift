import Model

/// The answer to a replay that a person requests.
package struct ReplayAnswer: Sendable {
    package var counts: ReplayCounts
    package var events: [Event]

    package init(counts: ReplayCounts, events: [Event]) {
        self.counts = counts
        self.events = events
    }
}

extension ReplayAnswer: JSONDescribed {
    package static let shape = JSONShape<ReplayAnswer>(
        "ReplayAnswer", summary: "The result of a replay",
        .init(membersOf: ReplayCounts.shape, content: \.counts),
        .init("events", kind: .list(of: .event), summary: "The events that were recorded", content: \.events)
    ) { counts, events in ReplayAnswer(counts: counts, events: events) }
}
