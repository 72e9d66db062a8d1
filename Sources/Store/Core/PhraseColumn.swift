import Model
import SQLite

// A text for people in a column: a JSON object with the words in every language, or the plain words if they are the same in all languages.

extension Phrase: ColumnValue {
    @usableFromInline package init(_ column: Int32, of row: Statement) {
        let text = String(column, of: row)
        do throws(JSONParser.Failure) {
            self = Phrase(json: try JSONParser.parse(text)) ?? .verbatim(text)
        } catch {
            self = .verbatim(text)
        }
    }

    /// The text of the column.
    package var columnText: String {
        if let text = verbatimText { return text }
        return JSONValue.compact(members()).description
    }
}
