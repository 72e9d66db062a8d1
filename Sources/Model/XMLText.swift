/// Writes text in XML and HTML.
package enum XMLText {
    /// Escapes text for the content of an element, and for an attribute in quotation marks. A character that XML 1.0 does not allow, not even
    /// escaped (section 2.2), becomes U+FFFD.
    ///
    /// - Parameter isAttribute: Whether tabs and line breaks become references, because a reader of XML makes spaces of those in attributes.
    package static func escaped(_ text: String, isAttribute: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped += isAttribute ? "&#\(scalar.value);" : String(scalar)
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
