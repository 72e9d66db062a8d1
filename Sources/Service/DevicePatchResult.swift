import Model

/// What became of a change of several devices.
package struct DevicePatchResult: Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case changed, unchanged, refused
    }

    /// What became of one device.
    package struct Entry: Sendable {
        package var id: String
        package var outcome: Outcome
        /// The fields that change with their new values; null for a field that the device has no more.
        package var changes: [JSONValue.Member] = []
        /// Why the device cannot be changed so.
        package var problem: Problem?
        /// The positions that a changed `keepPositions` deletes.
        package var deletion: PositionDeletion?

        package init(
            id: String, outcome: Outcome, changes: [JSONValue.Member] = [], problem: Problem? = nil,
            deletion: PositionDeletion? = nil
        ) {
            self.id = id
            self.outcome = outcome
            self.changes = changes
            self.problem = problem
            self.deletion = deletion
        }
    }

    /// By id.
    package var devices: [Entry]
    /// Whether the devices are changed. Otherwise `changed` means that a device would be.
    package var isApplied: Bool
    package var events: [Event]

    package init(devices: [Entry], isApplied: Bool, events: [Event]) {
        self.devices = devices
        self.isApplied = isApplied
        self.events = events
    }

    /// Whether a device cannot be changed so; then none is.
    package var isRefused: Bool { devices.contains { $0.outcome == .refused } }

    package func json(in language: Language) -> JSONValue {
        [
            "isApplied": .bool(isApplied),
            "devices": .array(
                devices.map { entry in
                    .compact([
                        ("id", .string(entry.id)), ("outcome", .string(entry.outcome.rawValue)),
                        ("changes", entry.changes.isEmpty ? nil : .object(entry.changes)),
                        ("deletion", entry.deletion?.json), ("problem", entry.problem?.json(in: language)),
                    ])
                }),
            "events": .array(events.map(\.json)),
        ]
    }
}
