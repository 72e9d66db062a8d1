/// A source of positions: a phone, a tracker or a file.
public struct Device: Hashable, Sendable {
    /// The device's operating system, whose rules for region monitoring apply.
    public enum Platform: String, CaseIterable, Sendable {
        case ios, android
    }

    /// Where the regions that the device's operating system monitors can be read and changed.
    public enum Registry: String, CaseIterable, Sendable {
        /// A simulated operating system, stored beside the store.
        case simulated
        /// The OwnTracks app on a phone.
        case owntracks
        /// The operator's own app, which reports its regions.
        case app
        /// The registrations are not managed.
        case none
    }

    /// 1 to 128 characters in Unicode's normal form C, unique within a store.
    public var id: String
    /// The name for people, 1 to 120 characters.
    public var name: String
    public var groups: [String]
    public var policy: PolicyOverride
    public var platform: Platform?
    public var registry: Registry
    /// Whether a running service repairs the device's registrations automatically.
    public var autoRepair: Bool
    /// The device is silent after this many seconds without a sign of life.
    public var silentAfter: Double
    /// How long positions of the device are kept, in seconds: infinite for forever, 0 for none; nil for the store's default.
    public var keepPositions: Double?

    public init(
        id: String, name: String? = nil, groups: [String] = [], policy: PolicyOverride = PolicyOverride(),
        platform: Platform? = nil, registry: Registry = .none, autoRepair: Bool = false,
        silentAfter: Double = Device.defaultSilentAfter, keepPositions: Double? = nil
    ) {
        self.id = id.inNormalForm
        self.name = name ?? self.id
        self.groups = groups.map(\.inNormalForm)
        self.policy = policy
        self.platform = platform
        self.registry = registry
        self.autoRepair = autoRepair
        self.silentAfter = silentAfter
        self.keepPositions = keepPositions
    }

    /// The largest `silentAfter` in seconds: a year of 366 days.
    public static let maximumSilentAfter = 366.0 * 86_400
    /// The default of `silentAfter` in seconds: six hours.
    public static let defaultSilentAfter = 6.0 * 3600

    /// The largest finite `keepPositions` in seconds: a hundred years.
    public static let maximumKeepPositions = TimeSpan.longest

    /// The first invalid value of the device; nil when all are valid.
    public var flaw: Problem? {
        if let reason = Identifier.flaw(inDevice: id) {
            return .validationFailed(
                field: "id", value: id, reason: reason, expected: .deviceID)
        }
        if name.isEmpty || name.count > 120 {
            return .validationFailed(
                field: "name", value: name, reason: name.isEmpty ? .empty : .tooLong,
                expected: .name)
        }
        if let flaw = TimeSpan.flaw(
            in: silentAfter, field: "silentAfter", range: TimeSpan.moreThanNone...Self.maximumSilentAfter)
        {
            return flaw
        }
        guard let keepPositions, keepPositions != .infinity else { return nil }
        return TimeSpan.flaw(
            in: keepPositions, field: "keepPositions", range: 0...Self.maximumKeepPositions, or: .zeroOrForever)
    }
}
