import Core
import Model

/// The result of a change of a group's values.
package struct GroupEdit: Sendable {
    package var group: Queries.Group
    /// Whether the values are changed. Otherwise the other members say what would follow.
    package var isApplied: Bool
    /// The number of devices to which another value applies now.
    package var changedDevices: Int
    /// The positions that a changed `keepPositions` deletes; nil if none is changed to a limited time.
    package var deletion: PositionDeletion?
    package var events: BoundedList<Event>

    package init(
        group: Queries.Group, isApplied: Bool, changedDevices: Int, deletion: PositionDeletion? = nil,
        events: BoundedList<Event> = .noEvents
    ) {
        self.group = group
        self.isApplied = isApplied
        self.changedDevices = changedDevices
        self.deletion = deletion
        self.events = events
    }
}

extension GroupEdit: JSONWritable {
    package static let output = JSONOutput<GroupEdit>(
        "GroupEdit", summary: "The result of a change of a group's values",
        .init(membersOf: Queries.Group.output, content: \.group),
        .init("isApplied", kind: .flag, summary: "Whether the values are changed", content: \.isApplied),
        .init(
            "changedDevices", kind: .whole, summary: "The number of devices to which another value applies then",
            content: \.changedDevices),
        .init("deletion", optional: .object, summary: "When keepPositions becomes limited for a device", content: \.deletion),
        .init(
            "events", kind: .list(of: .event), summary: "The resulting events, \(BoundedList<Event>.maxEvents) at most",
            content: \.listedEvents),
        .init(
            "eventCount", optional: .whole, summary: "The number of all events, unless all are listed",
            content: \.events.totalUnlessKept))

    private var listedEvents: [Event] { Array(events) }

    package var json: JSONValue { json(in: AnswerLocale()) }
}
