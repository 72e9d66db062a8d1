import Model

/// A member of the objects of a `JSONShape`.
package struct JSONMember<Value, Content>: Sendable {
    let name: String
    let isRequired: Bool
    let schema: JSONValue
    /// Returns nil when the member is omitted.
    let encode: @Sendable (Value) -> JSONValue?
    /// Reads the content from the object.
    let decode: @Sendable (JSONValue) throws(JSONMismatch) -> Content

    /// A member that every object has.
    ///
    /// - Parameters:
    ///   - summary: The description in the schema.
    ///   - content: Returns the content of a value.
    package init(
        _ name: String, kind: JSONKind<Content>, summary: String, content: @escaping @Sendable (Value) -> Content
    ) {
        self.name = name
        isRequired = true
        schema = kind.schema(summary)
        encode = { kind.encode(content($0)) }
        decode = { (json) throws(JSONMismatch) -> Content in
            guard let content = try json[name].flatMap({ (json) throws(JSONMismatch) in try kind.decode(json) }) else {
                throw JSONMismatch(member: name, expected: kind.expected)
            }
            return content
        }
    }

    /// A member that is omitted when its content is nil.
    package init<Wrapped>(
        _ name: String, optional kind: JSONKind<Wrapped>, summary: String,
        content: @escaping @Sendable (Value) -> Wrapped?
    ) where Content == Wrapped? {
        self.name = name
        isRequired = false
        schema = kind.schema(summary)
        encode = { content($0).map(kind.encode) }
        decode = { (json) throws(JSONMismatch) -> Content in
            guard let json = json[name], json != .null else { return nil }
            guard let content = try kind.decode(json) else { throw JSONMismatch(member: name, expected: kind.expected) }
            return content
        }
    }
}
