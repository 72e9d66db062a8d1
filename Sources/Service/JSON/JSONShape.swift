import Model

/// Describes the JSON objects of a type. The encoder, the schema in `/openapi.json` and the decoder use the same description, so they
/// cannot differ.
package struct JSONShape<Value>: Sendable {
    /// A member without the type of its content.
    private struct Member: Sendable {
        var name: String
        var isRequired: Bool
        var schema: JSONValue
        var encode: @Sendable (Value) -> JSONValue?
    }

    private let summary: String
    private var members: [Member] = []
    private let make: @Sendable (JSONValue) throws(JSONMismatch) -> Value

    /// - Parameters:
    ///   - summary: The description in the schema.
    ///   - member: The members in the order in which they are written.
    ///   - make: Makes a value of the members' contents.
    package init<each Content>(
        _ summary: String, _ member: repeat JSONMember<Value, each Content>,
        make: @escaping @Sendable (repeat each Content) -> Value
    ) {
        self.summary = summary
        for one in repeat each member {
            members.append(Member(name: one.name, isRequired: one.isRequired, schema: one.schema, encode: one.encode))
        }
        self.make = { (json) throws(JSONMismatch) -> Value in make(repeat try (each member).decode(json)) }
    }

    package func encode(_ value: Value) -> JSONValue {
        .object(members.compactMap { member in member.encode(value).map { .init(member.name, $0) } })
    }

    /// Reads a value. Members that the shape does not have are ignored.
    ///
    /// - Throws: `JSONMismatch` for the first member that is missing or has other content.
    package func decode(_ json: JSONValue) throws(JSONMismatch) -> Value { try make(json) }

    /// The JSON Schema of the objects.
    ///
    /// - Parameters:
    ///   - others: Additional members of an answer that do not belong to the value.
    ///   - optional: Additional members that an answer can have.
    package func schema(
        others: KeyValuePairs<String, JSONValue> = [:], optional: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        func properties(_ isRequired: Bool, _ others: KeyValuePairs<String, JSONValue>) -> [JSONValue.Member] {
            members.filter { $0.isRequired == isRequired }.map { .init($0.name, $0.schema) }
                + others.map { .init($0.key, $0.value) }
        }
        let required = properties(true, others)
        return .compact([
            ("type", "object"), ("description", .string(summary)),
            ("required", required.isEmpty ? nil : .array(required.map { .string($0.name) })),
            ("properties", .object(required + properties(false, optional))),
        ])
    }
}
