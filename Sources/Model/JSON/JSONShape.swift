/// Describes the JSON objects of a type that Picket also reads, such as the command line from the answers of a service. The encoder, the
/// schema in `/openapi.json` and the decoder use the same description, so they cannot differ.
package struct JSONShape<Value>: Sendable {
    /// The encoder and the schema.
    package let output: JSONOutput<Value>
    private let make: @Sendable (JSONValue) throws(JSONMismatch) -> Value

    /// - Parameters:
    ///   - name: The name of the schema in `/openapi.json`.
    ///   - summary: The description in the schema.
    ///   - member: The members in the order in which they are written.
    ///   - make: Creates a value from the members' contents. Throws if a content is missing because of another one.
    package init<each Content>(
        _ name: String, summary: String, _ member: repeat JSONMember<Value, each Content>,
        make: @escaping @Sendable (repeat each Content) throws(JSONMismatch) -> Value
    ) {
        var properties: [JSONProperty<Value>] = []
        for one in repeat each member { properties += one.output.properties }
        output = JSONOutput(name, summary: summary, properties: properties)
        self.make = { (json) throws(JSONMismatch) -> Value in try make(repeat try (each member).decode(json)) }
    }

    /// The objects with the members of an entity's fields, in their order. The decoder sets the fields of `empty`.
    init(_ name: String, summary: String, fields: [EntityField<Value>], of empty: Value) where Value: Sendable {
        output = JSONOutput(name, summary: summary, fields: fields)
        make = { (json) throws(JSONMismatch) -> Value in
            var value = empty
            for field in fields { try field.decode(&value, json) }
            return value
        }
    }

    package var name: String { output.name }

    package func encode(_ value: Value, in locale: AnswerLocale = AnswerLocale()) -> JSONValue {
        output.encode(value, in: locale)
    }

    /// Reads a value. Members that the shape does not have are ignored.
    ///
    /// - Throws: `JSONMismatch` for the first member that is missing or has other content.
    package func decode(_ json: JSONValue) throws(JSONMismatch) -> Value { try make(json) }
}
