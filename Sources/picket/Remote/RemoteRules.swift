import Model
import Service

// Access to the rules of a running service.

extension RemoteService {
    func ruleDocuments() throws(Problem) -> [JSONValue] { try connection.send("GET", ["rules"]).list("rules").map(\.json) }

    func ruleDocument(id: String) throws(Problem) -> JSONValue { try connection.send("GET", ["rules", try nonEmptyID(id)]).json }

    func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue {
        try connection.send("POST", ["rules"], body: .json(json)).json
    }

    func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        try connection.send("PUT", ["rules", try nonEmptyID(id)], body: .json(json)).json
    }

    func removePresenceRule(id: String) throws(Problem) {
        try connection.sendWithoutAnswer("DELETE", ["rules", try nonEmptyID(id)])
    }

    /// The id, if it can be part of a path.
    ///
    /// - Throws: `Problem.notFound` for an empty id.
    private func nonEmptyID(_ id: String) throws(Problem) -> String {
        if id.isEmpty { throw .notFound(kind: .rule, id: "", similar: []) }
        return id
    }
}
