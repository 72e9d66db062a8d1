/// The devices to which a token is restricted: some by id, and the members of some groups.
package struct DeviceScope: Hashable, Sendable {
    /// Ids of devices. They need not exist. The empty id, which no device has, stands for devices that were erased.
    package var devices: Set<String>
    package var groups: Set<String>

    package init(devices: some Sequence<String>, groups: some Sequence<String> = []) {
        self.devices = Set(devices.lazy.map(\.inNormalForm))
        self.groups = Set(groups.lazy.map(\.inNormalForm))
    }

    /// The largest number of devices and of groups in a scope.
    package static let maximumNames = 1000

    /// Whether the scope contains a device that belongs to these groups now.
    package func contains(_ device: String, in groups: some Sequence<String>) -> Bool {
        devices.contains(device) || groups.contains { self.groups.contains($0) }
    }

    /// The only device of the scope; nil when it has several, or a group.
    package var onlyDevice: String? { groups.isEmpty && devices.count == 1 ? devices.first : nil }

    /// The ids of `devices` for people, ascending.
    package var listedIDs: [String] { devices.filter { !$0.isEmpty }.sorted() }

    /// The first invalid name; nil when all are valid.
    var flaw: Problem? {
        for (field, names) in [("devices", devices), ("groups", groups)] where names.count > Self.maximumNames {
            return .validationFailed(
                field: field, value: "\(names.count)", reason: .tooMany, expected: .atMost(Self.maximumNames))
        }
        for id in devices.sorted() {
            guard let reason = Identifier.flaw(inDevice: id) else { continue }
            return .validationFailed(
                field: onlyDevice == nil ? "devices" : "device", value: id, reason: reason, expected: .deviceID)
        }
        return Identifier.flaw(inNames: groups.sorted(), field: "groups")
    }
}
