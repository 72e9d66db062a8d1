import Model

/// The outcome of a change of several devices.
package struct DevicePatchResult: Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case changed, unchanged, refused
    }

    /// The maximum number of problems in a result, because a request can name any number of unknown devices.
    static let maxProblems = 100

    /// The outcome for one device.
    package struct Entry: Sendable {
        package var id: String
        package var outcome: Outcome
        /// The fields that change, with their new values; null for a field that the device no longer has.
        package var changes: [JSONValue.Member] = []
        /// Why the device cannot be changed like this; also nil after the first `maxProblems` such devices.
        package var problem: Problem?
        /// The positions that a changed `keepPositions` deletes.
        package var deletion: PositionDeletion?

        /// For how many seconds positions are kept from now on: the device's own new value, or a new inherited one. Nil if this does not
        /// change, or if they are kept forever.
        package var newRetention: Double? {
            for change in changes {
                let value = change.name == "inherited" ? change.value["keepPositions"]?["value"] : change.value
                if ["keepPositions", "inherited"].contains(change.name), let seconds = value?.double { return seconds }
            }
            return nil
        }
    }

    /// By id.
    package var devices: [Entry]
    /// Whether the devices are changed. Otherwise `changed` means that a device would be.
    package var isApplied: Bool
    package var events = BoundedList<Event>.noEvents

    package init(devices: [Entry], isApplied: Bool, events: BoundedList<Event> = .noEvents) {
        self.devices = devices
        self.isApplied = isApplied
        self.events = events
    }

    /// Whether a device cannot be changed so.
    package var isRefused: Bool { devices.contains { $0.outcome == .refused } }

    /// Adds the deletions that a preview of the same change has counted, of the devices that change.
    package mutating func addDeletions(of preview: DevicePatchResult) {
        var deletions: [String: PositionDeletion] = [:]
        for entry in preview.devices { deletions[entry.id] = entry.deletion }
        for index in devices.indices where devices[index].outcome == .changed {
            devices[index].deletion = deletions[devices[index].id]
        }
    }
}

extension DevicePatchResult: JSONDescribed {
    package static let shape = JSONShape<DevicePatchResult>(
        "DevicePatchResult", summary: "The result of a change to several devices",
        .init("isApplied", kind: .flag, summary: "Whether the devices are changed", content: \.isApplied),
        .init("devices", kind: .list(of: .object), summary: "By id", content: \.devices),
        .init(
            "events", kind: .list(of: .event), summary: "The resulting events, \(BoundedList<Event>.maxEvents) at most",
            content: \.listedEvents),
        .init(
            "eventCount", optional: .whole, summary: "The number of all events, unless all are listed",
            content: \.events.totalUnlessKept)
    ) { isApplied, devices, events, eventCount in
        DevicePatchResult(
            devices: devices, isApplied: isApplied,
            events: BoundedList(events, total: eventCount ?? 0, limit: BoundedList<Event>.maxEvents))
    }

    private var listedEvents: [Event] { Array(events) }
}

extension DevicePatchResult.Entry: JSONDescribed {
    package static let shape = JSONShape<DevicePatchResult.Entry>(
        "PatchedDevice", summary: "The result for one of several devices",
        .init("id", kind: .text, summary: "Its id", content: \.id),
        .init(
            "outcome", kind: .word, summary: "When isApplied is false, 'changed' means that the device could be changed",
            content: \.outcome),
        .init(
            "changes", optional: .anyObject, summary: "The fields that change, with their new values; null: removed",
            content: \.changesIfAny),
        .init("deletion", optional: .object, content: \.deletion),
        .init(
            "problem", optional: .problem,
            summary: "Why it is refused; only for the first \(DevicePatchResult.maxProblems) of these devices", content: \.problem
        )
    ) { id, outcome, changes, deletion, problem in
        .init(id: id, outcome: outcome, changes: changes ?? [], problem: problem, deletion: deletion)
    }

    private var changesIfAny: [JSONValue.Member]? { changes.isEmpty ? nil : changes }
}
