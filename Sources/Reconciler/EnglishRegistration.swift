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
        case .noRoom(let system): "No room for geofences in \(system)"
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
        case .notListed: return "it is not registered with \(system)"
        case .mayHaveBeenDropped(nil): return "the OS may have dropped it: the phone has been silent for a week or more"
        case .mayHaveBeenDropped(let disruption?): return "the OS may have dropped it: \(disruptionText(disruption))"
        case .interrupted: return "a repair was interrupted before \(system) confirmed it"
        case .refused(let error): return "\(system) refused it: \(error)"
        case .recordLost: return "Picket's own record was damaged, so it is not known whether it is registered with \(system)"
        case .fenceRemoved: return "there is no longer a geofence with this identifier"
        case .fenceInactive: return "its geofence is switched off"
        case .fenceNotForDevice: return "its geofence is not for this device"
        case .otherCenter(let meters): return "\(system) watches it \(length(meters)) from where it should be"
        case .otherRadius(let held, let wanted):
            return "\(system) watches a radius of \(length(held)) instead of \(length(wanted))"
        case .sentinelLeft: return "the device has left the sentinel, which guards the geofences that are not registered"
        case .sentinelGuardsTooLittle: return "it no longer guards every geofence that is not registered"
        case .withoutEntry: return "it is registered without the notification on enter"
        case .withoutExit: return "it is registered without the notification on exit"
        case .stateContradicted(let seen, let believed):
            return "positions show the device \(seen.rawValue), but \(system) still has the state \(believed.rawValue)"
        case .overSystemLimit:
            return "\(system) lists it, but does not monitor it, because there are more than \(profile.limit) regions"
        case .locationOff: return "location services are switched off on the device"
        case .authorization(let status):
            return "the app's authorization is '\(status.rawValue)', but regions are watched in the background only with 'always'"
        case .imprecise: return "the app may use only the approximate location"
        case .noBackgroundRefresh: return "the app may not run in the background"
        case .batteryOptimized: return "the device restricts the app to save battery"
        case .fartherThanChosen(let meters?):
            return "its boundary is \(length(meters)) away, and other geofences need the slots"
        case .fartherThanChosen(nil): return "other geofences need the slots"
        case .lowerPriority: return "there is no position yet, and geofences with a higher priority use the slots"
        case .sentinelNotNeeded: return "every geofence is registered, so no sentinel is needed"
        case .otherSDK: return "it was not registered by Picket, but uses one of \(profile.limit) slots"
        case .belowReliableRadius(let radius):
            return profile.raisesSmallRadii
                ? "its radius of \(length(radius)) is watched as \(length(profile.smallestReliableRadius))"
                : "its radius of \(length(radius)) is smaller than \(system) watches reliably"
        case .tooLarge(let radius):
            return "its radius of \(length(radius)) is larger than \(system) watches; only positions decide"
        case .watchedByEnclosingCircle: return "\(system) watches circles only, so it watches the circle around this area"
        case .malformed: return "it is not a circle that can be watched"
        case .tooManyNearby: return "too many geofences are near the device to guarantee this one"
        case .noSlots: return "other SDKs in the app use all slots"
        case .coarseFix(let accuracy):
            return "the accuracy of the last position is only \(length(accuracy)), too coarse to guarantee this one"
        }
    }

    func reason(_ reason: RegistryOperation.Reason, _ profile: PlatformProfile) -> String {
        switch reason {
        case .finding(.missing, .notListed): "it should be registered, but is not"
        case .finding(_, let cause): self.cause(cause, profile)
        case .guardsLeftOutFences: "some geofences are not registered; when the device leaves this circle, Picket chooses again"
        case .stateUnknown: "it was added, and its state shows whether the device is in it"
        }
    }

    func registrationReason(_ reason: RegistrationReason, _ profile: PlatformProfile) -> String {
        switch reason {
        case .chosen(let reason, let isRegistered):
            let why =
                switch reason {
                case .everythingFits: "there is room for every geofence"
                case .pinned: "the device is in it, so its exit must be reported"
                case .near(let meters): "its boundary is \(length(meters)) away, too close for the sentinel to guard it"
                case .stays(let meters): "its boundary is \(length(meters)) away, and no other geofence needs its slot"
                case .crowded(let meters):
                    "its boundary is \(length(meters)) away among many others, and its priority is among the highest"
                case .priority: "there is no position yet, and its priority is among the highest"
                }
            return isRegistered ? "registered: \(why)" : "missing: it should be registered, because \(why)"
        case .leftOut(let distance?, true):
            return
                "not registered: its boundary is \(length(distance)) away; Picket chooses again when the device leaves the sentinel, before it can reach it"
        case .leftOut(nil, true): return "not registered: there is no position yet, and other geofences have a higher priority"
        case .leftOut(let distance, false):
            let away = distance.map { "its boundary is \(length($0)) away" } ?? "there is no position yet"
            return "not registered, and at risk: \(away), and the sentinel does not guard it"
        case .unwatchable(.malformed, _): return "never registered: it is not a circle that can be watched"
        case .unwatchable(_, let radius):
            return
                "never registered: its radius of \(length(radius)) is larger than \(profile.name) watches; only positions decide"
        case .inactive: return "not registered: it is switched off"
        case .forOthers: return "not registered: it is not for this device"
        case .unknown: return "there is no such geofence"
        }
    }

    private func disruptionText(_ disruption: RegistrySnapshot.Disruption) -> String {
        switch disruption {
        case .reboot: "the device was restarted"
        case .reinstall: "the app was reinstalled"
        case .dataCleared: "the app's data was cleared"
        case .update: "the app was updated"
        case .forceStop: "the app was force-stopped"
        case .locationOff: "location was switched off"
        case .permissionRevoked: "the permission was revoked"
        }
    }

    private func length(_ meters: Double) -> String { length(meters, separator: ".") ?? "no length" }
}
