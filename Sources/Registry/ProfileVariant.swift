import Model

extension PlatformProfile {
    /// The ways in which one platform can handle regions.
    public enum Variant: String, CaseIterable, Sendable {
        /// `CLLocationManager` on iOS, `GeofencingClient` on Android.
        case standard
        /// `CLMonitor`, which iOS has since version 17.
        case clmonitor
        /// The platform's standard way with other limits.
        case custom
    }

    /// `CLMonitor` on iOS 17 and later.
    ///
    /// Sources: Apple's reference of `CLMonitor` and `CLMonitor.CircularGeographicCondition`, and the session "Meet Core Location Monitor"
    /// (WWDC 2023):
    ///
    /// - An app can monitor 20 conditions. One more is kept, but its state is `CLMonitoringState.unmonitored`, and
    ///   `CLMonitor.Event.conditionLimitExceeded` says that there are too many (iOS 18).
    /// - `add(_:identifier:)` returns no error. While a condition with the identifier is live, the call has no effect, as
    ///   developers found: the condition has to be removed first.
    /// - A new condition's state is `unknown`, and each change of the state is an event. So the first state is reported, too.
    /// - `record(for:)` has the latest state. It is used instead of a request for the state.
    /// - A condition has no options for its notifications.
    ///
    /// A condition that iOS cannot monitor (`CLMonitor.Event.conditionUnsupported`) is reported as `CLLocationManager` reports it.
    public static let clmonitor: PlatformProfile = {
        var profile = ios
        profile.variant = .clmonitor
        profile.delays = []
        profile.replacesLiveRegions = false
        profile.listsRegionsOverLimit = true
        profile.reportsInitialState = true
        profile.hasNotificationOptions = false
        return profile
    }()

    /// A platform's standard way with other limits.
    ///
    /// - Parameters:
    ///   - platform: The platform whose other rules apply.
    ///   - limit: The maximum number of regions; at least 2, one of which may be the sentinel.
    ///   - largestRadius: In meters; nil for the platform's.
    ///   - exitBuffer: Meters beyond the boundary at which an exit is reported; nil for the platform's.
    public static func custom(
        _ platform: Device.Platform, limit: Int, largestRadius: Double? = nil, exitBuffer: Double? = nil
    ) -> PlatformProfile {
        var profile = PlatformProfile(platform)
        profile.variant = .custom
        profile.limit = limit
        if let largestRadius { profile.largestRadius = largestRadius }
        if let exitBuffer { profile.exitBuffer = exitBuffer }
        return profile
    }

    /// The numbers of regions that a custom profile can allow.
    public static let customLimits = 2...1000
    /// The largest radii, in meters, that a custom profile can have.
    public static let customLargestRadii = 200.0...10_000_000
    /// The exit buffers, in meters, that a custom profile can have.
    public static let customExitBuffers = 0.0...10_000

    /// The platform's name, and the variant unless it is the standard one: `iOS, clmonitor`.
    public var fullName: String { variant == .standard ? name : "\(name), \(variant.rawValue)" }
}
