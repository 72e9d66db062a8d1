import Model
import Registry

/// One thing that is noteworthy about a device's registrations.
public struct Finding: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Should be registered now, and is not.
        case missing
        /// Ours, registered, and no longer an active saved fence.
        case orphaned
        /// Registered with another centre or radius.
        case drifted
        /// Registered without the entry or exit notification that it needs.
        case deaf
        /// Listed, and not watched.
        case zombie
        /// Cannot be repaired before a person allows something.
        case blocked
        /// It may work, late or never.
        case degraded
        /// Ours, saved, and not among the chosen.
        case surplus
        /// Saved, and not among the chosen, because the limit is short.
        case overBudget
        /// Not ours: never touched, but it takes a slot.
        case foreign
        /// The system cannot watch it well.
        case unsupported
        /// No choice can guarantee it.
        case atRisk

        public enum Severity: Sendable { case healthy, warning, unhealthy }

        public var severity: Severity {
            switch self {
            case .missing, .orphaned, .drifted, .deaf, .zombie, .blocked, .degraded: .unhealthy
            case .unsupported, .atRisk: .warning
            case .surplus, .overBudget, .foreign: .healthy
            }
        }
    }

    /// Why, as a value; `FindingWords` has the words.
    public enum Cause: Hashable, Sendable {
        // missing
        case notListed
        case mayHaveBeenDropped(RegistrySnapshot.Disruption?)
        case interrupted
        case refused(RegistryError)
        // orphaned
        case fenceRemoved
        case fenceInactive
        case fenceForOthers
        // drifted
        case elsewhere(metres: Double)
        case otherRadius(held: Double, wanted: Double)
        case sentinelLeft
        case sentinelTooFar
        // deaf
        case withoutEntry
        case withoutExit
        // zombie
        case contradicted(by: RegionState, though: RegionState)
        // blocked
        case locationOff
        case authorization(Authorization)
        // degraded
        case imprecise
        case noBackgroundRefresh
        case batteryOptimized
        // surplus and overBudget
        case furtherThanChosen(metres: Double?)
        case lowerPriority
        case nothingLeftOut
        // foreign
        case otherSDK
        // unsupported
        case small(radius: Double)
        case tooLarge(radius: Double)
        case enclosed
        case malformed
        // atRisk
        case crowded
        case noSlots
        case coarseFix(accuracy: Double)
    }

    public var kind: Kind
    /// The geofence's id, or the short text of a region that belongs to none; nil for what concerns the device as a whole.
    public var geofenceID: String?
    /// For people: the geofence's name, or what there is in its place.
    public var name: String?
    public var cause: Cause
    /// The one thing that a person can do about it.
    public var recoveryAction: Problem.RecoveryAction

    init(_ kind: Kind, _ geofenceID: String?, _ name: String?, _ cause: Cause, _ action: Problem.RecoveryAction) {
        self.kind = kind
        self.geofenceID = geofenceID
        self.name = name
        self.cause = cause
        recoveryAction = action
    }
}
