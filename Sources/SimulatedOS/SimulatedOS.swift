import Geodesy
import Model
import Registry

/// The location services of a phone's operating system: the registry of regions that outlives the app, its failures, and its region
/// monitoring.
///
/// It is a value without a clock and without its own randomness: the time is passed in, random numbers are derived from the seed, and
/// reports are collected in an outbox (see `takeReports()`). The same calls in the same order give the same results, so every run can be
/// repeated. `json` saves the whole state between two runs of the app.
///
/// A point is inside a circle if the longest geodesic that corresponds to the chord is not longer than the radius. This distance is
/// accurate to a micrometer at 500 m, and one meter too long at 100 km, far more accurate than any phone.
package struct SimulatedOS: Sendable {
    /// The settings that a person can change on the phone.
    package struct Settings: Hashable, Sendable {
        package var authorization = Authorization.always
        package var locationServicesEnabled = true
        package var preciseLocation = true
        /// iOS only.
        package var backgroundRefresh = true
        /// Android only.
        package var batteryOptimized = false
        /// Seconds for which a change must last before it is reported, within `PlatformProfile.patience`.
        package var patience: Double
    }

    /// How this phone behaves where the platform allows several behaviors.
    package struct Policies: Hashable, Sendable {
        package var reboot: PlatformProfile.RebootPolicy
        package var update: PlatformProfile.UpdatePolicy
        package var permission: PlatformProfile.PermissionPolicy

        package init(_ profile: PlatformProfile) {
            reboot = profile.reboot.first ?? .keep
            update = profile.update.first ?? .keep
            permission = profile.permission.first ?? .dormant
        }
    }

    /// A region that the operating system holds.
    struct RegisteredRegion: Hashable, Sendable {
        /// A change of state that has not lasted long enough to be reported.
        struct Change: Hashable, Sendable {
            var to: RegionState
            var since: Instant
        }

        var region: Region
        var center: EarthVector
        var state = RegionState.unknown
        /// The pending change; nil if there is none.
        var change: Change?
        /// Whether the region is watched. False for a region that is listed but no longer watched.
        var isWatched = true
        /// The time until which the region is neither listed nor watched, although it takes a slot.
        var hiddenUntil: Instant?
        /// The number of the registration: later ones have higher numbers.
        var number = 0
        /// Whether the region waits for a free slot. See `PlatformProfile.listsRegionsOverLimit`.
        var isOverLimit = false

        init(_ region: Region) {
            self.region = region
            self.region.initialTrigger = []
            center = EarthVector(region.circle.center)
        }
    }

    package internal(set) var profile: PlatformProfile
    package internal(set) var now: Instant
    package internal(set) var settings: Settings
    package var policies: Policies
    package var faults: Faults
    var heldRegions: [RegionID: RegisteredRegion] = [:]
    /// Failures that will be reported later.
    var scheduled: [RegistrySnapshot.Failure] = []
    /// Failures that were reported, for the regions that were not registered since.
    var failures: [RegistrySnapshot.Failure] = []
    var disruptions: [RegistrySnapshot.Disruption: Instant] = [:]
    var lastFix: Fix?
    /// Reports that were sent and not removed yet, in order.
    var outbox: [RegistryReport] = []
    /// Reports that an injected fault delays.
    var delayed: [RegistryReport] = []
    var random: SplitMix64

    /// A new phone with the permission `always` and location services on.
    package init(_ profile: PlatformProfile, seed: UInt64 = 0, at now: Instant) {
        self.profile = profile
        self.now = now
        settings = Settings(patience: profile.reportDelay.lowerBound)
        policies = Policies(profile)
        faults = Faults()
        random = SplitMix64(state: seed)
    }

    /// All regions that the operating system holds, sorted by identifier, even if the app could not read them.
    package var regions: [Region] { heldRegions.values.map(\.region).sorted { $0.id < $1.id } }

    /// Removes and returns the reports since the last call, in order.
    package mutating func takeReports() -> [RegistryReport] {
        defer { outbox.removeAll() }
        return outbox
    }

    // MARK: - The calls of an app

    /// Everything that the app can read. Throws `unavailable` if a fault suppresses the answer.
    package mutating func snapshot() throws(RegistryError) -> RegistrySnapshot {
        if consumeFault(.noAnswer) { throw RegistryError(.unavailable) }
        return currentSnapshot
    }

    /// What the app reads if no fault suppresses the answer.
    package var currentSnapshot: RegistrySnapshot {
        let visible = heldRegions.values.filter { $0.hiddenUntil == nil }
        return RegistrySnapshot(
            takenAt: now, authorization: settings.authorization, locationServicesEnabled: settings.locationServicesEnabled,
            preciseLocation: settings.preciseLocation,
            backgroundRefresh: profile.platform == .ios ? settings.backgroundRefresh : nil,
            batteryOptimized: profile.platform == .android ? settings.batteryOptimized : nil,
            regions: profile.isReadable ? visible.map(\.region).sorted { $0.id < $1.id } : nil,
            states: profile.supportsStateRequests
                ? Dictionary(uniqueKeysWithValues: visible.map { ($0.region.id, $0.state) }) : [:],
            unmonitored: Set(visible.filter(\.isOverLimit).map(\.region.id)), failures: failures, disruptions: disruptions)
    }

    /// Adds or replaces a region. Throws the failure at once or reports it later, as the `PlatformProfile` says.
    package mutating func startMonitoring(_ region: Region) throws(RegistryError) {
        if !profile.replacesLiveRegions && heldRegions[region.id] != nil { return }
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
        if !profile.accepts(radius: region.circle.radius) { return try fail(region.id, profile.overLargestRadius) }
        if !hasRoom(for: region.id) { return try fail(region.id, profile.overLimit) }
        let refusal = consumeRefusal(of: region.id)
        if let refusal, refusal != .regionMonitoringSetupDelayed {
            let alternative = refusal == .regionMonitoringResponseDelayed ? alternativeRegion(for: region) : nil
            return try fail(region.id, failureMode(of: refusal), alternative: alternative)
        }
        if consumeFault(.loseStart, about: region.id) { return }
        faults.consecutiveFailures["start " + region.id.text] = nil
        var new = RegisteredRegion(region)
        failures.removeAll { $0.id == region.id }
        if refusal != nil {
            try fail(region.id, failureMode(of: .regionMonitoringSetupDelayed))
            new.hiddenUntil = now + Self.setupDelay
        }
        hold(new)
        if refusal == nil { setInitialState(region.id, initialTrigger: region.initialTrigger) }
    }

    /// Seconds until a region with a delayed setup is listed and watched.
    static let setupDelay = 15.0
    /// Seconds for which the list is empty after a reboot with the policy `emptyAtFirst`.
    static let emptyListDuration = 60.0

    /// Removes a region. Does nothing if the region is not registered.
    package mutating func stopMonitoring(_ id: RegionID) throws(RegistryError) {
        if consumeFault(.loseStop, about: id) { return }
        heldRegions[id] = nil
        failures.removeAll { $0.id == id }
        scheduled.removeAll { $0.id == id }
        monitorWaitingRegions()
    }

    /// Where the operating system believes the device to be relative to a region; `unknown` if the region is not listed. Throws
    /// `unsupported` if the platform has no such call, and `unavailable` if a fault suppresses the answer.
    package mutating func requestState(_ id: RegionID) throws(RegistryError) -> RegionState {
        guard profile.supportsStateRequests else { throw RegistryError(.unsupported) }
        if consumeFault(.noState, about: id) { throw RegistryError(.unavailable) }
        guard let region = heldRegions[id], region.hiddenUntil == nil else { return .unknown }
        return region.state
    }

    // MARK: - Failures

    private mutating func fail(
        _ id: RegionID, _ failure: PlatformProfile.FailureMode, alternative: Region? = nil
    ) throws(RegistryError) {
        let error = RegistryError(failure.code, alternative: alternative)
        switch failure {
        case .thrown: throw error
        case .reported:
            let delay = Double.random(in: 0.1...max(0.1, profile.latestFailure), using: &random)
            scheduled.append(.init(id: id, error: error, at: now + delay))
        }
    }

    /// How a failure with this code reaches the app on this platform.
    private func failureMode(of code: RegistryError.Code) -> PlatformProfile.FailureMode {
        profile.latestFailure > 0 ? .reported(code) : .thrown(code)
    }

    /// The alternative that the operating system might propose for a region: the same center with a radius 1.5 times as large.
    private func alternativeRegion(for region: Region) -> Region {
        var wider = region
        wider.circle.radius = min(region.circle.radius * 1.5, profile.largestRadius ?? .infinity)
        return wider
    }
}
