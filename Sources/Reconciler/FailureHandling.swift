import Geodesy
import Registry

/// Where a failure of a registration leads.
enum FailureHandling: Hashable {
    /// A person has to allow something.
    case person
    /// There was no slot: plan again with the true budget.
    case replan
    /// Wait, and try again.
    case backOff
    /// Wait, try again, and take more time between calls.
    case slowDown
    /// It will never work.
    case giveUp

    init(_ error: RegistryError) {
        switch error.code {
        case .regionMonitoringDenied, .insufficientLocationPermission: self = .person
        case .regionMonitoringFailure, .tooManyGeofences: self = .replan
        case .requestTooFrequent: self = .slowDown
        case .developerError, .unsupported: self = .giveUp
        default: self = .backOff
        }
    }
}

extension RegistryError {
    /// The region that the system named in place of `wanted`, if it can be had instead: of the same name, and no smaller, so that
    /// nothing which the sentinel relies on is left unwatched.
    func usableAlternative(to wanted: Region, _ profile: PlatformProfile) -> Region? {
        guard var alternative, alternative.id == wanted.id, alternative.circle != wanted.circle,
            alternative.circle.center.isValid, profile.takes(radius: alternative.circle.radius)
        else { return nil }
        let chord = EarthVector(alternative.circle.center).chordSquared(to: EarthVector(wanted.circle.center)).squareRoot()
        guard EarthVector.longestGeodesic(chord: chord) + wanted.circle.radius <= alternative.circle.radius else { return nil }
        alternative.notifyOnEntry = true
        alternative.notifyOnExit = true
        return alternative
    }
}
