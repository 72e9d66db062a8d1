import Model

/// The content and the settings of a registry at one moment.
public struct RegistrySnapshot: Hashable, Sendable {
    /// An incident after which an operating system may have lost regions.
    public enum Disruption: String, CaseIterable, Sendable {
        /// The device was started again.
        case reboot
        /// The app was installed again, or restored to another device.
        case reinstall
        /// The app's data was cleared (Android).
        case dataCleared
        /// The app was updated.
        case update
        /// The person stopped the app.
        case forceStop
        /// Location services were switched off.
        case locationOff
        /// The permission was revoked.
        case permissionRevoked
    }

    /// A registration that failed after its call had returned.
    public struct Failure: Hashable, Sendable {
        /// The region that is not registered.
        public var id: RegionID
        /// Why it is not.
        public var error: RegistryError
        /// When the failure was reported.
        public var at: Instant

        /// Creates a failure.
        public init(id: RegionID, error: RegistryError, at: Instant) {
            self.id = id
            self.error = error
            self.at = at
        }
    }

    /// When the registry was read.
    public var takenAt: Instant
    /// The location permission of the app.
    public var authorization: Authorization
    /// Whether location services are switched on.
    public var locationServicesEnabled: Bool
    /// Whether the app is allowed to know the precise location.
    public var preciseLocation: Bool
    /// Whether the app may run in the background when something happens; nil on platforms without this setting (Android).
    public var backgroundRefresh: Bool?
    /// Whether the operating system restricts the app to save battery; nil on platforms without this setting (iOS).
    public var batteryOptimized: Bool?
    /// All regions of the app, including foreign ones; nil if the list cannot be read.
    public var regions: [Region]?
    /// Where the operating system believes the device to be relative to each region, as far as it reports this.
    public var states: [RegionID: RegionState]
    /// The listed regions that the operating system does not monitor now, because there are more than it allows.
    public var unmonitored: Set<RegionID>
    /// For each region that failed and was not registered since, its latest failure.
    public var failures: [Failure]
    /// The time of the latest disruption of each kind that the app noticed.
    public var disruptions: [Disruption: Instant]

    /// Creates a snapshot. Without `regions`, the list cannot be read.
    public init(
        takenAt: Instant, authorization: Authorization = .always, locationServicesEnabled: Bool = true,
        preciseLocation: Bool = true, backgroundRefresh: Bool? = nil, batteryOptimized: Bool? = nil, regions: [Region]? = nil,
        states: [RegionID: RegionState] = [:], unmonitored: Set<RegionID> = [], failures: [Failure] = [],
        disruptions: [Disruption: Instant] = [:]
    ) {
        self.takenAt = takenAt
        self.authorization = authorization
        self.locationServicesEnabled = locationServicesEnabled
        self.preciseLocation = preciseLocation
        self.backgroundRefresh = backgroundRefresh
        self.batteryOptimized = batteryOptimized
        self.regions = regions
        self.states = states
        self.unmonitored = unmonitored
        self.failures = failures
        self.disruptions = disruptions
    }
}
