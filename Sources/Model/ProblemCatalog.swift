/// The texts of problems in one language, and how it writes numbers and lists. A new problem does not compile until every language has texts
/// for it. Other texts are a `Phrase` each.
public protocol ProblemCatalog: Sendable {
    /// A heading of a few words.
    func title(_ problem: Problem) -> String
    /// Sentences that say what happened, where, why, and what to do.
    func message(_ problem: Problem) -> String
    /// A whole number with separators.
    func number(_ number: Int) -> String
    /// "a, b, c".
    func list(_ words: [String]) -> String
    /// "a, b or c".
    func choice(_ words: [String]) -> String
    /// The state of a connection that is being retried, in one or two sentences.
    func connectionNotice(_ notice: ConnectionNotice) -> String
    /// The text of a button.
    func actionLabel(_ action: Problem.RecoveryAction) -> String
    /// Sentences that say what a support report contains and what it does not.
    var reportContents: String { get }
    /// A sentence that says how to create a token and use it on the command line.
    var tokenHint: String { get }
    /// A sentence that says how to ask for help.
    func supportHint(_ contact: SupportContact) -> String
    /// Sentences that say how the outline of a geofence was read, and how to have it read the other way.
    func geofenceNote(_ note: GeofenceNote) -> String
    /// A heading for a device's registrations with its operating system.
    var registrationHeading: String { get }
}
