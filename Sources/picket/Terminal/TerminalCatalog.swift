import Model
import Service

/// What `health`, `fix-registration` and `explain` say around the sentences of `RegistrationCatalog` and `ExplanationCatalog`, in one
/// language. Numbers come as counts, so that each language has its own plurals.
protocol TerminalCatalog: Sendable {
    // Health
    func notManaged(_ devices: Int) -> String
    /// That no device is managed, and how to have one that is: a heading, and what follows with the command to type.
    var nothingManaged: (heading: String, ways: [(what: String, command: String)]) { get }
    func nobodyKnows(saved: Int) -> String
    func counts(registered: Int, saved: Int, missing: Int, orphaned: Int) -> [String]
    func authorization(_ status: String) -> String
    func location(isOn: Bool) -> String
    func reported(at time: String) -> String
    /// How many enters and exits of a geofence the phone has reported, of how many there were.
    func reported(_ count: Int, of all: Int, geofence: String) -> String
    var chosenByPriority: String { get }
    func more(_ findings: Int) -> String
    func leftOut(_ geofences: Int) -> String
    /// - Parameter filter: What was asked for; nil for everything.
    func noHealth(matching filter: String?) -> String

    // Repairs
    var noDeviceManaged: String { get }
    var nothingToDo: String { get }
    func changesPlanned(_ count: Int) -> String
    var planUnknown: String { get }
    func callsMade(_ count: Int) -> String
    func calls(_ count: Int) -> String
    var needsFix: String { get }
    func noRepairs(matching filter: String?) -> String

    // Explanations
    var columns: [String] { get }
    /// Where a fix lies; `length` is to the boundary.
    func place(_ length: String, isInside: Bool) -> String
    /// What a fix says by itself, by `Measurement.Reading`'s raw value.
    func reading(_ name: String) -> String
    func state(_ state: Explanation.State) -> String
    /// A visit that has not ended.
    func since(_ time: String) -> String
    func notSeenSince(_ time: String) -> String
    func thisVisit(_ visit: String) -> String
    /// The visits before and after a moment; one of them at least.
    func visits(before: String?, after: String?) -> String
    var policy: String { get }
    func source(_ source: Explanation.PolicyNumber.Source) -> String
    var unlimited: String { get }
}

extension Language {
    var terminal: any TerminalCatalog {
        switch self {
        case .english: EnglishTerminal()
        case .turkish: TurkishTerminal()
        }
    }
}
