/// Values for devices that have none of their own: of a group, or of all devices. Nil means none.
public struct DeviceDefaults: Hashable, Sendable {
    /// Seconds, as `Device.silentAfter`.
    public var silentAfter: Double?
    public var policy: PolicyOverride?
    /// Seconds, as `Device.keepPositions`: infinite for forever, 0 for none.
    public var keepPositions: Double?
    /// Time windows in which sinks are sent nothing of the device, in the time zone of each sink. An empty list means no quiet hours.
    public var quietHours: [WeeklyWindow]?

    public init(
        silentAfter: Double? = nil, policy: PolicyOverride? = nil, keepPositions: Double? = nil,
        quietHours: [WeeklyWindow]? = nil
    ) {
        self.silentAfter = silentAfter
        self.policy = policy
        self.keepPositions = keepPositions
        self.quietHours = quietHours
    }

    public var isEmpty: Bool { self == DeviceDefaults() }
}

extension DeviceDefaults {
    /// The names of the members in JSON.
    package static let fields = ["silentAfter", "policy", "keepPositions", "quietHours"]

    /// The values as an object; nil values are left out.
    public var json: JSONValue {
        .compact([
            ("silentAfter", silentAfter.map { JSONValue($0) }),
            ("policy", policy.flatMap(\.json)),
            ("keepPositions", keepPositions.map { $0.isFinite ? JSONValue($0) : "forever" }),
            ("quietHours", quietHours.map { windows in JSONValue.array(windows.map { JSONValue.string($0.text) }) }),
        ])
    }

    /// Decodes what `json` writes.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    package init(json: JSONValue, of what: String) throws(Problem) {
        var fields = try JSONFields(json, of: what)
        self = try DeviceDefaults(&fields)
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
