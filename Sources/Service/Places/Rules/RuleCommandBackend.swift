import Model

/// Rules as commands change them.
package protocol RuleCommandBackend: RuleQueryBackend {
    func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue
    func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue
    func deleteRule(id: String) throws(Problem)
}

extension Queries: RuleQueryBackend {
    package func ruleDocuments() throws(Problem) -> [JSONValue] { try presenceRules().map(\.json) }

    package func ruleDocument(id: String) throws(Problem) -> JSONValue { try presenceRule(id: id).json }
}

extension ServiceWriter: RuleCommandBackend {
    package func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue { try createRule(json).json }

    package func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue { try saveRule(json, id: id).json }

    package func deleteRule(id: String) throws(Problem) { try removePresenceRule(id: id) }
}
