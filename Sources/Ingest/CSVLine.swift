/// Writes lines of CSV (RFC 4180, but with the line ends that tools of this system expect).
public enum CSVLine {
    /// A line of fields, with its end.
    ///
    /// A text that a spreadsheet would take for a formula begins with an apostrophe, so that opening a file runs nothing that somebody
    /// wrote as a name.
    public static func written(_ fields: [Field]) -> String { fields.map(\.text).joined(separator: ",") + "\n" }

    public enum Field: Sendable, ExpressibleByStringLiteral {
        /// What people or devices wrote.
        case words(String)
        /// A number, a time or a word of Picket's own, as it is.
        case plain(String)
        case empty

        public init(stringLiteral value: String) { self = .plain(value) }

        /// `.empty` for nil.
        public init(_ plain: (some CustomStringConvertible)?) { self = plain.map { .plain($0.description) } ?? .empty }

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
