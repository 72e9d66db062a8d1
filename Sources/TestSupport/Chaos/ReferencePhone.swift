import Model
import Reconciler
import Registry
import SimulatedOS

/// A phone without a limit and without faults, on which every geofence is registered. Its reports are what an app should learn.
struct ReferencePhone: Sendable {
    /// An enter or exit.
    struct ExpectedTransition: Hashable, Sendable {
        var geofence: String
        var isEnter: Bool
        var at: Instant
    }

    private(set) var os: SimulatedOS

    /// - Parameter patience: Seconds for which a change must last before it is reported.
    init(_ profile: PlatformProfile, patience: Double, at moment: Instant) {
        var profile = profile
        profile.limit = .max
        profile.replacesLiveRegions = true
        profile.reportsInitialState = false
        os = SimulatedOS(profile, at: moment)
        os.setPatience(patience)
    }

    mutating func observe(_ fix: Fix) { os.observe(fix) }

    mutating func advance(to moment: Instant) { os.advance(to: moment) }

    /// Registers a geofence, or replaces its region. The device's present state is not reported.
    mutating func watch(_ fence: RegionCandidates.RegionCandidate) {
        forget(fence.id)
        if fence.isActive && fence.watchability.isWatchable { os.add(fence.region) }
    }

    mutating func forget(_ geofence: String) { os.dropRegions([RegionID(geofence: geofence)]) }

    /// The enters and exits since the last call, in order.
    mutating func takeTransitions() -> [ExpectedTransition] {
        os.takeReports().compactMap { report in
            guard let id = report.region.geofence else { return nil }
            switch report.kind {
            case .entered: return ExpectedTransition(geofence: id, isEnter: true, at: report.at)
            case .exited: return ExpectedTransition(geofence: id, isEnter: false, at: report.at)
            case .failed: return nil
            }
        }
    }
}
