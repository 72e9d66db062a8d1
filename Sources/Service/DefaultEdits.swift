import Model
import Store

extension Queries {
    /// What a device of these groups inherits.
    func inheritedDefaults(ofGroups groups: [String]) throws(Problem) -> InheritedDefaults {
        let (general, ofGroups) = try store.deviceDefaults()
        return InheritedDefaults(groups: groups, general: general, ofGroups: ofGroups)
    }

    /// The values of a group for its devices that have none of their own.
    package func defaults(ofGroup name: String) throws(Problem) -> DeviceDefaults {
        try store.deviceDefaults().ofGroups[name] ?? DeviceDefaults()
    }
}

extension ServiceWriter {
    /// What followed from a change of a group.
    package struct GroupEdit: Sendable {
        package var group: Queries.Group
        /// The number of devices for which another value holds now.
        package var changedDevices: Int
        package var events: [Event]

        package init(group: Queries.Group, changedDevices: Int, events: [Event]) {
            self.group = group
            self.changedDevices = changedDevices
            self.events = events
        }

        package var json: JSONValue {
            .object(
                (group.json.members ?? []) + [
                    .init("changedDevices", JSONValue(changedDevices)), .init("events", .array(events.map(\.json))),
                ])
        }
    }

    /// Changes the values of a group for its devices that have none of their own. Each device for which another value holds gets it as an
    /// input of the input log, as if it had been changed itself.
    ///
    /// - Parameter patch: A merge patch (RFC 7396) of the group's values.
    /// - Throws: `Problem.validationFailed` that names the field.
    package func patchGroup(_ name: String, with patch: JSONValue) throws(Problem) -> GroupEdit {
        if name.isEmpty || name.count > 120 {
            throw .validationFailed(field: "group", value: name, reason: name.isEmpty ? .empty : .tooLong, expected: .name)
        }
        guard patch.members != nil else {
            throw .validationFailed(
                field: "body", value: String(patch.description.prefix(60)), reason: .notAnObject, expected: .objectOfChanges)
        }
        let defaults = try DeviceDefaults(json: defaults(ofGroup: name).json.merged(with: patch), of: "a group")
        let (changed, events) = try saveDefaults(defaults, ofGroup: name)
        // A group without values, devices and geofences is gone.
        let group = try groups().first { $0.name == name } ?? Group(name: name)
        return GroupEdit(group: group, changedDevices: changed, events: events)
    }

    /// Applies the values of the service's settings to all devices that have no other ones.
    ///
    /// - Returns: The events that follow.
    @discardableResult
    package func saveGeneralDefaults(_ defaults: DeviceDefaults) throws(Problem) -> [Event] {
        if try store.deviceDefaults().general == defaults { return [] }
        return try saveDefaults(defaults, ofGroup: "").events
    }

    private func saveDefaults(
        _ defaults: DeviceDefaults, ofGroup name: String
    ) throws(Problem) -> (changed: Int, events: [Event]) {
        try transaction { () throws(Problem) in
            try store.save(defaults, ofGroup: name)
            let (general, ofGroups) = try store.deviceDefaults()
            var changed = 0
            var events: [Event] = []
            for stored in try store.devices() where name.isEmpty || stored.device.groups.contains(name) {
                var device = stored.device
                device.inherit(InheritedDefaults(groups: device.groups, general: general, ofGroups: ofGroups))
                if device.inherited == stored.device.inherited { continue }
                changed += 1
                events += try saveInTransaction(device)
            }
            return (changed, events)
        }
    }
}
