import Geodesy
import Model
import Registry

/// Why one fence is, or is not, registered on a device now: what `picket health --explain` says.
public enum RegistrationReason: Hashable, Sendable {
    /// Chosen; `rank` 1 is the first.
    case chosen(RegionSelection.Reason, rank: Int, isRegistered: Bool)
    /// Left out: metres to its boundary, nil without a fix; guarded by a sentinel, or at risk.
    case leftOut(distance: Double?, isGuarded: Bool)
    /// It cannot be registered at all.
    case unwatchable(FenceCatalogue.Watchability, radius: Double)
    case inactive
    /// It is for other devices.
    case forOthers
    /// There is no such fence.
    case unknown

    /// Whether the system watches it now, as it should.
    public var isRegistered: Bool {
        if case .chosen(_, _, let isRegistered) = self { isRegistered } else { false }
    }

    /// As a sentence without a full stop.
    public func words(_ profile: PlatformProfile) -> String {
        func length(_ metres: Double) -> String { Finding.Cause.length(metres) }
        switch self {
        case .chosen(let reason, let rank, let isRegistered):
            let why =
                switch reason {
                case .everythingFits: "there is room for every geofence"
                case .pinned: "the device is in it, and its exit must be seen"
                case .near(let metres): "its boundary is \(length(metres)) away, number \(rank) by distance"
                case .stays(let metres): "its boundary is \(length(metres)) away, and no other is closer by a clear margin"
                case .crowded(let metres):
                    "its boundary is \(length(metres)) away in a crowd of them, and its priority is among the highest"
                case .priority: "there is no fix yet, and its priority is among the highest"
                }
            return isRegistered ? "registered: \(why)" : "missing: it should be registered, as \(why)"
        case .leftOut(let distance?, true):
            return
                "not registered: its boundary is \(length(distance)) away; the sentinel asks for a new choice before it is reached"
        case .leftOut(nil, true): return "not registered: there is no fix yet, and others have a higher priority"
        case .leftOut(let distance, false):
            let away = distance.map { "its boundary is \(length($0)) away" } ?? "there is no fix yet"
            return "not registered, and at risk: \(away), and nothing guards it"
        case .unwatchable(.malformed, _): return "never registered: it is no circle that could be watched"
        case .unwatchable(_, let radius):
            return "never registered: its radius of \(length(radius)) is more than \(profile.name) watches; fixes alone decide"
        case .inactive: return "not registered: it is switched off"
        case .forOthers: return "not registered: it is not for this device"
        case .unknown: return "there is no such geofence"
        }
    }
}

extension Assessment {
    /// The name of a saved geofence; nil when there is none of that id.
    public func name(of geofence: String) -> String? {
        catalogue.number(of: RegionID(geofence: geofence)).map { catalogue.entries[$0].name }
    }

    /// Where a fence stands.
    public func standing(of geofence: String) -> RegistrationReason {
        guard let number = catalogue.number(of: RegionID(geofence: geofence)) else { return .unknown }
        let entry = catalogue.entries[number]
        guard entry.isActive else { return .inactive }
        guard entry.applies(to: context.device) else { return .forOthers }
        guard entry.watchability.isWatchable else {
            return .unwatchable(entry.watchability, radius: entry.circle.radius)
        }
        if let rank = choice.chosen.firstIndex(where: { $0.number == number }) {
            let isRegistered = known.contains { $0.number == number }
            return .chosen(choice.chosen[rank].reason, rank: rank + 1, isRegistered: isRegistered)
        }
        let distance = context.fix.map { entry.distance(from: EarthVector($0.coordinate)) }
        return .leftOut(distance: distance, isGuarded: guards(entry))
    }

    private func guards(_ entry: FenceCatalogue.Entry) -> Bool {
        guard let fix = context.fix else { return choice.basis != .noRoom }
        guard let sentinel = choice.sentinel else { return false }
        let doubt = choice.keepsSentinel ? 0 : fix.reckonedAccuracy
        return entry.distance(from: EarthVector(sentinel.circle.center))
            >= profile.usedRadius(sentinel.circle.radius) + profile.exitCushion + doubt + RegionSelection.slack
    }
}
