/// A source of positions: a phone, a tracker or a file.
public struct Device: Hashable, Sendable {
    /// The device's operating system, whose rules for region monitoring apply.
    public enum Platform: String, CaseIterable, Sendable {
        /// iOS and iPadOS.
        case ios
        /// Android with Google Play services.
        case android
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
    /// The names of the groups that the device belongs to.
    public var groups: [String]
    /// The operating system; nil if it is unknown or is not a phone's.
    public var platform: Platform?
    /// Where the registrations of the device are.
    public var registry: Registry
    /// Whether a running service repairs the device's registrations automatically.
    public var autoRepair: Bool
    /// The name of the zone, in the IANA database, of the times that the device sends without an offset from UTC; nil for UTC.
    public var inputTimeZone: String?
    /// The device's own values. If one is nil, that of `inherited` applies.
    package var own: DeviceDefaults
    /// The values that the device gets from its groups and from the settings.
    package var inherited: InheritedDefaults {
        get { inheritedValues.first ?? InheritedDefaults() }
        set { inheritedValues = newValue == InheritedDefaults() ? [] : [newValue] }
    }
    /// At most one element. A device that inherits nothing takes less memory with an empty array.
    private var inheritedValues: [InheritedDefaults] = []

    /// Creates a device. Texts are brought to normal form C; `flaw` checks them. Without a name, the id is the name.
    public init(
        id: String, name: String? = nil, groups: [String] = [], policy: PolicyOverride = PolicyOverride(),
        platform: Platform? = nil, registry: Registry = .none, autoRepair: Bool = false,
        silentAfter: Double? = nil, keepPositions: Double? = nil
    ) {
        self.id = id.inNormalForm
        self.name = name?.inNormalForm ?? self.id
        self.groups = groups.map(\.inNormalForm)
        self.platform = platform
        self.registry = registry
        self.autoRepair = autoRepair
        own = DeviceDefaults(
            silentAfter: silentAfter, policy: policy.isEmpty ? nil : policy, keepPositions: keepPositions)
    }

    /// The policy that applies. Setting it changes the device's own; an empty one lets the inherited one apply.
    public var policy: PolicyOverride {
        get { own.policy ?? inherited.values.policy ?? PolicyOverride() }
        set { own.policy = newValue.isEmpty ? nil : newValue }
    }

    /// The device is silent after this many seconds without a sign of life. Setting it changes the device's own value.
    public var silentAfter: Double {
        get { own.silentAfter ?? inherited.values.silentAfter ?? Device.defaultSilentAfter }
        set { own.silentAfter = newValue }
    }

    /// How long positions of the device are kept, in seconds: infinite for forever, 0 for none; nil for the service's setting. Setting it
    /// changes the device's own value.
    public var keepPositions: Double? {
        get { own.keepPositions ?? inherited.values.keepPositions }
        set { own.keepPositions = newValue }
    }

    /// `keepPositions` of the device itself or of a group; nil if the service's setting applies.
    package var specificKeepPositions: Double? {
        own.keepPositions == nil && inherited.source(of: "keepPositions") == .setting ? nil : keepPositions
    }

    /// The values that apply: the device's own, else those that it inherits, else the built-in ones.
    package var applied: DeviceDefaults {
        var values = own
        values.fill(from: inherited.values)
        values.fill(from: .builtIn)
        return values
    }

    /// Changes the inherited values. Those for which the device has its own are left out.
    package mutating func inherit(_ values: InheritedDefaults) {
        inherited = values
        for field in DeviceDefaults.fields where field.isSet(own) { inherited.remove(field) }
    }

    /// The largest `silentAfter` in seconds: a year of 366 days.
    public static let maximumSilentAfter = 366.0 * 86_400
    /// The default of `silentAfter` in seconds: six hours.
    public static let defaultSilentAfter = 6.0 * 3600

    /// The largest finite `keepPositions` in seconds: a hundred years.
    public static let maximumKeepPositions = TimeSpan.longest
}
