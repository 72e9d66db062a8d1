/// Writes lines of CSV (RFC 4180, but with line feeds as line breaks).
package enum CSVLine {
    /// A line of fields, with its line break.
    ///
    /// An apostrophe is put before text that a spreadsheet would evaluate as a formula, so that a name cannot run anything when the file is
    /// opened.
    package static func written(_ fields: [Field]) -> String { fields.map(\.text).joined(separator: ",") + "\n" }

    /// A field of a line. A string literal makes a plain field.
    package enum Field: Sendable, ExpressibleByStringLiteral {
        /// Text from people or devices.
        case words(String)
        /// A number, a time or a constant of Picket, which is never a formula.
        case plain(String)
        case empty

        package init(stringLiteral value: String) { self = .plain(value) }

        /// A plain field; `.empty` for nil.
        package init(_ plain: (some CustomStringConvertible)?) { self = plain.map { .plain($0.description) } ?? .empty }

        var text: String {
            switch self {
            case .empty: return ""
            case .plain(let text): return Self.quoted(text)
            case .words(let text):
                let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
                return Self.quoted(isFormula ? "'" + text : text)
            }
        }

        private static func quoted(_ text: String) -> String {
            guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
            return "\"" + text.replacing("\"", with: "\"\"") + "\""
        }
    }
}
