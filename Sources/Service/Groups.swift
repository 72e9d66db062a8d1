import Model
import Store

extension Queries {
    /// A group. It exists as long as a device belongs to it or a geofence is for it.
    package struct Group: Hashable, Sendable {
        package var name: String
        /// The number of devices that belong to the group.
        package var devices: Int
        /// The number of geofences that are for the group.
        package var geofences: Int
    }
}

extension QueryBackend {
    /// All groups, sorted by name.
    package func groups() throws(Problem) -> [Queries.Group] {
        typealias Group = Queries.Group
        var found: [String: Group] = [:]
        for device in try devices() {
            for name in Set(device.groups) { found[name, default: Group(name: name, devices: 0, geofences: 0)].devices += 1 }
        }
        try forEachGeofence(matching: nil) { geofence in
            for name in Set(geofence.groups) {
                found[name, default: Group(name: name, devices: 0, geofences: 0)].geofences += 1
            }
        }
        return found.values.sorted { $0.name < $1.name }
    }

    /// The devices of a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func devices(inGroup name: String) throws(Problem) -> [Device] {
        try check(group: name)
        return try devices().filter { $0.groups.contains(name) }
    }

    /// Calls `body` with each geofence that is for a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func forEachGeofence(
        inGroup name: String, matching text: String? = nil, _ body: (Geofence) throws(Problem) -> Void
    ) throws(Problem) {
        try check(group: name)
        try forEachGeofence(matching: text) { geofence throws(Problem) in
            if geofence.groups.contains(name) { try body(geofence) }
        }
    }

    private func check(group name: String) throws(Problem) {
        let names = try groups().map(\.name)
        if !names.contains(name) {
            throw .notFound(kind: .group, id: name, similar: Suggestions.similar(to: name, among: names))
        }
    }
}

extension Queries.Group {
    package var json: JSONValue {
        ["group": .string(name), "devices": JSONValue(devices), "geofences": JSONValue(geofences)]
    }
}
