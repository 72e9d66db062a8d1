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
    case unwatchable(FenceCatalog.Watchability, radius: Double)
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
}

extension Assessment {
    /// The name of a geofence; nil if the id is unknown.
    public func name(of geofence: String) -> String? {
        catalog.number(of: RegionID(geofence: geofence)).map { catalog.entries[$0].name }
    }

    /// Why a geofence is or is not registered.
    public func registrationReason(of geofence: String) -> RegistrationReason {
        guard let number = catalog.number(of: RegionID(geofence: geofence)) else { return .unknown }
        let entry = catalog.entries[number]
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
    private func isGuarded(_ entry: FenceCatalog.CatalogFence) -> Bool {
        guard let fix = context.fix else { return selection.basis != .noRoom }
        guard let sentinel = selection.sentinel else { return false }
        let doubt = selection.keepsSentinel ? 0 : fix.accuracyOrZero
        return entry.distance(from: EarthVector(sentinel.circle.center))
            >= profile.usedRadius(sentinel.circle.radius) + profile.exitCushion + doubt + RegionSelection.slack
    }
}
