/// The texts of one language. A new language is one more implementation. A new problem does not compile until every language has texts for
/// it.
public protocol ProblemCatalog: Sendable {
    /// A heading of a few words.
    func title(_ problem: Problem) -> String
    /// Sentences that say what happened, where, why, and what to do.
    func message(_ problem: Problem) -> String
    /// Why something cannot be used or done, as words that follow a colon, without a period.
    func words(_ reason: Reason) -> String
    /// What is expected, as words that follow "Expected", without a period.
    func words(_ expectation: Expectation) -> String
    /// What could not be read or written, as words that a sentence can begin with.
    func words(_ subject: ProblemSubject) -> String
    /// The name of a kind, without an article.
    func words(_ kind: ItemKind) -> String
    /// What a JSON object stands for, with the article that the language needs.
    func words(_ kind: JSONObjectKind) -> String
    /// The content of a member, followed by the member's name in English.
    func words(_ content: JSONContent) -> String
    /// Why a text is not JSON, as words without a period.
    func words(_ flaw: JSONFlaw) -> String
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
