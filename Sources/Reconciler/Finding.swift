import Model
import Registry

/// Something noteworthy about the regions that are registered with a device's operating system, such as a missing region.
///
/// A platform watches a limited number of regions, its slots. When not every geofence gets a slot, Picket registers one more
/// region, the sentinel: a circle around the device whose exit triggers a new selection of geofences. It guards the geofences
/// left out.
public struct Finding: Hashable, Sendable {
    /// What was found. The cases are ordered: a finding of an earlier kind is listed first.
    public enum Kind: String, CaseIterable, Sendable {
        /// The region should be registered, and is not.
        case missing
        /// Picket registered the region, but its geofence no longer exists, is inactive, or no longer applies to the device.
        case orphaned
        /// The region is registered with another center or radius than needed.
        case drifted
        /// The region is registered without the entry or exit notification that it needs.
        case deaf
        /// The operating system lists the region, but evidently does not watch it.
        case zombie
        /// The operating system lists the region, but does not monitor it, because there are more regions than it allows.
        case unmonitored
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
        /// The geofence is not registered, and the device could reach its boundary without first leaving a registered region. Its
        /// transitions may be missed.
        case atRisk

        /// How much a finding matters.
        public enum Severity: Sendable {
            /// Nothing is wrong.
            case healthy
            /// A geofence cannot be watched reliably.
            case warning
            /// Reports may be delayed or lost until the cause is fixed.
            case unhealthy
        }

        /// How much the kind of finding matters.
        public var severity: Severity {
            switch self {
            case .missing, .orphaned, .drifted, .deaf, .zombie, .unmonitored, .blocked, .degraded: .unhealthy
            case .unsupported, .atRisk: .warning
            case .surplus, .overBudget, .foreign: .healthy
            }
        }
    }

    /// The cause of a finding as a value. Lengths are in meters. `words(_:in:)` gives the text.
    ///
    /// The causes are grouped by the kind of finding that they usually belong to.
    public enum Cause: Hashable, Sendable {
        // Causes of `missing`
        /// The operating system does not list the region.
        case notListed
        /// The operating system may have dropped the region: because of the disruption, or, if nil, because there was no report
        /// about the region for a week or more.
        case mayHaveBeenDropped(RegistrySnapshot.Disruption?)
        /// A repair ended before the operating system confirmed the registration. Also a cause of `orphaned`.
        case interrupted
        /// The operating system refused the registration. Also a cause of `overBudget`.
        case refused(RegistryError)
        /// Picket's record of the registrations was lost, and the operating system's list cannot be read.
        case recordLost
        // Causes of `orphaned`
        /// The geofence was removed.
        case fenceRemoved
        /// The geofence is no longer active.
        case fenceInactive
        /// The geofence no longer applies to the device.
        case fenceNotForDevice
        // Causes of `drifted`
        /// The registered center is this far from the center that is needed.
        case otherCenter(distance: Double)
        /// The registered radius differs from the radius that is needed.
        case otherRadius(registered: Double, needed: Double)
        /// The device has left the sentinel.
        case sentinelLeft
        /// The sentinel no longer guards every geofence left out.
        case sentinelGuardsTooLittle
        // Causes of `deaf`
        /// The region is registered without the notification of entries.
        case withoutEntry
        /// The region is registered without the notification of exits.
        case withoutExit
        // Cause of `zombie`
        /// Fixes show one state of the region, and the operating system still reports another.
        case stateContradicted(byFixes: RegionState, reported: RegionState)
        // Cause of `unmonitored`
        /// The operating system lists more regions than it monitors, and this one is not among those monitored.
        case overSystemLimit
        // Causes of `blocked`
        /// Location services are switched off.
        case locationOff
        /// The app has an authorization other than "always".
        case authorization(Authorization)
        // Causes of `degraded`
        /// The app may know only the approximate location.
        case imprecise
        /// The app may not run in the background.
        case noBackgroundRefresh
        /// The operating system restricts the app to save battery.
        case batteryOptimized
        // Causes of `surplus` and `overBudget`
        /// Nearer geofences have taken the slots. The distance from the device to the geofence's boundary, if it is known.
        case fartherThanChosen(distance: Double?)
        /// There is no fix, and geofences of higher priority have taken the slots.
        case lowerPriority
        /// All geofences are registered, so the sentinel is not needed.
        case sentinelNotNeeded
        // Cause of `foreign`
        /// Another part of the app has registered the region.
        case otherSDK
        // Causes of `unsupported`
        /// The radius is below the smallest that the operating system watches reliably.
        case belowReliableRadius(radius: Double)
        /// The radius is above the largest that the operating system accepts.
        case tooLarge(radius: Double)
        /// The geofence is a polygon, and the operating system watches its enclosing circle.
        case watchedByEnclosingCircle
        /// The geofence's shape is not a valid circle.
        case malformed
        // Causes of `atRisk`
        /// There are too many geofences around the device for the available slots.
        case tooManyNearby
        /// Foreign regions have taken every slot. Also a cause of `overBudget`, and of `degraded` for the whole device.
        case noSlots
        /// The last fix is too inaccurate to guard the geofence.
        case coarseFix(accuracy: Double)
    }

    /// What was found.
    public var kind: Kind
    /// The geofence's id, or the identifier of a region without a geofence (a foreign region or the sentinel); nil if the finding
    /// concerns the whole device.
    public var geofenceID: String?
    /// The geofence's name to show to people, or a substitute if there is none; nil if the finding concerns the whole device.
    public var name: String?
    /// Why it is so.
    public var cause: Cause
    /// The action that is recommended to the person.
    public var recoveryAction: Problem.RecoveryAction

    init(_ kind: Kind, geofenceID: String?, name: String?, cause: Cause, action: Problem.RecoveryAction) {
        self.kind = kind
        self.geofenceID = geofenceID
        self.name = name
        self.cause = cause
        recoveryAction = action
    }
}
