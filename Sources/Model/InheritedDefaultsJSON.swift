extension InheritedDefaults {
    /// The values of a device that are not its own, as an object: for each, its `value`, and in `from` its source: `group` (with the name in
    /// `group`), `setting`, or `default` for the built-in `silentAfter`.
    package static func json(of device: Device) -> JSONValue {
        let (inherited, own) = (device.inherited, device.own.json)
        let values = inherited.values.json
        let sources = [
            ("silentAfter", inherited.silentAfter?.source), ("policy", inherited.policy?.source),
            ("keepPositions", inherited.keepPositions?.source), ("quietHours", inherited.quietHours?.source),
        ]
        return .compact(
            sources.map { name, source in
                if own[name] != nil { return (name, nil) }
                if let source, let value = values[name] { return (name, json(value, from: source)) }
                let builtIn: JSONValue = ["value": JSONValue(Device.defaultSilentAfter), "from": "default"]
                return (name, name == "silentAfter" ? builtIn : nil)
            })
    }

    private static func json(_ value: JSONValue, from source: Source) -> JSONValue {
        switch source {
        case .setting: ["value": value, "from": "setting"]
        case .group(let name): ["value": value, "from": "group", "group": .string(name)]
        }
    }

    /// Decodes what `json(of:)` encodes; nil stands for an object without members.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    package init(json: JSONValue?) throws(Problem) {
        self.init()
        guard let json else { return }
        let values = try Self.values(json)
        func value<Content>(_ name: String, _ content: Content?) -> Value<Content>? {
            guard let content else { return nil }
            switch (json[name]?["from"]?.string, json[name]?["group"]?.string) {
            case ("setting", _): return Value(content, from: .setting)
            case ("group", let group?): return Value(content, from: .group(group))
            default: return nil
            }
        }
        silentAfter = value("silentAfter", values.silentAfter)
        policy = value("policy", values.policy)
        keepPositions = value("keepPositions", values.keepPositions)
        quietHours = value("quietHours", values.quietHours)
    }

    /// The values in what `json(of:)` encodes, also the built-in ones.
    static func values(_ json: JSONValue) throws(Problem) -> DeviceDefaults {
        let members = (json.members ?? []).compactMap { member in
            member.value["value"].map { JSONValue.Member(member.name, $0) }
        }
        return try DeviceDefaults(json: .object(members), of: .device)
    }
}
