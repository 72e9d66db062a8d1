import Model

/// Rules as commands read them, from the store directly or from a running service. Rules are JSON, which is the same in both cases.
package protocol RuleQueryBackend: AnyObject {
    /// The directory or the URL, for messages.
    var location: String { get }

    func ruleDocuments() throws(Problem) -> [JSONValue]
    func ruleDocument(id: String) throws(Problem) -> JSONValue
}
