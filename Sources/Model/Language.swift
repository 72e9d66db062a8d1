/// The available languages.
public enum Language: String, CaseIterable, Sendable {
    /// English, the language of everything that has no translation.
    case english = "en"
    /// Turkish.
    case turkish = "tr"

    /// The texts of problems in this language.
    public var catalog: any ProblemCatalog {
        switch self {
        case .english: English()
        case .turkish: Turkish()
        }
    }

    /// The language of a tag or locale such as `tr`, `tr-TR` or `tr_TR.UTF-8`; nil for an unavailable language.
    public init?(tag: String) {
        guard
            let language = tag.split(whereSeparator: { "-_.@".contains($0) }).first.flatMap({
                Language(rawValue: $0.lowercased())
            })
        else { return nil }
        self = language
    }
}
