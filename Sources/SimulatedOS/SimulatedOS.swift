import Geodesy
import Model
import Registry

/// The location side of a phone's operating system: the registry of regions that outlives the app, its failures, and its watching.
///
/// A value without a clock and without chance of its own: time comes in, random numbers follow from the seed, and everything it
/// would tell lies in an outbox (`takeReports()`). The same calls in the same order give the same answers, so every run can be
/// repeated, and `json` keeps all of it between two runs of the app.
///
/// Containment is decided by the longest geodesic that the chord between two places can stand for: within a micrometre of the
/// true distance for 500 m, a metre too far at 100 km. That is far finer than any phone decides.
public struct SimulatedOS: Sendable {
    /// What a person can switch.
    public struct Settings: Hashable, Sendable {
        public var authorization = Authorization.always
        public var locationServicesEnabled = true
        public var preciseLocation = true
        /// iOS alone.
        public var backgroundRefresh = true
        /// Android alone.
        public var batteryOptimized = false
        /// Seconds for which a change holds before it is told, within `PlatformProfile.patience`.
        public var patience: Double
    }

    /// What becomes of regions where the platform does the one or the other.
    public struct Policies: Hashable, Sendable {
        public var reboot: PlatformProfile.RebootPolicy
        public var update: PlatformProfile.UpdatePolicy
        public var permission: PlatformProfile.PermissionPolicy

        public init(_ profile: PlatformProfile) {
            reboot = profile.reboot.first ?? .keep
            update = profile.update.first ?? .keep
            permission = profile.permission.first ?? .dormant
        }
    }

    /// A region that the system holds.
    struct RegisteredRegion: Hashable, Sendable {
        struct Change: Hashable, Sendable {
            var to: RegionState
            var since: Instant
        }

        var region: Region
        var center: EarthVector
        var state = RegionState.unknown
        /// Seen, but not for long enough to be told.
        var change: Change?
        /// False for a zombie: listed and no longer watched.
        var isWatched = true
        /// Until then neither listed nor watched, though it holds its slot.
        var hiddenUntil: Instant?

        init(_ region: Region) {
            self.region = region
            self.region.initialTrigger = []
            center = EarthVector(region.circle.center)
        }
    }

    public let profile: PlatformProfile
    public internal(set) var now: Instant
    public internal(set) var settings: Settings
    public var policies: Policies
    public var faults: Faults
    var held: [RegionID: RegisteredRegion] = [:]
    /// Late failures on their way.
    var scheduled: [RegistrySnapshot.Failure] = []
    var failures: [RegistrySnapshot.Failure] = []
    var disruptions: [RegistrySnapshot.Disruption: Instant] = [:]
    var lastFix: Fix?
    var outbox: [RegistryReport] = []
    var delayed: [RegistryReport] = []
    var dice: SplitMix64

    /// A phone fresh from the shop, but for the permission: `always`, location on.
    public init(_ profile: PlatformProfile, seed: UInt64 = 0, at now: Instant) {
        self.profile = profile
        self.now = now
        settings = Settings(patience: profile.patience.lowerBound)
        policies = Policies(profile)
        faults = Faults()
        dice = SplitMix64(state: seed)
    }

    /// Everything that the system holds, whether or not an app could read it, by identifier.
    public var regions: [Region] { held.values.map(\.region).sorted { $0.id < $1.id } }

    /// What was told since it was last asked, in order.
    public mutating func takeReports() -> [RegistryReport] {
        defer { outbox.removeAll() }
        return outbox
    }

    // MARK: - What an app can call

    /// What the app can read. Throws `unavailable` when a fault swallows the answer.
    public mutating func snapshot() throws(RegistryError) -> RegistrySnapshot {
        if takesFault(.noAnswer) { throw RegistryError(.unavailable) }
        let visible = held.values.filter { $0.hiddenUntil == nil }
        return RegistrySnapshot(
            takenAt: now, authorization: settings.authorization, locationServicesEnabled: settings.locationServicesEnabled,
            preciseLocation: settings.preciseLocation,
            backgroundRefresh: profile.platform == .ios ? settings.backgroundRefresh : nil,
            batteryOptimized: profile.platform == .android ? settings.batteryOptimized : nil,
            regions: profile.isReadable ? visible.map(\.region).sorted { $0.id < $1.id } : nil,
            states: profile.canTellState
                ? Dictionary(uniqueKeysWithValues: visible.map { ($0.region.id, $0.state) }) : [:],
            failures: failures, disruptions: disruptions)
    }

    /// Adds or replaces a region; failures come as `PlatformProfile` says, from the call or later.
    public mutating func startMonitoring(_ region: Region) throws(RegistryError) {
        scheduled.removeAll { $0.id == region.id }
        let (circle, name) = (region.circle, region.id.text)
        if !circle.center.isValid || !(circle.radius > 0 && circle.radius.isFinite) || name.isEmpty
            || name.count > profile.longestIdentifier ?? .max
        {
            return try fail(region.id, profile.malformed)
        }
        if settings.authorization != .always && settings.authorization != .whenInUse {
            try fail(region.id, profile.unauthorized)
            if !profile.registersUnauthorized { return }
        } else if settings.authorization == .whenInUse && !profile.registersUnauthorized {
            return try fail(region.id, profile.unauthorized)
        }
        if !settings.preciseLocation && !profile.registersUnauthorized { return try fail(region.id, profile.unauthorized) }
        if !settings.locationServicesEnabled, let failure = profile.locationOff { return try fail(region.id, failure) }
        if !profile.takes(radius: region.circle.radius) { return try fail(region.id, profile.overLargestRadius) }
        if held[region.id] == nil && held.count >= profile.limit { return try fail(region.id, profile.overLimit) }
        let refusal = takesRefusal(of: region.id)
        if let refusal, refusal != .regionMonitoringSetupDelayed {
            let alternative = refusal == .regionMonitoringResponseDelayed ? wider(region) : nil
            return try fail(region.id, how(refusal), alternative: alternative)
        }
        if takesFault(.loseStart, about: region.id) { return }
        faults.spoilt["start " + region.id.text] = nil
        var new = RegisteredRegion(region)
        failures.removeAll { $0.id == region.id }
        if refusal != nil {
            try fail(region.id, how(.regionMonitoringSetupDelayed))
            new.hiddenUntil = now + Self.setup
        }
        held[region.id] = new
        if refusal == nil { settle(region.id, initialTrigger: region.initialTrigger) }
    }

    /// Seconds that a delayed setup takes.
    static let setup = 15.0
    /// Seconds for which the list reads empty after a reboot with the policy `emptyAtFirst`.
    static let emptiness = 60.0

    /// Removes a region; none of that name is no error.
    public mutating func stopMonitoring(_ id: RegionID) throws(RegistryError) {
        if takesFault(.loseStop, about: id) { return }
        held[id] = nil
        failures.removeAll { $0.id == id }
        scheduled.removeAll { $0.id == id }
    }

    /// Where the system believes the device to be, in relation to a region it lists; `unknown` for any other.
    public mutating func requestState(_ id: RegionID) throws(RegistryError) -> RegionState {
        guard profile.canTellState else { throw RegistryError(.unsupported) }
        if takesFault(.noState, about: id) { throw RegistryError(.unavailable) }
        guard let region = held[id], region.hiddenUntil == nil else { return .unknown }
        return region.state
    }

    // MARK: - Failing

    private mutating func fail(
        _ id: RegionID, _ failure: PlatformProfile.Failure, alternative: Region? = nil
    ) throws(RegistryError) {
        let error = RegistryError(failure.code, alternative: alternative)
        switch failure {
        case .thrown: throw error
        case .reported:
            let delay = Double.random(in: 0.1...max(0.1, profile.latestFailure), using: &dice)
            scheduled.append(.init(id: id, error: error, at: now + delay))
        }
    }

    /// How a code comes on this platform.
    private func how(_ code: RegistryError.Code) -> PlatformProfile.Failure {
        profile.latestFailure > 0 ? .reported(code) : .thrown(code)
    }

    /// A region that a system might rather watch: the same place, half as large again.
    private func wider(_ region: Region) -> Region {
        var wider = region
        wider.circle.radius = min(region.circle.radius * 1.5, profile.largestRadius ?? .infinity)
        return wider
    }
}
