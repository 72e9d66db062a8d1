import Core
import Model
import Settings
import Store

extension Queries {
    /// The device with the values that it inherits.
    package func inheriting(_ device: Device) throws(Problem) -> Device {
        var device = device
        device.inherit(try store.inheritedDefaults(ofGroups: device.groups))
        return device
    }

    /// What a change of a group's values would do, with the number of positions that it would delete; see `ServiceWriter.patchGroup`.
    ///
    /// - Complexity: O(n) for n devices. If `keepPositions` changes, O(m) for the m positions of those that change.
    package func previewGroup(_ name: String, with patch: JSONValue) throws(Problem) -> GroupEdit {
        if let flaw = Identifier.flaw(inNames: [name], field: "group") { throw flaw }
        let defaults = try newDefaults(ofGroup: name, with: patch)
        let changed = try devices(changedBy: defaults, ofGroup: name)
        var edit = GroupEdit(group: try group(name, with: defaults), isApplied: false, changedDevices: changed.count)
        for (old, new) in changed {
            guard let seconds = new.keepPositions, seconds.isFinite, seconds != old.keepPositions else { continue }
            let one = try countDeletable(ofDevice: new.id, keeping: seconds)
            let sum = edit.deletion ?? PositionDeletion(positions: 0, of: 0)
            edit.deletion = PositionDeletion(positions: sum.positions + one.positions, of: sum.of + one.of)
        }
        return edit
    }

    /// A group with other values. It does not need to exist.
    private func group(_ name: String, with defaults: DeviceDefaults) throws(Problem) -> Group {
        var group = try groups().first { $0.name == name } ?? Group(name: name)
        group.defaults = defaults
        return group
    }

    fileprivate func newDefaults(ofGroup name: String, with patch: JSONValue) throws(Problem) -> DeviceDefaults {
        try DeviceDefaults(json: store.defaults(ofGroup: name).json.patched(with: patch), of: .group)
    }

    /// The devices to which another value applies with new values of a group.
    private func devices(
        changedBy defaults: DeviceDefaults, ofGroup name: String
    ) throws(Problem) -> [(old: Device, new: Device)] {
        var (general, ofGroups) = try store.deviceDefaults()
        ofGroups[name] = defaults
        return try devices().compactMap { old in
            guard old.groups.contains(name) else { return nil }
            return old.inheriting(general, ofGroups).map { (old, $0) }
        }
    }
}

extension ServiceWriter {
    /// Uses the settings of a service. Devices get other default values only by `saveGeneralDefaults(_:)`.
    package func use(_ settings: Settings) {
        keepPositions = settings.keepPositions
        appReportMaxAge = settings.appReportMaxAge
        supportContact = settings.supportContact
        emergencyNumbers = EmergencyNumbers(override: settings.emergencyNumber, zone: settings.timeZone.name)
    }

    /// Prepares for positions that are evaluated as a service with these settings would.
    package func beginFeeding(_ settings: Settings) throws(Problem) {
        use(settings)
        try saveGeneralDefaults(settings.deviceDefaults)
    }

    /// Applies the values of the service's settings to all devices without other values.
    ///
    /// - Returns: The events that follow.
    @discardableResult
    package func saveGeneralDefaults(_ defaults: DeviceDefaults) throws(Problem) -> [Event] {
        if try store.deviceDefaults().general == defaults { return [] }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(defaults, ofGroup: "", in: transaction)
            var events: [Event] = []
            var next: DeviceKey? = DeviceKey(0)
            while let last = next {
                let step = try inheritDefaults(after: last, in: transaction)
                events += step.events
                next = step.next
            }
            return events
        }
    }

    /// Completes changes of groups that were interrupted, before any request waits for the writer. If that fails, for example
    /// because a device is damaged, it does not prevent other work, and the next start tries again.
    func completeGroupPatches() throws(Problem) {
        if try store.openGroupPatches() == 0 { return }
        do throws(Problem) {
            var next: DeviceKey? = DeviceKey(0)
            while let last = next {
                next = try transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try inheritDefaults(after: last, in: transaction).next
                }
            }
            try transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.saveOpenGroupPatches(0, in: transaction)
            }
        } catch {
            return
        }
    }

    private func saveDefaults(
        ofGroup name: String, with patch: JSONValue, in transaction: borrowing Transaction
    ) throws(Problem) -> DeviceDefaults {
        let defaults = try newDefaults(ofGroup: name, with: patch)
        try store.save(defaults, ofGroup: name, in: transaction)
        return defaults
    }

    /// Lets the devices after one inherit the current values of their groups and of the settings, for a few milliseconds.
    ///
    /// - Parameter group: Only the devices of this group; nil for all.
    private func inheritDefaults(
        after last: DeviceKey, ofGroup group: String? = nil, in transaction: borrowing Transaction
    ) throws(Problem) -> InheritanceStep {
        let end = ContinuousClock.now + Self.timeOfStep
        let (general, ofGroups) = try store.deviceDefaults()
        var step = InheritanceStep()
        let devices = try store.devices(after: last, limit: 100)
        for stored in devices where group.map(stored.device.groups.contains) ?? true {
            guard let device = stored.device.inheriting(general, ofGroups) else { continue }
            step.changedDevices += 1
            step.events += try saveChecked(device, in: transaction)
            if ContinuousClock.now > end {
                step.next = stored.key
                return step
            }
        }
        step.next = devices.last?.key
        return step
    }

    package func beginGroupPatch(
        _ name: String, with patch: JSONValue, in transaction: borrowing Transaction
    ) throws(Problem) -> DeviceDefaults {
        try store.saveOpenGroupPatches(store.openGroupPatches() + 1, in: transaction)
        return try saveDefaults(ofGroup: name, with: patch, in: transaction)
    }

    package func continueGroupPatch(
        _ name: String, after last: DeviceKey, in transaction: borrowing Transaction
    ) throws(Problem) -> InheritanceStep {
        let step = try inheritDefaults(after: last, ofGroup: name, in: transaction)
        if step.next == nil { try store.saveOpenGroupPatches(max(0, store.openGroupPatches() - 1), in: transaction) }
        return step
    }
}

extension Device {
    /// The device with the values that it inherits; nil if it already has them.
    ///
    /// - Parameters:
    ///   - general: The values of the settings.
    ///   - ofGroups: The values of all groups that have any.
    fileprivate func inheriting(_ general: DeviceDefaults, _ ofGroups: [String: DeviceDefaults]) -> Device? {
        var device = self
        device.inherit(InheritedDefaults(groups: groups, general: general, ofGroups: ofGroups))
        return device == self ? nil : device
    }
}

extension GroupEdit {
    /// The edit at the moment when the values are changed, and no device has inherited them.
    package var begun: GroupEdit {
        var edit = self
        edit.isApplied = true
        edit.changedDevices = 0
        return edit
    }

    package mutating func add(_ step: InheritanceStep) {
        changedDevices += step.changedDevices
        events += step.events
    }
}
