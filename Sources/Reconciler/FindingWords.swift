import Geodesy
import Model
import Registry

// The English text of findings and operations. The text that a person acts on (recovery actions and problems) is translated: see
// `ProblemCatalog`.

extension Finding {
    /// The sentinel's name where a geofence's name would be shown.
    static let sentinelName = "Sentinel"

    /// The cause as a clause without a final period, with the operating system's name as its vendor writes it.
    public func words(_ profile: PlatformProfile) -> String { cause.words(profile) }
}

extension Finding.Cause {
    /// The cause as a clause without a final period.
    public func words(_ profile: PlatformProfile) -> String {
        let system = profile.name
        switch self {
        case .notListed: return "\(system) does not have it"
        case .mayHaveBeenDropped(nil): return "the OS may have dropped it: it has been silent for a week or more"
        case .mayHaveBeenDropped(let disruption?): return "the OS may have dropped it: \(disruption.words)"
        case .interrupted: return "a repair was interrupted before \(system) confirmed it"
        case .refused(let error): return "\(system) refused it: \(error)"
        case .fenceRemoved: return "no saved geofence has this identifier any more"
        case .fenceInactive: return "its geofence is switched off"
        case .fenceForOthers: return "its geofence is not for this device"
        case .elsewhere(let metres): return "\(system) watches it \(Self.length(metres)) from where it should be"
        case .otherRadius(let held, let wanted):
            return "\(system) watches a radius of \(Self.length(held)) instead of \(Self.length(wanted))"
        case .sentinelLeft: return "the device has left the circle that guards the geofences left out"
        case .sentinelTooFar: return "it no longer guards every geofence left out"
        case .withoutEntry: return "it is registered without the notification on entry"
        case .withoutExit: return "it is registered without the notification on exit"
        case .contradicted(let seen, let believed):
            return "fixes show the device \(seen.rawValue), and \(system) still believes it \(believed.rawValue)"
        case .locationOff: return "location services are switched off on the device"
        case .authorization(let status):
            return "the app's authorization is '\(status.rawValue)', and only 'always' watches in the background"
        case .imprecise: return "the app may know only the approximate location"
        case .noBackgroundRefresh: return "the app may not run in the background"
        case .batteryOptimized: return "the device saves battery at the app's expense"
        case .furtherThanChosen(let metres?):
            return "its boundary is \(Self.length(metres)) away, and nearer geofences have taken the slots"
        case .furtherThanChosen(nil): return "nearer geofences have taken the slots"
        case .lowerPriority: return "there is no fix yet, and geofences of higher priority have taken the slots"
        case .nothingLeftOut: return "every geofence is registered, so nothing needs guarding"
        case .otherSDK: return "it was not registered by Picket, and takes one of \(profile.limit) slots"
        case .small(let radius):
            return profile.raisesSmallRadii
                ? "its radius of \(Self.length(radius)) is watched as \(Self.length(profile.smallestReliableRadius))"
                : "its radius of \(Self.length(radius)) is less than \(system) watches reliably"
        case .tooLarge(let radius):
            return "its radius of \(Self.length(radius)) is more than \(system) watches; it is followed by fixes alone"
        case .enclosed: return "\(system) watches circles only, so it watches the one around this area"
        case .malformed: return "it is no circle that could be watched"
        case .crowded: return "so many geofences crowd around the device that no choice can guarantee this one"
        case .noSlots: return "other SDKs in the app have taken every slot"
        case .coarseFix(let accuracy):
            return "the last fix is known to \(Self.length(accuracy)) only, too coarse to guarantee this one"
        }
    }

    /// The summary of a device that this cause degrades; nil for causes that do not concern the whole device.
    var degradation: String? {
        switch self {
        case .imprecise: "Precise location off"
        case .noBackgroundRefresh: "Background refresh off"
        case .batteryOptimized: "Battery optimised"
        default: nil
        }
    }

    /// A length in meters below one kilometer, otherwise in kilometers with one decimal.
    static func length(_ metres: Double) -> String {
        guard metres.isFinite, metres < 1e9 else { return "no length" }
        if metres < 999.5 { return metres < 10 ? "\((metres * 10).rounded() / 10) m" : "\(Int(metres.rounded())) m" }
        return "\((metres / 100).rounded() / 10) km"
    }
}

extension RegistrySnapshot.Disruption {
    /// The disruption as a clause.
    var words: String {
        switch self {
        case .reboot: "the device was restarted"
        case .reinstall: "the app was installed anew"
        case .dataCleared: "the app's data was cleared"
        case .update: "the app was updated"
        case .forceStop: "the app was stopped by force"
        case .locationOff: "location was switched off"
        case .permissionRevoked: "the permission was revoked"
        }
    }
}

extension RegistryOperation {
    /// The reason as a clause without a final period.
    public func words(_ profile: PlatformProfile) -> String {
        switch reason {
        case .finding(.missing, .notListed): "it should be registered and is not"
        case .finding(_, let cause): cause.words(profile)
        case .guards: "geofences are left out, and leaving this circle asks for a new choice"
        case .added: "it was added, and only its state tells whether the device is in it"
        }
    }
}
