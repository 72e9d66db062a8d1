import Model

/// What a registry says of itself at one moment.
public struct RegistrySnapshot: Hashable, Sendable {
    /// Something after which an operating system may hold fewer regions than before.
    public enum Disruption: String, CaseIterable, Sendable {
        case reboot, reinstall, dataCleared, update, forceStop, locationOff, permissionRevoked
    }

    /// A registration that failed after its call had returned.
    public struct Failure: Hashable, Sendable {
        public var id: RegionID
        public var error: RegistryError
        public var at: Instant

        public init(id: RegionID, error: RegistryError, at: Instant) {
            self.id = id
            self.error = error
            self.at = at
        }
    }

    public var takenAt: Instant
    public var authorization: Authorization
    public var locationServicesEnabled: Bool
    /// Whether the app may know the precise location.
    public var preciseLocation: Bool
    /// Whether the app may run in the background when something happens; nil where there is no such switch (Android).
    public var backgroundRefresh: Bool?
    /// Whether the system saves battery at the app's expense; nil where there is no such switch (iOS).
    public var batteryOptimized: Bool?
    /// Every region of the app, foreign ones too; nil when the list cannot be read.
    public var regions: [Region]?
    /// Where the system believes the device to be, for the regions of which it says so.
    public var states: [RegionID: RegionState]
    /// The last late failure of each region that failed and was not registered since.
    public var failures: [Failure]
    /// When each kind of disruption last happened, as far as the app noticed.
    public var disruptions: [Disruption: Instant]

    public init(
        takenAt: Instant, authorization: Authorization = .always, locationServicesEnabled: Bool = true,
        preciseLocation: Bool = true, backgroundRefresh: Bool? = nil, batteryOptimized: Bool? = nil, regions: [Region]? = nil,
        states: [RegionID: RegionState] = [:], failures: [Failure] = [], disruptions: [Disruption: Instant] = [:]
    ) {
        self.takenAt = takenAt
        self.authorization = authorization
        self.locationServicesEnabled = locationServicesEnabled
        self.preciseLocation = preciseLocation
        self.backgroundRefresh = backgroundRefresh
        self.batteryOptimized = batteryOptimized
        self.regions = regions
        self.states = states
        self.failures = failures
        self.disruptions = disruptions
    }
}
