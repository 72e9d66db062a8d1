import Model
import Registry

/// The texts of one language about the regions that are registered with a device's operating system: health, findings and repair
/// operations. Sentences have no full stop.
///
/// A new case of an enumeration does not compile until every language has a text for the case. The texts of recovery actions and
/// problems are in `Problem.Row`.
package protocol RegistrationCatalog: Sendable {
    func summary(_ summary: HealthSummary) -> String
    /// The kind of a finding in one or two words, as the beginning of a line.
    func kind(_ kind: Finding.Kind) -> String
    func cause(_ cause: Finding.Cause, _ profile: PlatformProfile) -> String
    /// The call of an operation in one or two words, as the beginning of a line.
    func callName(_ kind: RegistryOperation.Call.Name) -> String
    func reason(_ reason: RegistryOperation.Reason, _ profile: PlatformProfile) -> String
    func outcome(_ outcome: RepairReport.Step.Outcome) -> String
    /// Why a geofence is or is not registered.
    func registrationReason(_ reason: RegistrationReason, _ profile: PlatformProfile) -> String
    /// The name of the sentinel, shown in place of a geofence's name. The sentinel is the circle around the device whose exit
    /// triggers a new selection of geofences.
    var sentinel: String { get }
}

extension Language {
    package var registration: any RegistrationCatalog {
        self == .turkish ? TurkishRegistration() : EnglishRegistrationCatalog()
    }
}

extension Finding {
    /// The sentinel's name in English.
    static let sentinelName = Language.english.registration.sentinel

    /// The cause as a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        cause.words(profile, in: language)
    }

    /// The name to show to people: the geofence's name, or a substitute if there is none. Nil if the finding concerns the whole
    /// device.
    package func name(in language: Language) -> String? {
        geofenceID == RegionID.sentinel.shortText ? language.registration.sentinel : name
    }
}

extension Finding.Cause {
    /// The cause as a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        language.registration.cause(self, profile)
    }
}

extension RegistryOperation {
    /// The reason for the operation as a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        language.registration.reason(reason, profile)
    }

    /// The name to show to people: the geofence's name, or the identifier if there is no name.
    package func name(in language: Language) -> String { id == .sentinel ? language.registration.sentinel : name }
}

extension RegistrationReason {
    /// The reason as a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        language.registration.registrationReason(self, profile)
    }
}

extension RegistrationCatalog {
    /// Formats a length: in meters below one kilometer, otherwise in kilometers with one decimal. Nil for a length that is not
    /// finite, or is one million kilometers or more.
    ///
    /// - Parameter separator: The decimal separator.
    func length(_ meters: Double, separator: String) -> String? {
        guard meters.isFinite, meters < 1e9 else { return nil }
        if meters < 9.95 || meters >= 999.5 {
            let isShort = meters < 999.5
            let decimal = "\((meters / (isShort ? 1 : 1000) * 10).rounded() / 10)"
            return decimal.replacing(".", with: separator) + (isShort ? " m" : " km")
        }
        return "\(Int(meters.rounded())) m"
    }
}
