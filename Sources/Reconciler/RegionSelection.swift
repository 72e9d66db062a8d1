import Geodesy
import Model
import Registry

/// Which of a device's geofences should be registered now, and why.
public struct RegionSelection: Hashable, Sendable {
    /// Why a geofence is selected.
    public enum Reason: Hashable, Sendable {
        /// The platform's limit is large enough for all geofences.
        case everythingFits
        /// The device is inside the geofence, so its exit must be reported.
        case pinned
        /// The boundary is too close for the sentinel to guard the geofence. Lower bound of its distance in meters.
        case near(Double)
        /// The region is already registered, and no other geofence needs its slot more: the sentinel guards those that are left out, or none
        /// of them is closer by more than the margin. Distance in meters.
        case stays(Double)
        /// Too many geofences are close to the device, and this one's priority is among the highest. Distance in meters.
        case crowded(Double)
        /// There is no fix, so the priority decides.
        case priority
    }

    /// A selected geofence, by its number among the candidates.
    public struct SelectedFence: Hashable, Sendable {
        /// The geofence's number among the candidates.
        public var number: Int
        /// Why the geofence is selected.
        public var reason: Reason
    }

    /// A geofence that is left out, by its number among the candidates.
    public struct LeftOut: Hashable, Sendable {
        /// The geofence's number among the candidates.
        public var number: Int
        /// Lower bound of the distance to the boundary in meters; nil without a fix.
        public var distance: Double?
        /// Whether the device could reach the boundary without first leaving a registered region.
        public var isAtRisk: Bool
    }

    /// What the selection is based on.
    public enum Basis: Hashable, Sendable {
        /// All geofences fit within the limit.
        case everythingFits
        /// The distances from the newest fix.
        case fix
        /// The newest fix, but it is coarse: twice its accuracy is larger than `margin`. Its accuracy in meters.
        case coarseFix(Double)
        /// There is no fix, so priorities decide.
        case noFix
        /// Other SDKs in the app hold every slot.
        case noRoom
    }

    /// The selected geofences. With a fix: those that the device is inside of first, then by distance to the boundary, then by number.
    /// Without a fix: by priority, then by id.
    public internal(set) var chosen: [SelectedFence] = []
    /// The circle around the device whose exit triggers a new selection. Without a fix, it is the registered sentinel, if there is one. Nil
    /// if the sentinel has nothing to guard, or if no slot is free for it.
    public internal(set) var sentinel: Region?
    /// Whether `sentinel` is the region that is already registered.
    public internal(set) var keepsSentinel = false
    /// The geofences left out, those at risk first, then by distance; at most the requested number.
    public internal(set) var leftOut: [LeftOut] = []
    /// Lower bound of the distance in meters to the nearest boundary left out because of the limit; infinite if none is.
    var nearestLeftOut = Double.infinity
    /// The number of geofences left out because of the limit.
    public internal(set) var leftOutCount = 0
    /// The number of unregistered geofences that no sentinel can guard.
    public internal(set) var atRiskCount = 0
    /// The number of slots available for Picket's regions.
    public internal(set) var budget: Int
    /// What the selection is based on.
    public internal(set) var basis: Basis

    /// If no sentinel can guard everything left out, a registered geofence keeps its slot unless another one is closer by more than this
    /// margin in meters. For a coarse fix, whose doubled accuracy is larger than this, the margin is the doubled accuracy: the difference
    /// between two distances can be wrong by that much.
    public static let margin = 200.0
    /// Meters subtracted from the sentinel's radius as a reserve for rounding errors.
    static let slack = 1.0
    /// The largest radius of a sentinel in meters on platforms without a largest radius.
    static let largestSentinel = 100_000.0
    /// The smallest radius of a sentinel in meters.
    static let smallestSentinel = 100.0
}
