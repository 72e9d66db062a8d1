import Geodesy
import Model
import Registry

/// Why a geofence is or is not registered on a device now, as `picket health --explain` prints it.
public enum RegistrationReason: Hashable, Sendable {
    /// The geofence is selected.
    case chosen(RegionSelection.Reason, isRegistered: Bool)
    /// The geofence is left out. `distance` is in meters to its boundary, nil without a fix. `isGuarded` states whether a sentinel guards
    /// it; otherwise it is at risk.
    case leftOut(distance: Double?, isGuarded: Bool)
    /// The geofence cannot be registered.
    case unwatchable(RegionCandidates.Watchability, radius: Double)
    /// The geofence is not active.
    case inactive
    /// The geofence applies to other devices only.
    case forOthers
    /// The geofence does not exist.
    case unknown

    /// Whether the geofence is selected and registered.
    public var isRegistered: Bool {
        if case .chosen(_, let isRegistered) = self { isRegistered } else { false }
    }

    /// The reason as a sentence without a period at the end.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        phrase(profile).text(in: language)
    }

    private func phrase(_ profile: PlatformProfile) -> Phrase {
        switch self {
        case .chosen(let reason, true): Phrase("registered: \(reason.phrase)")
        case .chosen(let reason, false): Phrase("missing: it should be registered, because \(reason.phrase)")
        case .leftOut(let distance?, true):
            Phrase(
                """
                not registered: its boundary is \(length: distance) away; Picket chooses again when the device leaves the sentinel, before \
                it can reach it
                """)
        case .leftOut(nil, true):
            Phrase("not registered: there is no position yet, and other geofences have a higher priority")
        case .leftOut(let distance?, false):
            Phrase("not registered, and at risk: its boundary is \(length: distance) away, and the sentinel does not guard it")
        case .leftOut(nil, false):
            Phrase("not registered, and at risk: there is no position yet, and the sentinel does not guard it")
        case .unwatchable(.malformed, _): Phrase("never registered: it is not a circle that can be watched")
        case .unwatchable(_, let radius):
            Phrase(
                "never registered: its radius of \(length: radius) is larger than \(profile.name) watches; only positions decide")
        case .inactive: Phrase("not registered: it is switched off")
        case .forOthers: Phrase("not registered: it is not for this device")
        case .unknown: Phrase("there is no such geofence")
        }
    }
}

extension RegionSelection.Reason {
    /// A sentence without a period at the end.
    fileprivate var phrase: Phrase {
        switch self {
        case .everythingFits: Phrase("there is room for every geofence")
        case .pinned: Phrase("the device is in it, so its exit must be reported")
        case .near(let meters):
            Phrase("its boundary is \(length: meters) away, too close for the sentinel to guard it")
        case .stays(let meters): Phrase("its boundary is \(length: meters) away, and no other geofence needs its slot more")
        case .crowded(let meters):
            Phrase("its boundary is \(length: meters) away among many others, and its priority is among the highest")
        case .priority: Phrase("there is no position yet, and its priority is among the highest")
        }
    }
}

extension Assessment {
    /// The name of a geofence; nil if the id is unknown.
    public func name(of geofence: String) -> String? {
        candidates.number(of: RegionID(geofence: geofence)).map { candidates.entries[$0].name }
    }

    /// Why a geofence is or is not registered.
    public func registrationReason(of geofence: String) -> RegistrationReason {
        guard let number = candidates.number(of: RegionID(geofence: geofence)) else { return .unknown }
        let entry = candidates.entries[number]
        guard entry.isActive else { return .inactive }
        guard entry.applies(to: context.device) else { return .forOthers }
        guard entry.watchability.isWatchable else {
            return .unwatchable(entry.watchability, radius: entry.circle.radius)
        }
        if let chosen = selection.chosen.first(where: { $0.number == number }) {
            let isRegistered = ownRegions.contains { $0.number == number }
            return .chosen(chosen.reason, isRegistered: isRegistered)
        }
        let distance = context.fix.map { entry.distance(from: EarthVector($0.coordinate)) }
        return .leftOut(distance: distance, isGuarded: isGuarded(entry))
    }

    /// Whether the sentinel guards a geofence that is left out.
    private func isGuarded(_ entry: RegionCandidates.RegionCandidate) -> Bool {
        guard let fix = context.fix else { return selection.basis != .noRoom }
        guard let sentinel = selection.sentinel else { return false }
        let doubt = selection.keepsSentinel ? 0 : fix.accuracyOrZero
        return entry.distance(from: EarthVector(sentinel.circle.center))
            >= profile.usedRadius(sentinel.circle.radius) + profile.exitBuffer + doubt + RegionSelection.slack
    }
}
