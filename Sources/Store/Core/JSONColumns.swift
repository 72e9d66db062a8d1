import Model

// Columns that hold JSON.

extension PicketStore {
    /// The value of a column.
    ///
    /// - Throws: `Problem.storeCorrupt` if the text is not JSON.
    package func json(_ text: String) throws(Problem) -> JSONValue {
        do {
            return try JSONParser.parse(text)
        } catch {
            throw damaged("a column that should hold JSON: \(error.reason)")
        }
    }

    /// The texts of a column with a JSON list; empty for NULL.
    package func list(_ text: String?) throws(Problem) -> [String] {
        guard let text else { return [] }
        return (try json(text).array ?? []).compactMap(\.string)
    }

    /// The column of a list; NULL if the list is empty.
    package static func text(_ list: [String]) -> String? {
        list.isEmpty ? nil : JSONValue.array(list.map(JSONValue.string)).description
    }
}

extension JSONValue {
    /// The stored object without its language if the language's catalog was removed. Texts are in the default language until the
    /// catalog is available again.
    package var withAvailableLanguage: JSONValue {
        guard let tag = self["language"]?.string, tag != "system", Language(rawValue: tag) == nil else { return self }
        return merged(with: ["language": .null])
    }
}
