/// Something that reports positions: a phone, a tracker, a file.
public struct Device: Hashable, Sendable {
    /// Whose rules the device's operating system follows.
    public enum Platform: String, CaseIterable, Sendable {
        case ios, android
    }

    /// Where the device's operating-system registrations can be read and changed.
    public enum Registry: String, CaseIterable, Sendable {
        /// A simulated operating system beside the store.
        case simulated
        /// A phone's OwnTracks app.
        case owntracks
        /// An app of one's own that reports its regions.
        case app
        /// Not managed.
        case none
    }

    /// 1 to 128 characters, unique in a store.
    public var id: String
    /// For people.
    public var name: String
    public var groups: [String]
    public var policy: PolicyOverride
    public var platform: Platform?
    public var registry: Registry
    /// Whether a running service repairs its registrations by itself.
    public var autoRepair: Bool
    /// After so many seconds without a sign the device is silent.
    public var silentAfter: Double
    /// How long its positions are kept: seconds, infinite for ever, 0 for not at all; nil: as long as the store keeps those of all.
    public var keepPositions: Double?

    public init(
        id: String, name: String? = nil, groups: [String] = [], policy: PolicyOverride = PolicyOverride(),
        platform: Platform? = nil, registry: Registry = .none, autoRepair: Bool = false,
        silentAfter: Double = Device.usualSilence, keepPositions: Double? = nil
    ) {
        self.id = id
        self.name = name ?? id
        self.groups = groups
        self.policy = policy
        self.platform = platform
        self.registry = registry
        self.autoRepair = autoRepair
        self.silentAfter = silentAfter
        self.keepPositions = keepPositions
    }

    /// A year of 366 days, in seconds.
    public static let longestSilence = 366.0 * 86_400
    /// Six hours, in seconds.
    public static let usualSilence = 6.0 * 3600

    /// The most seconds for which positions can be kept, but for ever: a hundred years.
    public static let longestKeeping = 36_525.0 * 86_400

    /// The first thing that is wrong with the device's own values.
    public var flaw: Problem? {
        if let reason = Identifier.flaw(inDevice: id) {
            return .validationFailed(
                field: "id", value: id, reason: reason, expected: "1 to 128 characters without control characters")
        }
        if name.isEmpty || name.count > 120 {
            return .validationFailed(
                field: "name", value: name, reason: name.isEmpty ? "it is empty" : "it is too long",
                expected: "1 to 120 characters")
        }
        if !(silentAfter > 0 && silentAfter <= Self.longestSilence) {
            return .validationFailed(
                field: "silentAfter", value: JSONValue(silentAfter).description,
                reason: silentAfter > 0 ? "it is too long" : "it is not positive",
                expected: "seconds, more than 0, at most a year")
        }
        if let keepPositions, !(keepPositions >= 0 && (keepPositions <= Self.longestKeeping || keepPositions == .infinity)) {
            return .validationFailed(
                field: "keepPositions", value: JSONValue(keepPositions).description,
                reason: keepPositions < 0 ? "it is negative" : "it is too long",
                expected: "seconds, at most a hundred years, or 0 to keep none")
        }
        return nil
    }
}
