import Model

// Access to rules.

extension ServiceClient {
    /// All presence rules, as documents.
    package func ruleDocuments() throws(Problem) -> [JSONValue] {
        try connection.send("GET", ["rules"]).list("rules").map(\.json)
    }

    /// The document of a presence rule. Throws `Problem.notFound` if there is none with this id.
    package func ruleDocument(id: String) throws(Problem) -> JSONValue {
        try connection.send("GET", ["rules", nonEmptyID(id, .rule)]).json
    }

    /// Creates a presence rule. Returns its document.
    package func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue {
        try connection.send("POST", ["rules"], body: .json(json)).json
    }

    /// Saves a presence rule. Returns its document.
    package func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        try connection.send("PUT", ["rules", nonEmptyID(id, .rule)], body: .json(json)).json
    }

    /// Removes a presence rule.
    package func removePresenceRule(id: String) throws(Problem) {
        try connection.sendWithoutAnswer("DELETE", ["rules", nonEmptyID(id, .rule)])
    }
}
