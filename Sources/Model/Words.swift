/// The words of one language for every problem. A new language is one more implementation; a new problem does not compile
/// until every language has its words.
public protocol Words: Sendable {
    /// A few words, for a heading.
    func title(_ problem: Problem) -> String
    /// What happened, where, why and what to do, in sentences.
    func message(_ problem: Problem) -> String
    /// What the button or command is called.
    func label(_ action: Problem.RecoveryAction) -> String
}

/// The languages that Picket speaks.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case turkish = "tr"

    public var words: any Words {
        switch self {
        case .english: English()
        case .turkish: Turkish()
        }
    }
}
