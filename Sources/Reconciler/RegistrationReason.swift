import Geodesy
import Model
import Registry

/// Why a geofence is or is not registered on a device now, as `picket health --explain` prints it.
public enum RegistrationReason: Hashable, Sendable {
    /// The geofence is selected. `rank` starts with 1.
    case chosen(RegionSelection.Reason, rank: Int, isRegistered: Bool)
    /// The geofence is left out. `distance` is in meters to its boundary, nil without a fix. `isGuarded` states whether a sentinel guards
    /// it; otherwise it is at risk.
    case leftOut(distance: Double?, isGuarded: Bool)
    /// The geofence cannot be registered.
    case unwatchable(FenceCatalogue.Watchability, radius: Double)
    case inactive
    /// The geofence applies to other devices only.
    case forOthers
    /// The geofence does not exist.
    case unknown

    /// Whether the geofence is selected and registered.
    public var isRegistered: Bool {
        if case .chosen(_, _, let isRegistered) = self { isRegistered } else { false }
    }

    /// The reason as a clause without a final period.
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
    /// The name of a geofence; nil if the id is unknown.
    public func name(of geofence: String) -> String? {
        catalogue.number(of: RegionID(geofence: geofence)).map { catalogue.entries[$0].name }
    }

    /// Why a geofence is or is not registered.
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

    /// Whether the sentinel guards a geofence that is left out.
    private func guards(_ entry: FenceCatalogue.Entry) -> Bool {
        guard let fix = context.fix else { return choice.basis != .noRoom }
        guard let sentinel = choice.sentinel else { return false }
        let doubt = choice.keepsSentinel ? 0 : fix.reckonedAccuracy
        return entry.distance(from: EarthVector(sentinel.circle.center))
            >= profile.usedRadius(sentinel.circle.radius) + profile.exitCushion + doubt + RegionSelection.slack
    }
}
