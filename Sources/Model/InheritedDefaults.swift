/// The values that a device gets from its groups or from the settings.
package struct InheritedDefaults: Hashable, Sendable {
    /// Where a value comes from.
    package enum Source: Hashable, Sendable {
        /// The settings of the service, for all devices.
        case setting
        case group(String)
    }

    package private(set) var values = DeviceDefaults()
    /// For each of the fields, in their order, the source of its value. Empty if there are no values.
    private var sources: [Source?] = []

    package init() {}

    /// The values that a device of these groups inherits. A value of a group takes precedence over one of the settings.
    ///
    /// If several groups have values, the smallest number applies, such as the shortest time. Other values are those of the first
    /// group, by name, that has them.
    ///
    /// - Parameters:
    ///   - groups: The device's groups, in any order.
    ///   - general: The values of the settings.
    ///   - ofGroups: The values of each group that has any.
    package init(groups: [String], general: DeviceDefaults, ofGroups: [String: DeviceDefaults]) {
        let known = Set(groups).sorted().compactMap { name in ofGroups[name].map { (name, $0) } }
        for field in DeviceDefaults.fields {
            let found = known.filter { field.isSet($0.1) }
            let first = found.min { (field.stored($0.1).number ?? 0) < (field.stored($1.1).number ?? 0) }
            if let (name, defaults) = first {
                inherit(field, from: defaults, .group(name))
            } else if field.isSet(general) {
                inherit(field, from: general, .setting)
            }
        }
    }

    /// The source of the value of a field; nil if the field has none.
    package func source(of name: String) -> Source? {
        sources.isEmpty ? nil : DeviceDefaults.fields.firstIndex { $0.name == name }.flatMap { sources[$0] }
    }

    mutating func remove(_ field: EntityField<DeviceDefaults>) {
        field.remove(from: &values)
        record(nil, of: field)
    }

    private mutating func inherit(_ field: EntityField<DeviceDefaults>, from other: DeviceDefaults, _ source: Source) {
        field.copy(&values, other)
        record(source, of: field)
    }

    private mutating func record(_ source: Source?, of field: EntityField<DeviceDefaults>) {
        if sources.isEmpty { sources = DeviceDefaults.fields.map { _ in nil } }
        for (index, other) in DeviceDefaults.fields.enumerated() where other.name == field.name { sources[index] = source }
        if sources.allSatisfy({ $0 == nil }) { sources = [] }
    }
}

extension InheritedDefaults {
    /// The values of a device that are not its own, as an object: for each, its `value`, and in `from` its source: `group` (with the name in
    /// `group`), `setting`, or `default` for a built-in one.
    package static func json(of device: Device) -> JSONValue {
        let (own, applied) = (device.own.json, device.applied.json)
        let members = (applied.members ?? []).filter { own[$0.name] == nil }
        return .object(
            members.map { member -> JSONValue.Member in
                switch device.inherited.source(of: member.name) {
                case nil: .init(member.name, ["value": member.value, "from": "default"])
                case .setting: .init(member.name, ["value": member.value, "from": "setting"])
                case .group(let name): .init(member.name, ["value": member.value, "from": "group", "group": .string(name)])
                }
            })
    }

    /// Decodes what `json(of:)` encodes; nil stands for an object without members.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    package init(json: JSONValue?) throws(Problem) {
        self.init()
        guard let json else { return }
        let values = try Self.values(json)
        for field in DeviceDefaults.fields where field.isSet(values) {
            switch (json[field.name]?["from"]?.string, json[field.name]?["group"]?.string) {
            case ("setting", _): inherit(field, from: values, .setting)
            case ("group", let group?): inherit(field, from: values, .group(group))
            default: break
            }
        }
    }

    /// The values in what `json(of:)` encodes, including the built-in ones.
    static func values(_ json: JSONValue) throws(Problem) -> DeviceDefaults {
        let members = (json.members ?? []).compactMap { member in
            member.value["value"].map { JSONValue.Member(member.name, $0) }
        }
        return try DeviceDefaults(json: .object(members), of: .device)
    }
}
