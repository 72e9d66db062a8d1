import Model
import Registry

/// Something noteworthy about a device's registrations.
public struct Finding: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// The region should be registered, and is not.
        case missing
        /// Picket registered the region, but its geofence no longer exists, is inactive, or no longer applies to the device.
        case orphaned
        /// The region is registered with another center or radius.
        case drifted
        /// The region is registered without the entry or exit notification that it needs.
        case deaf
        /// The operating system lists the region, but does not watch it.
        case zombie
        /// Nothing can be repaired until the person grants a permission or switches location on.
        case blocked
        /// A setting of the device delays or prevents reports.
        case degraded
        /// The region is Picket's and its geofence exists, but the selection leaves it out. The next repair removes it.
        case surplus
        /// The geofence is left out because the platform limits the number of regions.
        case overBudget
        /// The region is not Picket's. Picket never changes it, but it takes a slot.
        case foreign
        /// The operating system cannot watch the geofence well or at all.
        case unsupported
        /// No selection can guarantee that the geofence's reports arrive.
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

    /// The cause of a finding as a value. `FindingWords.swift` has the text.
    public enum Cause: Hashable, Sendable {
        // Causes of `missing`
        case notListed
        case mayHaveBeenDropped(RegistrySnapshot.Disruption?)
        case interrupted
        case refused(RegistryError)
        // Causes of `orphaned`
        case fenceRemoved
        case fenceInactive
        case fenceForOthers
        // Causes of `drifted`
        case elsewhere(metres: Double)
        case otherRadius(held: Double, wanted: Double)
        case sentinelLeft
        case sentinelTooFar
        // Causes of `deaf`
        case withoutEntry
        case withoutExit
        // Cause of `zombie`
        case contradicted(by: RegionState, though: RegionState)
        // Causes of `blocked`
        case locationOff
        case authorization(Authorization)
        // Causes of `degraded`
        case imprecise
        case noBackgroundRefresh
        case batteryOptimized
        // Causes of `surplus` and `overBudget`
        case furtherThanChosen(metres: Double?)
        case lowerPriority
        case nothingLeftOut
        // Cause of `foreign`
        case otherSDK
        // Causes of `unsupported`
        case small(radius: Double)
        case tooLarge(radius: Double)
        case enclosed
        case malformed
        // Causes of `atRisk`
        case crowded
        case noSlots
        case coarseFix(accuracy: Double)
    }

    public var kind: Kind
    /// The geofence's id, or the short identifier of a region without a geofence; nil if the finding concerns the whole device.
    public var geofenceID: String?
    /// The geofence's name to show to people, or a substitute if there is none; nil if the finding concerns the whole device.
    public var name: String?
    public var cause: Cause
    /// The one thing that the person can do about the finding.
    public var recoveryAction: Problem.RecoveryAction

    init(_ kind: Kind, _ geofenceID: String?, _ name: String?, _ cause: Cause, _ action: Problem.RecoveryAction) {
        self.kind = kind
        self.geofenceID = geofenceID
        self.name = name
        self.cause = cause
        recoveryAction = action
    }
}
