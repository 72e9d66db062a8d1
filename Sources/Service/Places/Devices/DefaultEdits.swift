import Model
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
        let (defaults, changed) = try planGroup(name, with: patch)
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
    fileprivate func group(_ name: String, with defaults: DeviceDefaults) throws(Problem) -> Group {
        var group = try groups().first { $0.name == name } ?? Group(name: name)
        group.defaults = defaults
        return group
    }

    /// The new values of a group, and the devices to which another value applies then.
    fileprivate func planGroup(
        _ name: String, with patch: JSONValue
    ) throws(Problem) -> (defaults: DeviceDefaults, changed: [(old: Device, new: Device)]) {
        if let flaw = Identifier.flaw(inNames: [name], field: "group") { throw flaw }
        let defaults = try DeviceDefaults(json: store.defaults(ofGroup: name).json.patched(with: patch), of: .group)
        return (defaults, try devices(changedBy: defaults, ofGroup: name))
    }

    /// The devices to which another value applies with new values of a group, or of the settings if the name is empty.
    fileprivate func devices(
        changedBy defaults: DeviceDefaults, ofGroup name: String
    ) throws(Problem) -> [(old: Device, new: Device)] {
        var (general, ofGroups) = try store.deviceDefaults()
        if name.isEmpty { general = defaults } else { ofGroups[name] = defaults }
        return try devices().compactMap { old in
            guard name.isEmpty || old.groups.contains(name) else { return nil }
            var new = old
            new.inherit(InheritedDefaults(groups: old.groups, general: general, ofGroups: ofGroups))
            return new == old ? nil : (old, new)
        }
    }
}

extension ServiceWriter {
    /// Changes the values of a group for its devices without their own values. For each device to which another value applies then, the
    /// change is an input of the input log, as if the device itself had been changed.
    ///
    /// - Parameters:
    ///   - patch: A merge patch (RFC 7396) of the group's values.
    ///   - preview: What `previewGroup` has returned. Its numbers of devices, geofences and deleted positions are in the result, so that
    ///     they are not counted again; those of devices and geofences are counted when it is nil.
    /// - Throws: `Problem.validationFailed` that names the field.
    package func patchGroup(
        _ name: String, with patch: JSONValue, preview: GroupEdit? = nil
    ) throws(Problem) -> GroupEdit {
        let (defaults, changed) = try planGroup(name, with: patch)
        var group = if let preview { preview.group } else { try self.group(name, with: defaults) }
        group.defaults = defaults
        let events = try save(defaults, ofGroup: name, changing: changed.map(\.new))
        return GroupEdit(
            group: group, isApplied: true, changedDevices: changed.count, deletion: preview?.deletion, events: events)
    }

    /// Applies the values of the service's settings to all devices without other values.
    ///
    /// - Returns: The events that follow.
    @discardableResult
    package func saveGeneralDefaults(_ defaults: DeviceDefaults) throws(Problem) -> [Event] {
        if try store.deviceDefaults().general == defaults { return [] }
        let changed = try devices(changedBy: defaults, ofGroup: "")
        return try save(defaults, ofGroup: "", changing: changed.map(\.new))
    }

    private func save(
        _ defaults: DeviceDefaults, ofGroup name: String, changing devices: [Device]
    ) throws(Problem) -> [Event] {
        try transaction { () throws(Problem) in
            try store.save(defaults, ofGroup: name)
            var events: [Event] = []
            for device in devices { events += try saveChecked(device) }
            return events
        }
    }
}
