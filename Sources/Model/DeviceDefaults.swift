/// Values that a device can have itself, or get from a group or from the settings. Nil means that there is no value.
package struct DeviceDefaults: Hashable, Sendable {
    /// Seconds; see `Device.silentAfter`.
    package var silentAfter: Double?
    package var policy: PolicyOverride?
    /// Seconds; infinite for forever, 0 for none; see `Device.keepPositions`.
    package var keepPositions: Double?
    /// The time windows in which sinks get nothing of the device but emergencies, in the time zone of each sink. An empty list means no quiet
    /// hours.
    package var quietHours: [WeeklyWindow]?

    package init(
        silentAfter: Double? = nil, policy: PolicyOverride? = nil, keepPositions: Double? = nil,
        quietHours: [WeeklyWindow]? = nil
    ) {
        self.silentAfter = silentAfter
        self.policy = policy
        self.keepPositions = keepPositions
        self.quietHours = quietHours
    }

    package var isEmpty: Bool { self == DeviceDefaults() }

    /// Removes the values that another one has as well.
    mutating func removeValues(equalTo other: DeviceDefaults) {
        if silentAfter == other.silentAfter { silentAfter = nil }
        if policy == other.policy { policy = nil }
        if keepPositions == other.keepPositions { keepPositions = nil }
        if quietHours == other.quietHours { quietHours = nil }
    }
}

extension DeviceDefaults: JSONWritable {
    package static let output = JSONOutput<DeviceDefaults>(
        "DeviceDefaults", summary: "Values for devices without their own values",
        .init(
            "silentAfter", optional: .number, summary: "Seconds without a report after which a device is silent",
            content: \.silentAfter),
        .init("policy", optional: .policy, content: { $0.policy?.nonEmpty }),
        .init(
            "keepPositions", optional: .limit("forever"), summary: "Seconds for which positions are kept",
            content: \.keepPositions),
        .init(
            "quietHours", optional: .list(of: .text),
            summary: "The times at which sinks get only emergencies, in the time zone of each sink, such as 22:00-06:00",
            content: { $0.quietHours?.map(\.text) }))

    /// The names of the members in JSON.
    package static let fields = ["silentAfter", "policy", "keepPositions", "quietHours"]

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
        silentAfter = try fields.number("silentAfter")
        if let json = fields.value("policy") {
            let policy = try PolicyOverride(json: json)
            self.policy = policy.isEmpty ? nil : policy
        }
        let keeping = fields.value("keepPositions")
        keepPositions = keeping?.string == "forever" ? .infinity : try fields.number("keepPositions")
        if fields.value("quietHours") != nil {
            var windows: [WeeklyWindow] = []
            for text in try fields.texts("quietHours") { windows.append(try WeeklyWindow(text, field: "quietHours")) }
            quietHours = windows
        }
        if let flaw { throw flaw }
    }

    /// The first invalid value; nil when all are valid.
    package var flaw: Problem? {
        if let silentAfter,
            let flaw = TimeSpan.flaw(
                in: silentAfter, field: "silentAfter", range: TimeSpan.moreThanNone...Device.maximumSilentAfter)
        {
            return flaw
        }
        guard let keepPositions, keepPositions != .infinity else { return nil }
        return TimeSpan.flaw(
            in: keepPositions, field: "keepPositions", range: 0...Device.maximumKeepPositions, or: .zeroOrForever)
    }
}
