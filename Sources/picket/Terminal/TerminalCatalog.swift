import Model
import Service

/// The texts that `feed`, `problems`, `health`, `fix-registration` and `explain` add to those of the modules, in one language. Counts are passed as numbers, so that each language forms its own plurals.
protocol TerminalCatalog: Sendable {
    // Input
    var refused: String { get }
    var note: String { get }
    func line(_ number: Int) -> String
    /// The number of further entries of a list that are not printed.
    func furtherEntries(_ count: Int) -> String

    // Devices and problems
    /// A remark after the name of a device with a simulated phone.
    var simulated: String { get }
    /// How often a source has failed in a row.
    func failures(_ count: Int) -> String
    var escalated: String { get }
    var dismissed: String { get }
    var noProblem: String { get }
    func problemDismissed(_ id: String) -> String

    // Health
    func notManaged(_ devices: Int) -> String
    /// The texts if no device is managed: a heading, and the ways to get a managed device with the command to type.
    var nothingManaged: (heading: String, ways: [(what: String, command: String)]) { get }
    func nobodyKnows(saved: Int) -> String
    func counts(registered: Int, saved: Int, missing: Int, orphaned: Int) -> [String]
    func authorization(_ status: String) -> String
    func location(isOn: Bool) -> String
    func reported(at time: String) -> String
    /// The number of enters and exits of a geofence that the phone has reported, and the number of all of them.
    func reported(_ count: Int, of all: Int, geofence: String) -> String
    var chosenByPriority: String { get }
    func more(_ findings: Int) -> String
    func leftOut(_ geofences: Int) -> String
    /// - Parameter filter: The requested filter; nil for all devices.
    func noHealth(matching filter: String?) -> String

    // Repairs
    var noDeviceManaged: String { get }
    var nothingToDo: String { get }
    func changesPlanned(_ count: Int) -> String
    var planUnknown: String { get }
    /// The app of the phone makes the planned calls.
    var appMakesCalls: String { get }
    func callsMade(_ count: Int) -> String
    func calls(_ count: Int) -> String
    var needsFix: String { get }
    func noRepairs(matching filter: String?) -> String

    // Removal of devices
    func removeQuestion(_ device: String, _ contents: DeviceContents) -> String
    func removed(_ device: String, _ contents: DeviceContents) -> String
    /// `since`: the time as a person reads it.
    func removePositionsQuestion(_ removal: PositionRemoval, since: String) -> String
    func removedPositions(_ removal: PositionRemoval, since: String) -> String
    func eraseQuestion(_ device: String) -> String
    /// The hint after a question, and the answers that mean yes.
    var yesOrNo: (hint: String, yes: [String]) { get }

    // Explanations
    var columns: [String] { get }
    /// The place of a fix; `length` is its distance from the boundary.
    func place(_ length: String, isInside: Bool) -> String
    /// The result of a single fix, given by the raw value of a `Measurement.Reading`.
    func reading(_ name: String) -> String
    func state(_ state: Explanation.State) -> String
    /// A visit that has not ended.
    func since(_ time: String) -> String
    func notSeenSince(_ time: String) -> String
    func thisVisit(_ visit: String) -> String
    /// The visits before and after a moment. At least one of them is not nil.
    func visits(before: String?, after: String?) -> String
    var policy: String { get }
    func source(_ source: Explanation.PolicyParameter.Source) -> String
    var unlimited: String { get }
    /// Before the command that makes a change, and before the one that tries it without storing anything.
    var remedyCommands: (change: String, trial: String) { get }
}

extension Language {
    var terminal: any TerminalCatalog {
        switch self {
        case .english: EnglishTerminal()
        case .turkish: TurkishTerminal()
        }
    }
}
