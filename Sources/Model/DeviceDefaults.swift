/// Values that a device can have itself, or get from a group or from the settings. Nil means that there is no value.
package struct DeviceDefaults: Hashable, Sendable {
    /// Seconds; see `Device.silentAfter`.
    package var silentAfter: Double?
    /// Not empty.
    package var policy: PolicyOverride? { didSet { if policy?.isEmpty == true { policy = nil } } }
    /// Seconds; infinite for forever, 0 for none; see `Device.keepPositions`.
    package var keepPositions: Double?
    /// The time windows in which sinks get only emergencies of the device, in the time zone of each sink. An empty list means no
    /// quiet hours.
    package var quietHours: [WeeklyWindow]?

    package init(
        silentAfter: Double? = nil, policy: PolicyOverride? = nil, keepPositions: Double? = nil,
        quietHours: [WeeklyWindow]? = nil
    ) {
        self.silentAfter = silentAfter
        self.policy = policy?.nonEmpty
        self.keepPositions = keepPositions
        self.quietHours = quietHours
    }

    /// The fields. If several groups have values, the smallest number applies; any other value is that of the first group that
    /// has one.
    package static let fields: [EntityField<DeviceDefaults>] = [
        .init(
            "silentAfter", optional: .seconds(TimeSpan.moreThanNone...Device.maximumSilentAfter, acceptsBareSeconds: true),
            at: \.silentAfter, removal: "none",
            help: "Time without a message after which a device is silent",
            option: .init("DURATION", "for example 30m", builtIn: "6h"), affectsTransitions: true,
            line: { Phrase("silent after \(duration: $0.silentAfter ?? Device.defaultSilentAfter)") }),
        .init(
            "policy", optional: .policy, at: \.policy, removal: "none", help: "Decision policy",
            option: .init("POLICY", "exact, balanced, phone or JSON", builtIn: "balanced"), affectsTransitions: true,
            line: { Phrase("policy \(($0.policy ?? PolicyOverride()).nameOrJSON)") }),
        .init(
            "keepPositions", optional: .seconds(0...Device.maximumKeepPositions, or: .zeroOrForever), at: \.keepPositions,
            removal: "none", help: "How long positions are kept", option: .init("DURATION", "for example 90d, 0 or forever"),
            line: { values in
                let seconds = values.keepPositions ?? .infinity
                if seconds == 0 { return Phrase("positions are not kept") }
                return seconds.isFinite
                    ? Phrase("positions are kept for \(duration: seconds)") : Phrase("positions are kept forever")
            }),
        .init(
            "quietHours", optional: .windows, at: \.quietHours, removal: "none",
            help: "When sinks get only emergencies, in the time zone of each sink",
            option: .init("TIMES", "for example '22:00-07:00; sat,sun 00:00-24:00'; never"), affectsTransitions: true,
            line: { values in
                let windows = values.quietHours ?? []
                if windows.isEmpty { return Phrase("no quiet hours") }
                return Phrase("quiet hours \(windows.map(\.text).joined(separator: "; "))")
            }),
    ]

    /// The values of a device for which no other one is set.
    package static let builtIn = DeviceDefaults(silentAfter: Device.defaultSilentAfter)
    fileprivate static let empty = DeviceDefaults()
    /// The names of the members in JSON, for sentences.
    package static let names = fields.dropLast().map(\.name).joined(separator: ", ") + " and " + fields[fields.count - 1].name

    package var isEmpty: Bool { self == .empty }

    /// Sets those values that are missing to the ones of another.
    mutating func fill(from other: DeviceDefaults) {
        for field in Self.fields where !field.isSet(self) { field.copy(&self, other) }
    }

    /// Removes the values that another one has as well.
    package mutating func removeValues(equalTo other: DeviceDefaults) {
        for field in Self.fields where field.isEqual(self, other) { field.copy(&self, .empty) }
    }
}

extension EntityField<DeviceDefaults> {
    /// Whether there is a value.
    package func isSet(_ values: DeviceDefaults) -> Bool { !isEqual(values, .empty) }

    package func remove(from values: inout DeviceDefaults) { copy(&values, .empty) }
}

extension DeviceDefaults: JSONWritable {
    package static let output = JSONOutput<DeviceDefaults>(
        "DeviceDefaults", summary: "Values for devices without their own values", fields: fields)

    package var json: JSONValue { json(in: AnswerLocale()) }

    /// Decodes what `json` encodes.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    package init(json: JSONValue, of what: JSONObjectKind) throws(Problem) {
        var fields = try JSONFields(json, of: what)
        try self.init(&fields)
        try fields.finish()
    }

    /// Reads the members from an object that may have others.
    package init(_ fields: inout JSONFields) throws(Problem) {
        self.init()
        for field in Self.fields { try field.read(&self, &fields) }
        if let flaw { throw flaw }
    }

    /// The first invalid value; nil when all are valid.
    package var flaw: Problem? { Self.fields.flaw(in: self) }
}
