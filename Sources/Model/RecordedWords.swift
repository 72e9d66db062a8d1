// The words of a reason or an expectation as JSON, for another process or the store. The English words are in a member such as `reason`,
// and the words of other languages are in `reasonIn`, by language tag.

extension Reason {
    /// A reason whose words are in the catalog of another module.
    package static func recorded(inEveryLanguage words: (Language) -> String) -> Reason {
        .recorded(Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, words($0)) }))
    }

    /// The members of an object that contain the words in every language.
    package func members(named name: String = "reason") -> [(String, JSONValue?)] {
        wordsOfEveryLanguage(name) { $0.words(self) }
    }

    /// Reads the members that `members(named:)` has written; nil when they are missing.
    package init?(_ json: JSONValue, named name: String = "reason") {
        guard let english = json[name]?.string else { return nil }
        self = translations(of: english, json, name).map(Reason.recorded) ?? .verbatim(english)
    }
}

extension Expectation {
    /// See `Reason.members(named:)`.
    package func members(named name: String) -> [(String, JSONValue?)] {
        wordsOfEveryLanguage(name) { $0.words(self) }
    }

    package init?(_ json: JSONValue, named name: String) {
        guard let english = json[name]?.string else { return nil }
        self = translations(of: english, json, name).map(Expectation.recorded) ?? .verbatim(english)
    }
}

extension ProblemSubject {
    /// See `Reason.members(named:)`.
    package func members(named name: String) -> [(String, JSONValue?)] {
        wordsOfEveryLanguage(name) { $0.words(self) }
    }

    package init?(_ json: JSONValue, named name: String) {
        guard let english = json[name]?.string else { return nil }
        self = translations(of: english, json, name).map(ProblemSubject.recorded) ?? .verbatim(english)
    }
}

private func wordsOfEveryLanguage(_ name: String, _ words: (any ProblemCatalog) -> String) -> [(String, JSONValue?)] {
    let english = words(Language.english.catalog)
    let others = Language.allCases.compactMap { language -> JSONValue.Member? in
        let text = words(language.catalog)
        return text == english ? nil : .init(language.rawValue, .string(text))
    }
    return [(name, .string(english)), (name + "In", others.isEmpty ? nil : .object(others))]
}

/// Nil when the words are the same in every language.
private func translations(of english: String, _ json: JSONValue, _ name: String) -> [Language: String]? {
    guard let others = json[name + "In"] else { return nil }
    var texts: [Language: String] = [.english: english]
    for language in Language.allCases { if let text = others[language.rawValue]?.string { texts[language] = text } }
    return texts
}
