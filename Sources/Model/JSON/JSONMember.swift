/// A member of the objects of a `JSONShape`, or several that belong to one content.
package struct JSONMember<Value, Content>: Sendable {
    let output: JSONOutputMember<Value>
    /// Reads the content from the object.
    let decode: @Sendable (JSONValue) throws(JSONMismatch) -> Content

    /// A member that every object has.
    ///
    /// - Parameters:
    ///   - summary: The description in the schema. An object of a shape has its own.
    ///   - content: Returns the content of a value.
    package init(
        _ name: String, kind: JSONKind<Content>, summary: String? = nil, content: @escaping @Sendable (Value) -> Content
    ) {
        output = .init(name, kind: kind, summary: summary, content: content)
        decode = { (json) throws(JSONMismatch) -> Content in
            guard let content = try json[name].flatMap({ (json) throws(JSONMismatch) in try kind.decode(json) }) else {
                throw JSONMismatch(member: name, expected: kind.expected)
            }
            return content
        }
    }

    /// A member that is omitted when its content is nil.
    package init<Wrapped>(
        _ name: String, optional kind: JSONKind<Wrapped>, summary: String? = nil,
        content: @escaping @Sendable (Value) -> Wrapped?
    ) where Content == Wrapped? {
        output = .init(name, optional: kind, summary: summary, content: content)
        decode = { (json) throws(JSONMismatch) -> Content in
            guard let json = json[name], json != .null else { return nil }
            guard let content = try kind.decode(json) else { throw JSONMismatch(member: name, expected: kind.expected) }
            return content
        }
    }

    /// All members of another shape in the same object.
    package init(membersOf shape: JSONShape<Content>, content: @escaping @Sendable (Value) -> Content) {
        output = .init(membersOf: shape.output, content: content)
        decode = { (json) throws(JSONMismatch) in try shape.decode(json) }
    }
}

extension JSONMember where Content == Void {
    /// A text in the language of the answer, which is derived from the other members and is not read.
    package init(
        _ name: String, summary: String, text: @escaping @Sendable (Value, Language) -> String
    ) {
        output = .init(name, kind: .text, summary: summary) { value, locale in text(value, locale.language) }
        decode = { _ in }
    }
}

extension JSONMember where Content == Phrase {
    /// A reason in every language; see `JSONOutputMember`.
    package init(_ name: String, summary: String, content: @escaping @Sendable (Value) -> Phrase) {
        output = .init(name, summary: summary, reason: content)
        decode = { (json) throws(JSONMismatch) -> Phrase in
            guard let reason = Phrase(json: json, named: name) else {
                throw JSONMismatch(member: name, expected: JSONKind.text.expected)
            }
            return reason
        }
    }
}
