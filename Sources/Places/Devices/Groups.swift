import Core
import Model
import Store

extension Queries {
    /// A group. It exists as long as a device belongs to it, a geofence is for it, or it has values for its devices.
    package struct Group: Hashable, Sendable {
        package var name: String
        /// The number of devices that belong to the group.
        package var devices: Int
        /// The number of geofences that are for the group.
        package var geofences: Int
        /// The values for its devices without their own values.
        package var defaults: DeviceDefaults

        package init(name: String, devices: Int = 0, geofences: Int = 0, defaults: DeviceDefaults = DeviceDefaults()) {
            self.name = name
            self.devices = devices
            self.geofences = geofences
            self.defaults = defaults
        }
    }

    /// All groups, sorted by name.
    package func groups() throws(Problem) -> [Group] {
        var defaults = try store.deviceDefaults().ofGroups
        if isRestricted {
            // A client whose token is restricted sees the values that its devices inherit, and no other group.
            let visible = Set(try devices().flatMap(\.groups))
            defaults = defaults.filter { visible.contains($0.key) }
        }
        return try groups(with: defaults)
    }
}

extension Queries {
    /// All groups, sorted by name: those that have values, and those that a device belongs to or a geofence is for.
    private func groups(with defaults: [String: DeviceDefaults]) throws(Problem) -> [Queries.Group] {
        typealias Group = Queries.Group
        var found: [String: Group] = [:]
        for (name, values) in defaults { found[name] = Group(name: name, defaults: values) }
        for device in try devices() {
            for name in Set(device.groups) { found[name, default: Group(name: name)].devices += 1 }
        }
        try forEachGeofence(matching: nil) { geofence in
            for name in Set(geofence.groups) { found[name, default: Group(name: name)].geofences += 1 }
        }
        return found.values.sorted { $0.name < $1.name }
    }
}

extension Queries {
    /// The devices of a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func devices(inGroup name: String) throws(Problem) -> [Device] {
        _ = try groups().named(name)
        return try store.devices(inGroup: name).map(\.device)
    }
}

extension [Queries.Group] {
    /// The group with a name. Throws `Problem.notFound` if there is none.
    package func named(_ name: String) throws(Problem) -> Queries.Group {
        if let group = first(where: { $0.name == name }) { return group }
        throw .notFound(kind: .group, id: name, similar: Suggestions.similar(to: name, among: map(\.name)))
    }
}

extension Queries.Group: JSONWritable {
    package static let output = JSONOutput<Queries.Group>(
        "Group", summary: "A group of devices, with the values for those without their own values",
        .init("group", kind: .text, summary: "The name", content: \.name),
        .init("devices", kind: .whole, summary: "The number of devices that belong to it", content: \.devices),
        .init("geofences", kind: .whole, summary: "The number of geofences that are for it", content: \.geofences),
        .init(membersOf: DeviceDefaults.output, content: \.defaults))

    package var json: JSONValue { json(in: AnswerLocale()) }
}
