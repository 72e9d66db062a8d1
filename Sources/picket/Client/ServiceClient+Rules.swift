import Model

// Access to rules.

extension ServiceClient {
    func ruleDocuments() throws(Problem) -> [JSONValue] { try connection.send("GET", ["rules"]).list("rules").map(\.json) }

    func ruleDocument(id: String) throws(Problem) -> JSONValue {
        try connection.send("GET", ["rules", nonEmptyID(id, .rule)]).json
    }

    func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue {
        try connection.send("POST", ["rules"], body: .json(json)).json
    }

    func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        try connection.send("PUT", ["rules", nonEmptyID(id, .rule)], body: .json(json)).json
    }

    func removePresenceRule(id: String) throws(Problem) {
        try connection.sendWithoutAnswer("DELETE", ["rules", nonEmptyID(id, .rule)])
    }
}
