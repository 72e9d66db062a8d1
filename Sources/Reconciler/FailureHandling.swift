import Geodesy
import Registry

/// What the repair does after a registration has failed with an error.
enum FailureHandling: Hashable {
    /// Stop adding regions until the person grants a permission.
    case waitForPerson
    /// The slots are full: read the registry and plan again.
    case replan
    /// Wait, then try again.
    case backOff
    /// Wait, try again, and leave more time between all following calls.
    case slowDown
    /// Do not try again: the same call can never succeed.
    case giveUp

    init(_ error: RegistryError) {
        switch error.code {
        case .regionMonitoringDenied, .insufficientLocationPermission: self = .waitForPerson
        case .regionMonitoringFailure, .tooManyGeofences: self = .replan
        case .requestTooFrequent: self = .slowDown
        case .developerError, .unsupported: self = .giveUp
        default: self = .backOff
        }
    }
}

extension RegistryError {
    /// Whether the operating system would give the same answer for every region of the app: it lacks a permission, location is off, or the
    /// app makes too many calls.
    var concernsAllRegions: Bool {
        [.insufficientLocationPermission, .regionMonitoringDenied, .geofenceNotAvailable, .requestTooFrequent].contains(code)
    }

    /// The region that the operating system proposed instead of `wanted`, if it can be used: it has the same identifier, and contains the
    /// whole wanted circle, so that the sentinel's guarantee still holds. Nil otherwise.
    func usableAlternative(to wanted: Region, _ profile: PlatformProfile) -> Region? {
        guard var alternative, alternative.id == wanted.id, alternative.circle != wanted.circle,
            alternative.circle.center.isValid, profile.accepts(radius: alternative.circle.radius)
        else { return nil }
        let chord = EarthVector(alternative.circle.center).chordSquared(to: EarthVector(wanted.circle.center)).squareRoot()
        guard EarthVector.longestGeodesic(chord: chord) + wanted.circle.radius <= alternative.circle.radius else { return nil }
        alternative.notifyOnEntry = true
        alternative.notifyOnExit = true
        return alternative
    }
}
