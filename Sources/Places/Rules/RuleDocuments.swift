import Core
import Model

// Rules for commands; see `QueryBackend` and `CommandBackend`.

extension Queries {
    package func ruleDocuments() throws(Problem) -> [JSONValue] { try presenceRules().map(\.json) }

    package func ruleDocument(id: String) throws(Problem) -> JSONValue { try presenceRule(id: id).json }
}

extension ServiceWriter {
    package func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue { try createRule(json).json }

    package func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue { try saveRule(json, id: id).json }
}
