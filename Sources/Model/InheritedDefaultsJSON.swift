extension InheritedDefaults {
    /// The inherited values of a device as an object: for each value that is not the device's own, `value`, and `from`: `group` (with the
    /// name in `group`), `setting`, or `default` for the value that holds when nobody has said anything.
    public static func json(of device: Device) -> JSONValue {
        let inherited = device.inherited
        func member<Content>(_ value: Value<Content>?, own: Content?, _ defaults: (Content) -> DeviceDefaults, _ name: String)
            -> (String, JSONValue?)
        {
            guard own == nil, let value else { return (name, nil) }
            return (name, source(value.source, defaults(value.value).json[name] ?? .null))
        }
        var silentAfter = member(inherited.silentAfter, own: device.own.silentAfter, { .init(silentAfter: $0) }, "silentAfter")
        if device.own.silentAfter == nil, silentAfter.1 == nil {
            silentAfter.1 = ["value": JSONValue(Device.defaultSilentAfter), "from": "default"]
        }
        return .compact([
            silentAfter,
            member(inherited.policy, own: device.own.policy, { .init(policy: $0) }, "policy"),
            member(inherited.keepPositions, own: device.own.keepPositions, { .init(keepPositions: $0) }, "keepPositions"),
            member(inherited.quietHours, own: device.own.quietHours, { .init(quietHours: $0) }, "quietHours"),
        ])
    }

    private static func source(_ source: Source, _ value: JSONValue) -> JSONValue {
        switch source {
        case .setting: ["value": value, "from": "setting"]
        case .group(let name): ["value": value, "from": "group", "group": .string(name)]
        }
    }

    /// Reads what `json(of:)` writes; nil for nothing.
    public init(json: JSONValue?) throws(Problem) {
        self.init()
        guard let json else { return }
        func read<Content>(_ name: String, _ content: (DeviceDefaults) -> Content?) throws(Problem) -> Value<Content>? {
            guard let entry = json[name], let value = entry["value"] else { return nil }
            let source: Source
            switch (entry["from"]?.string, entry["group"]?.string) {
            case ("setting", _): source = .setting
            case ("group", let group?): source = .group(group)
            default: return nil
            }
            return content(try DeviceDefaults(json: [name: value], of: "an inherited value")).map { Value($0, from: source) }
        }
        silentAfter = try read("silentAfter", \.silentAfter)
        policy = try read("policy", \.policy)
        keepPositions = try read("keepPositions", \.keepPositions)
        quietHours = try read("quietHours", \.quietHours)
    }
}
