/// The available languages.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case turkish = "tr"

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
