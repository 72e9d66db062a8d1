import Model
import SQLite
import Store

extension PicketStore {
    /// The preferences saved for a token; nil if none were saved.
    ///
    /// - Parameter token: The token's id; nil for users without a token.
    func preferences(ofToken token: String?) throws(Problem) -> JSONValue? {
        let text = try firstValue("SELECT preferences FROM preference WHERE token = ?", token ?? "", as: String.self)
        guard let text else { return nil }
        do {
            return try JSONParser.parse(text)
        } catch {
            throw damaged("the preferences of the token '\(token ?? "")' are not JSON: \(error.reason)")
        }
    }

    /// Saves the preferences for a token.
    ///
    /// - Parameter token: The token's id; nil for users without a token.
    func save(preferences: JSONValue, ofToken token: String?, in transaction: borrowing Transaction) throws(Problem) {
        try execute("INSERT OR REPLACE INTO preference VALUES (?, ?)", token ?? "", preferences.description, in: transaction)
    }
}
