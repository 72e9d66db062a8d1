/// The words of one language for every problem. A new language is one more implementation; a new problem does not compile
/// until every language has its words.
public protocol ProblemCatalog: Sendable {
    /// A few words, for a heading.
    func title(_ problem: Problem) -> String
    /// What happened, where, why and what to do, in sentences.
    func message(_ problem: Problem) -> String
    /// How a connection that is tried again stands, in a sentence or two.
    func notice(_ notice: ConnectionNotice) -> String
    /// What the button or command is called.
    func label(_ action: Problem.RecoveryAction) -> String
    /// What a report for whoever helps holds and what it does not, in sentences.
    var reportContents: String { get }
    /// How to ask for help, in a sentence.
    func askForHelp(_ contact: SupportContact) -> String
    /// How the outline of a geofence was read, and how to have it read the other way, in sentences.
    func note(_ note: GeofenceNote) -> String
    /// What a device's registrations with its operating system are called, for a heading.
    var registration: String { get }
}

/// The languages that Picket speaks.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case turkish = "tr"

    public var words: any ProblemCatalog {
        switch self {
        case .english: English()
        case .turkish: Turkish()
        }
    }

    /// The language of a tag or locale, as `tr`, `tr-TR` or `tr_TR.UTF-8`; nil for others.
    public init?(tag: String) {
        guard
            let language = tag.split(whereSeparator: { "-_.@".contains($0) }).first.flatMap({
                Language(rawValue: $0.lowercased())
            })
        else { return nil }
        self = language
    }
}
