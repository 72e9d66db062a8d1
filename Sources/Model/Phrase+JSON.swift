// A text as JSON, for another process or the store. The English text is in a member such as `reason`, and the texts in other languages are
// in `reasonIn`, by language tag.

extension Phrase {
    /// The members of an object that contain the text in every language.
    package func members(named name: String = "reason") -> [(String, JSONValue?)] {
        let english = text(in: .english)
        let others = Language.allCases.dropFirst().compactMap { language -> JSONValue.Member? in
            let text = text(in: language)
            return text == english ? nil : .init(language.rawValue, .string(text))
        }
        return [(name, .string(english)), (name + "In", others.isEmpty ? nil : .object(others))]
    }

    /// Reads the members that `members(named:)` has written; nil when they are missing.
    package init?(json: JSONValue, named name: String = "reason") {
        guard let english = json[name]?.string else { return nil }
        guard let others = json[name + "In"] else {
            self = .verbatim(english)
            return
        }
        var texts: [Language: String] = [.english: english]
        for language in Language.allCases.dropFirst() {
            if let text = others[language.rawValue]?.string { texts[language] = text }
        }
        self = .recorded(texts)
    }

    /// The text if it is the same in every language.
    package var verbatimText: String? { if case .verbatim(let text) = content { text } else { nil } }
}

extension ProblemSubject {
    /// See `Phrase.members(named:)`.
    package func members(named name: String) -> [(String, JSONValue?)] { phrase.members(named: name) }

    package init?(json: JSONValue, named name: String) {
        switch Phrase(json: json, named: name)?.content {
        case .recorded(let texts)?: self = .recorded(texts)
        case .verbatim(let text)?: self = .verbatim(text)
        default: return nil
        }
    }
}
