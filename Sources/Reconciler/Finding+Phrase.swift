import Model
import Registry

extension Finding {
    /// The name of the sentinel, shown instead of a geofence's name.
    static let sentinel = Phrase("Sentinel")

    /// The sentinel's name in English.
    static let sentinelName = sentinel.description

    /// The cause as a sentence without a period at the end.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        cause.words(profile, in: language)
    }

    /// The name to show to people: the geofence's name, or a substitute if there is none. Nil if the finding concerns the whole
    /// device.
    package func name(in language: Language) -> String? {
        geofenceID == RegionID.sentinel.shortText ? Self.sentinel.text(in: language) : name
    }
}

extension Finding.Kind: Named {
    /// One or two words, as the beginning of a line.
    package var phrase: Phrase {
        switch self {
        case .missing: Phrase("missing")
        case .orphaned: Phrase("orphaned")
        case .drifted: Phrase("drifted")
        case .deaf: Phrase("deaf")
        case .zombie: Phrase("zombie")
        case .unmonitored: Phrase("unmonitored")
        case .blocked: Phrase("blocked")
        case .degraded: Phrase("degraded")
        case .surplus: Phrase("surplus")
        case .overBudget: Phrase("overBudget")
        case .foreign: Phrase("foreign")
        case .unsupported: Phrase("unsupported")
        case .atRisk: Phrase("atRisk")
        }
    }
}

extension Finding.Cause {
    /// The cause as a sentence without a period at the end.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        phrase(profile).text(in: language)
    }

    /// A sentence without a period at the end.
    package func phrase(_ profile: PlatformProfile) -> Phrase {
        let system = profile.name
        return switch self {
        case .notListed: Phrase("it is not registered with \(system)")
        case .mayHaveBeenDropped(nil): Phrase("the OS may have dropped it: the phone has been silent for a week or more")
        case .mayHaveBeenDropped(let disruption?): Phrase("the OS may have dropped it: \(disruption.phrase)")
        case .interrupted: Phrase("a repair was interrupted before \(system) confirmed it")
        case .refused(let error): Phrase("\(system) refused it: \(error.description)")
        case .recordLost:
            Phrase("Picket's own record was damaged, so it is not known whether it is registered with \(system)")
        case .fenceRemoved: Phrase("there is no longer a geofence with this identifier")
        case .fenceInactive: Phrase("its geofence is switched off")
        case .fenceNotForDevice: Phrase("its geofence is not for this device")
        case .otherCenter(let meters): Phrase("\(system) watches it \(length: meters) from where it should be")
        case .otherRadius(let held, let wanted):
            Phrase("\(system) watches a radius of \(length: held) instead of \(length: wanted)")
        case .sentinelLeft: Phrase("the device has left the sentinel, which guards the geofences that are not registered")
        case .sentinelGuardsTooLittle: Phrase("it no longer guards every geofence that is not registered")
        case .withoutEntry: Phrase("it is registered without the notification on enter")
        case .withoutExit: Phrase("it is registered without the notification on exit")
        case .stateContradicted(let seen, let believed):
            Phrase("positions show the device \(seen.phrase), but \(system) still has the state \(believed.phrase)")
        case .overSystemLimit:
            Phrase("\(system) lists it, but does not monitor it, because there are more than \(plain: profile.limit) regions")
        case .locationOff: Phrase("location services are switched off on the device")
        case .authorization(let status):
            Phrase(
                "the app's authorization is '\(status.rawValue)', but regions are watched in the background only with 'always'")
        case .imprecise: Phrase("the app may use only the approximate location")
        case .noBackgroundRefresh: Phrase("the app may not run in the background")
        case .batteryOptimized: Phrase("the device restricts the app to save battery")
        case .fartherThanChosen(let meters?):
            Phrase("its boundary is \(length: meters) away, and other geofences need the slots")
        case .fartherThanChosen(nil): Phrase("other geofences need the slots")
        case .lowerPriority: Phrase("there is no position yet, and geofences with a higher priority use the slots")
        case .sentinelNotNeeded: Phrase("every geofence is registered, so no sentinel is needed")
        case .otherSDK: Phrase("it was not registered by Picket, but uses one of \(plain: profile.limit) slots")
        case .belowReliableRadius(let radius):
            profile.raisesSmallRadii
                ? Phrase("its radius of \(length: radius) is watched as \(length: profile.smallestReliableRadius)")
                : Phrase("its radius of \(length: radius) is smaller than \(system) watches reliably")
        case .tooLarge(let radius):
            Phrase("its radius of \(length: radius) is larger than \(system) watches; only positions decide")
        case .watchedByEnclosingCircle: Phrase("\(system) watches circles only, so it watches the circle around this area")
        case .malformed: Phrase("it is not a circle that can be watched")
        case .tooManyNearby:
            Phrase("too many geofences are near the device, so the phone can miss an enter or exit of this one")
        case .noSlots: Phrase("other SDKs in the app use all slots")
        case .coarseFix(let accuracy):
            Phrase("the accuracy of the last position is only \(length: accuracy), too coarse to guarantee this one")
        }
    }
}

extension RegistrySnapshot.Disruption {
    fileprivate var phrase: Phrase {
        switch self {
        case .reboot: Phrase("the device was restarted")
        case .reinstall: Phrase("the app was reinstalled")
        case .dataCleared: Phrase("the app's data was cleared")
        case .update: Phrase("the app was updated")
        case .forceStop: Phrase("the app was force-stopped")
        case .locationOff: Phrase("location was switched off")
        case .permissionRevoked: Phrase("the permission was revoked")
        }
    }
}

extension RegionState {
    fileprivate var phrase: Phrase {
        switch self {
        case .inside: Phrase("inside")
        case .outside: Phrase("outside")
        case .unknown: Phrase("unknown")
        }
    }
}
