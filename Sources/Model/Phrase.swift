/// A text for people: an English text with values, and its translations.
///
/// The English text is written where it is used. The catalog of another language, such as `data/languages/tr.po`, has the translation for
/// it. `tools/texts` keeps the catalogs complete; it finds the texts by `Phrase(`, so that they must be literals.
///
///     Phrase("it has \(count) characters, and the maximum is \(limit)")
///     Phrase(count, one: "it has \(count) byte", other: "it has \(count) bytes")
public struct Phrase: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case template(Template)
        /// A text with a number on which its form depends.
        case counted(Int, one: Template, other: Template)
        case verbatim(String)
        case recorded([Language: String])
    }

    let content: Content

    private init(content: Content) {
        self.content = content
    }

    /// A text of Picket in English.
    public init(_ english: Template) {
        self.init(content: .template(english))
    }

    /// A text whose form depends on a number.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - one: The English text for the number 1.
    ///   - other: The English text for all other numbers.
    public init(_ count: Int, one: Template, other: Template) {
        self.init(content: .counted(count, one: one, other: other))
    }

    /// The words of the system, of a library or of another service. They are the same in every language.
    public static func verbatim(_ text: String) -> Phrase { Phrase(content: .verbatim(text)) }

    /// The text in each language, as another process or an earlier run has stored it.
    public static func recorded(_ texts: [Language: String]) -> Phrase { Phrase(content: .recorded(texts)) }

    /// The text in a language; in English if there is no translation.
    public func text(in language: Language) -> String {
        switch content {
        case .verbatim(let text): text
        case .recorded(let texts): texts[language] ?? texts[.english] ?? ""
        case .template(let english):
            english.text(with: language.catalog?.translation(of: english.format), in: language)
        case .counted(let count, let one, let other):
            if let translation = language.catalog?.translation(of: one.format, count: count) {
                other.text(with: translation, in: language)
            } else {
                (count == 1 ? one : other).text(with: nil, in: language)
            }
        }
    }
}

extension Phrase {
    /// Whether another text is the same, apart from values.
    package func isSameText(as other: Phrase) -> Bool {
        switch (content, other.content) {
        case (.template(let own), .template(let other)): own.format == other.format
        case (.counted(_, let own, _), .counted(_, let other, _)): own.format == other.format
        default: self == other
        }
    }

    /// The values that are texts, including those of texts within.
    package var textValues: [String] {
        guard case .template(let template) = content else { return [] }
        return template.values.flatMap { value -> [String] in
            switch value {
            case .text(let text): [text]
            case .phrase(let phrase): phrase.textValues
            case .list(let words, _): words
            case .number, .decimal: []
            }
        }
    }

    /// The texts within.
    package var phrases: [Phrase] {
        guard case .template(let template) = content else { return [] }
        return template.values.compactMap { if case .phrase(let phrase) = $0 { phrase } else { nil } }
    }

    /// Changes the words of others: those of the system, of a library or of another service, and values that are texts.
    package func mapForeignWords(_ change: (String) -> String) -> Phrase {
        switch content {
        case .verbatim(let text): .verbatim(change(text))
        case .recorded(let texts): .recorded(texts.mapValues(change))
        case .template(let template): Phrase(template.mapForeignWords(change))
        case .counted(let count, let one, let other):
            Phrase(count, one: one.mapForeignWords(change), other: other.mapForeignWords(change))
        }
    }
}

extension Phrase.Template {
    fileprivate func mapForeignWords(_ change: (String) -> String) -> Self {
        let changed = values.map { value -> Phrase.Value in
            switch value {
            case .text(let text): .text(change(text))
            case .list(let words, let end): .list(words.map(change), end: end)
            case .phrase(let phrase): .phrase(phrase.mapForeignWords(change))
            case .number, .decimal: value
            }
        }
        return Self(format: format, values: changed)
    }
}

extension Phrase: CustomStringConvertible {
    /// The text in English, as in logs and details.
    public var description: String { text(in: .english) }
}

extension Phrase {
    /// An English text with places for values.
    public struct Template: Hashable, Sendable {
        /// The text with places such as `{0}`. Other braces are doubled.
        let format: String
        let values: [Value]
    }

    enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
        /// A text with numbers that have a decimal point.
        case decimal(String)
        case phrase(Phrase)
        /// "a, b, c", or "a, b or c" with `end` before the last word.
        case list([String], end: Phrase?)
    }
}

extension Phrase.Template: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self.init(format: StringInterpolation.escaped(value), values: [])
    }

    public init(stringInterpolation: StringInterpolation) {
        self.init(format: stringInterpolation.format, values: stringInterpolation.values)
    }

    /// The values that a text can have.
    public struct StringInterpolation: StringInterpolationProtocol {
        var format = ""
        var values: [Phrase.Value] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            format.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        static func escaped(_ literal: String) -> String {
            guard literal.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else { return literal }
            return literal.replacing("{", with: "{{").replacing("}", with: "}}")
        }

        public mutating func appendLiteral(_ literal: String) { format += Self.escaped(literal) }

        mutating func append(_ value: Phrase.Value) {
            format += "{\(values.count)}"
            values.append(value)
        }

        /// A text that is the same in every language.
        public mutating func appendInterpolation(_ text: String) { append(.text(text)) }
        /// A number, with the separators of a language.
        public mutating func appendInterpolation(_ number: Int) { append(.number(number)) }
        /// A number without separators.
        public mutating func appendInterpolation(plain number: some BinaryInteger) { append(.text(String(number))) }
        /// A time in UTC, such as `2026-05-01T10:00:00.000Z`.
        public mutating func appendInterpolation(_ instant: Instant) { append(.text(instant.description)) }
        /// Another text.
        public mutating func appendInterpolation(_ phrase: Phrase) { append(.phrase(phrase)) }
        /// The name of something.
        package mutating func appendInterpolation(_ named: some Named) { append(.phrase(named.phrase)) }
        /// The message of a problem.
        public mutating func appendInterpolation(_ problem: Problem) { append(.phrase(problem.message)) }
        /// "a, b, c".
        public mutating func appendInterpolation(list words: [String]) { append(.list(words, end: nil)) }
        /// "a, b or c".
        public mutating func appendInterpolation(choice words: [String]) { append(.list(words, end: Phrase(" or "))) }
        /// Seconds, rounded to one unit, for example "5 min".
        public mutating func appendInterpolation(duration seconds: Double) { append(.phrase(Phrase(duration: seconds))) }
        /// Seconds, which may be years.
        public mutating func appendInterpolation(longDuration seconds: Double) { append(.phrase(Phrase(longDuration: seconds))) }
    }

    /// The text with the values in their places.
    ///
    /// - Parameter translation: The format in the language; nil for the English one.
    func text(with translation: String?, in language: Language) -> String {
        let format = translation ?? format
        guard format.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else { return format }
        var text = ""
        var rest = format[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            text += rest[..<brace]
            let next = rest.index(after: brace)
            if next < rest.endIndex, rest[next] == rest[brace] {
                text.append(rest[brace])
                rest = rest[rest.index(after: next)...]
            } else if let end = rest[next...].firstIndex(of: "}"), let index = Int(rest[next..<end]),
                values.indices.contains(index)
            {
                text += values[index].text(in: language)
                rest = rest[rest.index(after: end)...]
            } else {
                // Catalogs are checked for this; see `tools/texts`.
                text.append(rest[brace])
                rest = rest[next...]
            }
        }
        return text + rest
    }
}

extension Phrase.Value {
    func text(in language: Language) -> String {
        switch self {
        case .text(let text): text
        case .number(let number): language.number(number)
        case .decimal(let text): text.replacing(".", with: language.decimalSeparator)
        case .phrase(let phrase): phrase.text(in: language)
        case .list(let words, let end): words.joined(separator: ", ", last: end?.text(in: language) ?? ", ")
        }
    }
}

extension Phrase {
    /// A byte of a text, as people can read it.
    package static func character(_ byte: UInt8) -> Phrase {
        byte.printable.map(verbatim) ?? Phrase("byte 0x\(String(byte, radix: 16))")
    }

    /// The separator of the fields of a file.
    package static func separator(_ text: String) -> Phrase { text == "\t" ? Phrase("tabs") : Phrase("'\(text)'") }

    /// The limits of a length of time, with a space before them; empty for every length.
    package static func bounds(of range: ClosedRange<Double>) -> Phrase {
        let (least, most) = (TimeSpan.text(range.lowerBound), TimeSpan.text(range.upperBound))
        return switch (range.lowerBound, range.upperBound) {
        case (0, TimeSpan.longest): Phrase("")
        case (0, _): Phrase(" of at most \(most)")
        case (TimeSpan.moreThanNone, TimeSpan.longest): Phrase(" of more than 0")
        case (TimeSpan.moreThanNone, _): Phrase(" of more than 0 and at most \(most)")
        case (_, TimeSpan.longest): Phrase(" of at least \(least)")
        default: Phrase(" from \(least) to \(most)")
        }
    }
}

extension Phrase {
    /// A length of time: "45 s", "5 min 30 s", "12 min", "3 h 5 min", "2 d 4 h". The abbreviations have no plural.
    package init(duration seconds: Double) {
        let whole = Int(max(0, min(seconds, 1e12)).rounded())
        let (days, hours, minutes) = (whole / 86_400, whole % 86_400 / 3600, whole % 3600 / 60)
        self =
            switch whole {
            case ..<60: Phrase("\(plain: whole) s")
            case ..<600 where whole % 60 != 0: Phrase("\(plain: minutes) min \(plain: whole % 60) s")
            case ..<3600: Phrase("\(plain: minutes) min")
            case ..<86_400 where minutes != 0: Phrase("\(plain: hours) h \(plain: minutes) min")
            case ..<86_400: Phrase("\(plain: hours) h")
            case _ where hours != 0: Phrase("\(plain: days) d \(plain: hours) h")
            default: Phrase("\(plain: days) d")
            }
    }

    /// A length of time that may be years: as `init(duration:)`, and from a year on "543 years".
    package init(longDuration seconds: Double) {
        let years = Int(max(0, min(seconds, 1e12)) / (365.2425 * 86_400))
        self =
            years == 0
            ? Phrase(duration: seconds) : Phrase(years, one: "\(plain: years) year", other: "\(plain: years) years")
    }
}
