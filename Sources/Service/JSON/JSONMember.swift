import Model

/// A member of the objects of a `JSONShape`, or several that belong to one content.
package struct JSONMember<Value, Content>: Sendable {
    let properties: [JSONProperty<Value>]
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
        properties = [
            .init(name: name, isRequired: true, schema: kind.schema(summary)) { value, language in
                kind.encode(content(value), language)
            }
        ]
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
        properties = [
            .init(name: name, isRequired: false, schema: kind.schema(summary)) { value, language in
                content(value).map { kind.encode($0, language) }
            }
        ]
        decode = { (json) throws(JSONMismatch) -> Content in
            guard let json = json[name], json != .null else { return nil }
            guard let content = try kind.decode(json) else { throw JSONMismatch(member: name, expected: kind.expected) }
            return content
        }
    }

    /// All members of another shape in the same object.
    package init(membersOf shape: JSONShape<Content>, content: @escaping @Sendable (Value) -> Content) {
        properties = shape.properties.map { $0.of(content) }
        decode = { (json) throws(JSONMismatch) in try shape.decode(json) }
    }
}

extension JSONMember where Content == Void {
    /// A text in the language of the answer, which is derived from the other members and is not read.
    package init(
        _ name: String, summary: String, text: @escaping @Sendable (Value, any ProblemCatalog) -> String
    ) {
        properties = [
            .init(name: name, isRequired: true, schema: JSONKind.text.schema(summary)) { value, language in
                .string(text(value, language.catalog))
            }
        ]
        decode = { _ in }
    }
}

extension JSONMember where Content == Reason {
    /// A reason in every language: the English words, and in a second member those of the other languages; see `Reason.members(named:)`.
    package init(_ name: String, summary: String, content: @escaping @Sendable (Value) -> Reason) {
        func property(_ propertyName: String, isRequired: Bool, schema: JSONValue) -> JSONProperty<Value> {
            .init(name: propertyName, isRequired: isRequired, schema: schema) { value, _ in
                content(value).members(named: name).first { $0.0 == propertyName }?.1
            }
        }
        properties = [
            property(name, isRequired: true, schema: JSONKind.text.schema(summary)),
            property(
                name + "In", isRequired: false,
                schema: [
                    "type": "object", "description": "The same in other languages",
                    "properties": .object(
                        Language.allCases.filter { $0 != .english }.map { .init($0.rawValue, ["type": "string"]) }),
                ]),
        ]
        decode = { (json) throws(JSONMismatch) -> Reason in
            guard let reason = Reason(json, named: name) else {
                throw JSONMismatch(member: name, expected: JSONKind.text.expected)
            }
            return reason
        }
    }
}
