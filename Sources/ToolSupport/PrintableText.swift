import Service

extension Format {
    /// Text of unknown origin, made safe for a terminal: control and format characters (also those that change the writing direction)
    /// become `\u{…}`, and the text is cut after `most` characters.
    package static func printable(_ text: String, atMost most: Int = 80) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(most) {
            if [.control, .format].contains(scalar.properties.generalCategory) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > most ? shown + "…" : shown
    }

    /// A name that a person chose, made safe for a terminal: control characters, which earlier versions accepted in some names, become
    /// `\u{…}`.
    package static func name(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            shown += scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
    }
}

extension String {
    /// The text, padded with spaces at the end to a width.
    package func padding(_ width: Int) -> String { count >= width ? self : self + String(repeating: " ", count: width - count) }

    /// The text, padded with spaces at the beginning to a width.
    package func leading(_ width: Int) -> String { count >= width ? self : String(repeating: " ", count: width - count) + self }
}
