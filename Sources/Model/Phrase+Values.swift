// Values of texts beside those in `Phrase`.

extension Phrase.Template.StringInterpolation {
    /// A text with numbers that have a decimal point, such as "1.2 km". Some languages write them with a comma.
    public mutating func appendInterpolation(decimal text: String) { append(.decimal(text)) }

    /// A length in meters, for example "350 m" or "1.2 km".
    package mutating func appendInterpolation(length meters: Double) { append(.phrase(Phrase(length: meters))) }

    /// A share from 0 to 1 in whole percent, without the sign, whose place depends on the language.
    package mutating func appendInterpolation(percent share: Double) { appendInterpolation(plain: Int((share * 100).rounded())) }
}

extension Phrase {
    /// A length in meters: "4.5 m", "350 m", "1.2 km", "1,235 km".
    ///
    /// - Parameter meters: A length, or a distance from a boundary, which is negative inside.
    fileprivate init(length meters: Double) {
        let meters = meters.magnitude
        // False also for NaN.
        guard meters < 1e9 else {
            self = Phrase("no length")
            return
        }
        let isInMeters = meters < 999.5
        let value = isInMeters ? meters : meters / 1000
        let hasDecimal = value < (isInMeters ? 9.95 : 99.95)
        let number =
            hasDecimal
            ? Phrase("\(decimal: JSONValue((value * 10).rounded() / 10).description)") : Phrase("\(Int(value.rounded()))")
        self = isInMeters ? Phrase("\(number) m") : Phrase("\(number) km")
    }

    /// The texts with a separator between them, which is the same in every language; an empty text for none.
    package static func joined(_ phrases: [Phrase], separator: String) -> Phrase {
        phrases.dropFirst().reduce(phrases.first ?? Phrase("")) { Phrase("\($0)\(separator)\($1)") }
    }

    /// The parts of a text that are separated by `|`, such as the headings of a table. They are one text, because the words alone have other
    /// translations elsewhere. If a translation has another number of parts, they are in English.
    package func parts(in language: Language) -> [String] {
        func parts(_ language: Language) -> [String] {
            text(in: language).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
        let (english, own) = (parts(.english), parts(language))
        return own.count == english.count ? own : english
    }
}
