import Model
import Registry

/// The words of one language for a device's registrations: health, findings, operations. Sentences have no full stop.
///
/// A new case does not compile until every language has its words. The recovery action and the problem are in `ProblemCatalog`.
package protocol RegistrationCatalog: Sendable {
    func summary(_ summary: HealthSummary) -> String
    /// One word or two, for the head of a line.
    func kind(_ kind: Finding.Kind) -> String
    func cause(_ cause: Finding.Cause, _ profile: PlatformProfile) -> String
    /// What an operation does, in a word or two, for the head of a line.
    func verb(_ kind: RegistryOperation.Kind.Name) -> String
    func reason(_ reason: RegistryOperation.Reason, _ profile: PlatformProfile) -> String
    func outcome(_ outcome: RepairReport.Step.Outcome) -> String
    /// Why a geofence is, or is not, registered.
    func standing(_ reason: RegistrationReason, _ profile: PlatformProfile) -> String
    /// What the sentinel is called where a geofence has its name.
    var sentinel: String { get }
}

extension Language {
    package var registration: any RegistrationCatalog {
        switch self {
        case .english: EnglishRegistration()
        case .turkish: TurkishRegistration()
        }
    }
}

extension Finding {
    /// The sentinel's name in English.
    static let sentinelName = Language.english.registration.sentinel

    /// The cause as a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        cause.words(profile, in: language)
    }

    /// What is meant, for people: the geofence's name, or what there is in its place.
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
    /// Why, as a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        language.registration.reason(reason, profile)
    }

    /// What is meant, for people: the geofence's name, or the identifier where there is none.
    package func name(in language: Language) -> String { id == .sentinel ? language.registration.sentinel : name }
}

extension RegistrationReason {
    /// As a sentence without a full stop.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        language.registration.standing(self, profile)
    }
}

extension RegistrationCatalog {
    /// Metres below a kilometre, else kilometres with one decimal; nil for what is no length.
    ///
    /// - Parameter separator: What stands before a decimal.
    func length(_ metres: Double, separator: String) -> String? {
        guard metres.isFinite, metres < 1e9 else { return nil }
        if metres < 9.95 || metres >= 999.5 {
            let isShort = metres < 999.5
            let decimal = "\((metres / (isShort ? 1 : 1000) * 10).rounded() / 10)"
            return decimal.replacing(".", with: separator) + (isShort ? " m" : " km")
        }
        return "\(Int(metres.rounded())) m"
    }
}
