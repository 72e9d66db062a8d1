extension Device: JSONWritable {
    /// The fields that a device has itself; see also `DeviceDefaults.fields`.
    package static let fields: [EntityField<Device>] = [
        .init("id", .deviceID, at: \.id, help: "Id, 1 to 128 characters"),
        .init("name", .name, at: \.name, help: "Name for people", option: .init("NAME", "default: the id")),
        .init(
            "groups", .nameList, at: \.groups, help: "Groups that it belongs to",
            option: .init("LIST", "none for no group"), affectsTransitions: true,
            line: { $0.groups.isEmpty ? nil : Phrase("groups \(list: $0.groups)") }),
        .init(
            "platform", optional: .word, at: \.platform, help: "Platform of its operating system",
            option: .init("PLATFORM", "ios or android; the phone is simulated unless --registry says otherwise"),
            line: { device in
                guard let platform = device.platform else { return nil }
                let registry = device.registry == .simulated ? Phrase("(simulated)") : .verbatim(device.registry.rawValue)
                let line = Phrase("platform \(platform.rawValue), registry \(registry)")
                return device.autoRepair ? Phrase("\(line), repaired automatically") : line
            }),
        .init(
            "registry", .word, at: \.registry, help: "Source of the phone's regions",
            option: .init("KIND", "app (your app reports them), owntracks, simulated (no real phone), or none")),
        .init(
            "autoRepair", .flag("on", "off"), at: \.autoRepair,
            help: "Whether a running service repairs the device's registrations automatically",
            option: .init("SWITCH", "on or off", builtIn: "off")),
        .init(
            "inputTimeZone", optional: .text, at: \.inputTimeZone, removal: "none",
            help: "Time zone of times that it sends without an offset from UTC, for example Europe/Berlin",
            option: .init("ZONE", "none for UTC", name: "--input-timezone"),
            line: { device in device.inputTimeZone.map { Phrase("times without a time zone are read as \($0)") } }),
    ]

    package static let output = JSONOutput<Device>(
        "DeviceFields", summary: "The settings of a device", .init(fields[...]),
        .init(DeviceDefaults.fields) { [$0.own, $0.inherited.values, .builtIn] },
        .init(
            "inherited", optional: .anyObject,
            summary: "The values of \(DeviceDefaults.names) that the device inherits. Each has its value in 'value', and its "
                + "source in 'from': 'group' (with its name in 'group'), 'setting' or 'default'",
            content: { device in InheritedDefaults.json(of: device).members.flatMap { $0.isEmpty ? nil : $0 } }))

    package var json: JSONValue { json(in: AnswerLocale()) }

    /// Decodes a device from JSON. Members that only answers have, such as the last fix, are ignored.
    ///
    /// A platform without a registry means a simulated registry, as on the command line.
    ///
    /// - Parameter id: The device's id. An id in the JSON must be equal to it.
    /// - Throws: `Problem.validationFailed`, which names the field.
    package init(json: JSONValue, id: String) throws(Problem) {
        // A name has at most 120 characters, an id up to 128.
        self.init(id: id, name: String(id.prefix(120)))
        var fields = try JSONFields(json, of: .device)
        for field in Self.fields { try field.read(&self, &fields) }
        if self.id != id.inNormalForm {
            throw .validationFailed(field: "id", value: self.id, reason: .idDiffers, expected: .thisOrNone(id))
        }
        own = try DeviceDefaults(&fields)
        if platform != nil, fields.value("registry") == nil { registry = .simulated }
        if let inherited = fields.value("inherited") {
            // Inherited values do not become the device's own when a client sends an answer back.
            self.inherited = try InheritedDefaults(json: inherited)
            own.removeValues(equalTo: try InheritedDefaults.values(inherited))
        }
        fields.allow(
            "lastFix", "battery", "lastHeard", "isDoubted", "inside", "silentSince", "notEvaluated", "problemCodes", "problems",
            "refusedInput", "deletion", "eventCount", "hasOwnTracksKey")
        try fields.finish()
        if let flaw { throw flaw }
    }

    /// The first invalid value of the device; nil when all are valid.
    public var flaw: Problem? {
        if let flaw = Self.fields.flaw(in: self) ?? own.flaw { return flaw }
        if registry != .none, platform == nil {
            return .validationFailed(
                field: "platform", value: "", reason: Phrase("a device whose registrations are managed needs a platform"),
                expected: Phrase("ios or android"))
        }
        if autoRepair, registry == .none {
            return .validationFailed(
                field: "autoRepair", value: "true", reason: .nothingToRepair, expected: Phrase("a device with a registry"))
        }
        return nil
    }

    /// Whether the other device has the same values of the fields on which transitions depend.
    package func hasSameSettings(as other: Device) -> Bool {
        let (mine, others) = (applied, other.applied)
        return Self.fields.allSatisfy { !$0.affectsTransitions || $0.isEqual(self, other) }
            && DeviceDefaults.fields.allSatisfy { !$0.affectsTransitions || $0.isEqual(mine, others) }
    }
}
