import Model
import Presence

/// The answer to a replay that a person requests.
package struct ReplayAnswer: Sendable {
    package var counts: ReplayCounts
    /// The events that were recorded; empty for a replay with current geofences.
    package var events = BoundedList<Event>.noEvents
    /// Of a replay with current geofences: what changes for each device.
    package private(set) var past: [PastFinding]?
    /// The number of devices that are not in `past`, because the list is limited.
    private(set) var omitted: Int?

    /// The number of changes in `past` from which on devices are left out. One change has up to six events.
    private static let changeLimit = 1000
    private var changeCount = 0

    init(counts: ReplayCounts) { self.counts = counts }

    /// The answer to a replay with current geofences, to which findings are added.
    init(ofPast counts: ReplayCounts) {
        self.counts = counts
        past = []
        omitted = 0
    }

    /// Adds what a replay with current geofences has found.
    mutating func add(_ finding: PastFinding) {
        counts.add(finding.counts)
        if finding.isEmpty { return }
        if changeCount < Self.changeLimit {
            changeCount += max(finding.changes.count, 1)
            past?.append(finding)
        } else {
            omitted? += 1
        }
    }
}

extension ReplayAnswer: JSONDescribed {
    package static let shape = JSONShape<ReplayAnswer>(
        "ReplayAnswer", summary: "The result of a replay",
        .init(membersOf: ReplayCounts.shape, content: \.counts),
        .init(
            "events", kind: .list(of: .event),
            summary:
                "The events that were recorded, \(BoundedList<Event>.maxEvents) at most; empty with geofences, and when the service "
                + "lacks memory for the list",
            content: \.listedEvents),
        .init(
            "past", optional: .list(of: .object), summary: "With geofences: what changes for each device, up to 1,000 changes",
            content: \.past),
        .init(
            "omitted", optional: .whole, summary: "With geofences: devices with changes that 'past' does not list",
            content: \.omitted)
    ) { counts, events, past, omitted in
        var answer = ReplayAnswer(counts: counts)
        answer.events += events
        answer.past = past
        answer.omitted = omitted
        return answer
    }

    private var listedEvents: [Event] { Array(events) }
}
