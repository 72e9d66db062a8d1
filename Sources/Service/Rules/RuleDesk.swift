import Model

/// Rules as commands change them.
package protocol RuleDesk: RuleArchive {
    func makeRule(_ json: JSONValue) throws(Problem) -> JSONValue
    func putRule(_ json: JSONValue, id: String) throws(Problem) -> JSONValue
    func deleteRule(id: String) throws(Problem)
}

extension Queries: RuleArchive {
    package func ruleDocuments() throws(Problem) -> [JSONValue] { try presenceRules().map(\.json) }

    package func ruleDocument(id: String) throws(Problem) -> JSONValue { try presenceRule(id: id).json }
}

extension ServiceWriter: RuleDesk {
    package func makeRule(_ json: JSONValue) throws(Problem) -> JSONValue { try create(rule: json).json }

    package func putRule(_ json: JSONValue, id: String) throws(Problem) -> JSONValue { try put(rule: json, id: id).json }

    package func deleteRule(id: String) throws(Problem) { try removePresenceRule(id: id) }
}
