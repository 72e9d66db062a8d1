import Model
import Service

// Access to the rules of a running service.

extension RemoteService: RuleDesk {
    func ruleDocuments() throws(Problem) -> [JSONValue] { try connection.ask("GET", ["rules"]).list("rules").map(\.json) }

    func ruleDocument(id: String) throws(Problem) -> JSONValue { try connection.ask("GET", ["rules", try known(id)]).json }

    func makeRule(_ json: JSONValue) throws(Problem) -> JSONValue {
        try connection.ask("POST", ["rules"], body: .json(json)).json
    }

    func putRule(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        try connection.ask("PUT", ["rules", try known(id)], body: .json(json)).json
    }

    func deleteRule(id: String) throws(Problem) { try connection.tell("DELETE", ["rules", try known(id)]) }

    /// The id, if it can be part of a path.
    ///
    /// - Throws: `Problem.notFound` for an empty id.
    private func known(_ id: String) throws(Problem) -> String {
        if id.isEmpty { throw .notFound(kind: "rule", id: "", similar: []) }
        return id
    }
}
