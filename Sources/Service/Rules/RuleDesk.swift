import Model

/// Rules as commands read them: those of a store, or of a running service. As JSON, which says the same in both.
public protocol RuleArchive: AnyObject {
    /// The directory or the address, for messages.
    var place: String { get }

    func ruleDocuments() throws(Problem) -> [JSONValue]
    func ruleDocument(id: String) throws(Problem) -> JSONValue
}

/// Rules as commands change them.
public protocol RuleDesk: RuleArchive {
    func makeRule(_ json: JSONValue) throws(Problem) -> JSONValue
    func putRule(_ json: JSONValue, id: String) throws(Problem) -> JSONValue
    func deleteRule(id: String) throws(Problem)
}

extension Queries: RuleArchive {
    public func ruleDocuments() throws(Problem) -> [JSONValue] { try presenceRules().map(\.json) }

    public func ruleDocument(id: String) throws(Problem) -> JSONValue { try presenceRule(id: id).json }
}

extension ServiceWriter: RuleDesk {
    public func makeRule(_ json: JSONValue) throws(Problem) -> JSONValue { try create(rule: json).json }

    public func putRule(_ json: JSONValue, id: String) throws(Problem) -> JSONValue { try put(rule: json, id: id).json }

    public func deleteRule(id: String) throws(Problem) { try removePresenceRule(id: id) }
}
