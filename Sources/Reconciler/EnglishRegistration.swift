import Registry

/// The English texts about the regions that are registered with a device's operating system: health, findings and repair
/// operations.
struct EnglishRegistrationCatalog: RegistrationCatalog {
    var sentinel: String { "Sentinel" }

    func summary(_ summary: HealthSummary) -> String {
        switch summary {
        case .notManaged: "Not managed"
        case .unknown(nil): "Unknown"
        case .unknown(let reportedAt?): "Unknown, last reported \(reportedAt)"
        case .locationServicesDisabled: "Location services disabled"
        case .needsAlwaysAuthorization: "Needs 'Always' authorization"
        case .notRegistered(let count, let system): "\(count) geofence(s) not registered with \(system)"
        case .orphaned(let count, let system): "\(count) orphan region(s) in \(system)"
        case .misregistered(let count, let system): "\(count) region(s) wrong in \(system)"
        case .preciseLocationOff: "Precise location off"
        case .backgroundRefreshOff: "Background refresh off"
        case .batteryOptimized: "Battery optimized"
        case .noActiveGeofences: "No active geofences"
        case .healthy: "Healthy"
        }
    }

    // The raw values are English words.
    func kind(_ kind: Finding.Kind) -> String { kind.rawValue }
    func callName(_ kind: RegistryOperation.Call.Name) -> String { kind.rawValue }
    func outcome(_ outcome: RepairReport.Step.Outcome) -> String { outcome.rawValue }

    func cause(_ cause: Finding.Cause, _ profile: PlatformProfile) -> String {
        let system = profile.name
        switch cause {
        case .notListed: return "\(system) does not have it"
        case .mayHaveBeenDropped(nil): return "the OS may have dropped it: it has been silent for a week or more"
        case .mayHaveBeenDropped(let disruption?): return "the OS may have dropped it: \(disruptionText(disruption))"
        case .interrupted: return "a repair was interrupted before \(system) confirmed it"
        case .refused(let error): return "\(system) refused it: \(error)"
        case .fenceRemoved: return "no saved geofence has this identifier any more"
        case .fenceInactive: return "its geofence is switched off"
        case .fenceNotForDevice: return "its geofence is not for this device"
        case .otherCenter(let meters): return "\(system) watches it \(length(meters)) from where it should be"
        case .otherRadius(let held, let wanted):
            return "\(system) watches a radius of \(length(held)) instead of \(length(wanted))"
        case .sentinelLeft: return "the device has left the circle that guards the geofences left out"
        case .sentinelGuardsTooLittle: return "it no longer guards every geofence left out"
        case .withoutEntry: return "it is registered without the notification on entry"
        case .withoutExit: return "it is registered without the notification on exit"
        case .stateContradicted(let seen, let believed):
            return "fixes show the device \(seen.rawValue), and \(system) still believes it \(believed.rawValue)"
        case .locationOff: return "location services are switched off on the device"
        case .authorization(let status):
            return "the app's authorization is '\(status.rawValue)', and only 'always' watches in the background"
        case .imprecise: return "the app may know only the approximate location"
        case .noBackgroundRefresh: return "the app may not run in the background"
        case .batteryOptimized: return "the device saves battery at the app's expense"
        case .fartherThanChosen(let meters?):
            return "its boundary is \(length(meters)) away, and other geofences need the slots"
        case .fartherThanChosen(nil): return "other geofences need the slots"
        case .lowerPriority: return "there is no fix yet, and geofences of higher priority have taken the slots"
        case .sentinelNotNeeded: return "every geofence is registered, so nothing needs guarding"
        case .otherSDK: return "it was not registered by Picket, and takes one of \(profile.limit) slots"
        case .belowReliableRadius(let radius):
            return profile.raisesSmallRadii
                ? "its radius of \(length(radius)) is watched as \(length(profile.smallestReliableRadius))"
                : "its radius of \(length(radius)) is less than \(system) watches reliably"
        case .tooLarge(let radius):
            return "its radius of \(length(radius)) is more than \(system) watches; it is followed by fixes alone"
        case .watchedByEnclosingCircle: return "\(system) watches circles only, so it watches the one around this area"
        case .malformed: return "it is no circle that could be watched"
        case .tooManyNearby: return "so many geofences crowd around the device that no choice can guarantee this one"
        case .noSlots: return "other SDKs in the app have taken every slot"
        case .coarseFix(let accuracy):
            return "the last fix is known to \(length(accuracy)) only, too coarse to guarantee this one"
        }
    }

    func reason(_ reason: RegistryOperation.Reason, _ profile: PlatformProfile) -> String {
        switch reason {
        case .finding(.missing, .notListed): "it should be registered and is not"
        case .finding(_, let cause): self.cause(cause, profile)
        case .guardsLeftOutFences: "geofences are left out, and leaving this circle asks for a new choice"
        case .stateUnknown: "it was added, and only its state tells whether the device is in it"
        }
    }

    func registrationReason(_ reason: RegistrationReason, _ profile: PlatformProfile) -> String {
        switch reason {
        case .chosen(let reason, let isRegistered):
            let why =
                switch reason {
                case .everythingFits: "there is room for every geofence"
                case .pinned: "the device is in it, and its exit must be seen"
                case .near(let meters): "its boundary is \(length(meters)) away, too close for the sentinel to guard it"
                case .stays(let meters): "its boundary is \(length(meters)) away, and no other geofence needs its slot"
                case .crowded(let meters):
                    "its boundary is \(length(meters)) away in a crowd of them, and its priority is among the highest"
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

    private func disruptionText(_ disruption: RegistrySnapshot.Disruption) -> String {
        switch disruption {
        case .reboot: "the device was restarted"
        case .reinstall: "the app was installed anew"
        case .dataCleared: "the app's data was cleared"
        case .update: "the app was updated"
        case .forceStop: "the app was stopped by force"
        case .locationOff: "location was switched off"
        case .permissionRevoked: "the permission was revoked"
        }
    }

    private func length(_ meters: Double) -> String { length(meters, separator: ".") ?? "no length" }
}
