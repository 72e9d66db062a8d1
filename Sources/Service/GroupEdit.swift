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
    package var events: [Event]

    package init(
        group: Queries.Group, isApplied: Bool, changedDevices: Int, deletion: PositionDeletion? = nil, events: [Event] = []
    ) {
        self.group = group
        self.isApplied = isApplied
        self.changedDevices = changedDevices
        self.deletion = deletion
        self.events = events
    }

    package var json: JSONValue {
        .object(
            (group.json.members ?? []) + [
                .init("isApplied", .bool(isApplied)), .init("changedDevices", JSONValue(changedDevices)),
            ] + (deletion.map { [.init("deletion", $0.json)] } ?? []) + [.init("events", .array(events.map(\.json)))])
    }
}
