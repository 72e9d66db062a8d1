extension Format {
    /// Text of unknown origin, made safe for a terminal: control and format characters (also those that change the writing direction)
    /// become `\u{…}`, and the text is cut after `most` characters.
    package static func printable(_ text: String, atMost most: Int = 80) -> String {
        let shown = escaped(text.unicodeScalars.prefix(most)) { $0 == .control || $0 == .format }
        return text.unicodeScalars.count > most ? shown + "…" : shown
    }

    /// A name that a person chose, made safe for a terminal: control characters become `\u{…}`.
    package static func name(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return text }
        return escaped(text.unicodeScalars[...]) { $0 == .control }
    }

    private static func escaped(
        _ scalars: Substring.UnicodeScalarView, where isUnsafe: (Unicode.GeneralCategory) -> Bool
    ) -> String {
        scalars.reduce(into: "") { shown, scalar in
            if isUnsafe(scalar.properties.generalCategory) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }
}

extension String {
    /// The text, padded with spaces at the end to a width.
    package func padding(_ width: Int) -> String { count >= width ? self : self + String(repeating: " ", count: width - count) }

    /// The text, padded with spaces at the beginning to a width.
    package func leading(_ width: Int) -> String { count >= width ? self : String(repeating: " ", count: width - count) + self }
}
