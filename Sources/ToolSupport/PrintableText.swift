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
}

extension String {
    /// The text, padded with spaces at the end to a width.
    package func padding(_ width: Int) -> String { count >= width ? self : self + String(repeating: " ", count: width - count) }

    /// The text, padded with spaces at the beginning to a width.
    package func leading(_ width: Int) -> String { count >= width ? self : String(repeating: " ", count: width - count) + self }
}
