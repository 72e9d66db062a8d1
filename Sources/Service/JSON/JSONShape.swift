import Model

/// Describes the JSON objects of a type. The encoder, the schema in `/openapi.json` and the decoder use the same description, so they
/// cannot differ.
package struct JSONShape<Value>: Sendable {
    /// The name of the schema in `/openapi.json`.
    package let name: String
    private let summary: String
    let properties: [JSONProperty<Value>]
    private let make: @Sendable (JSONValue) throws(JSONMismatch) -> Value

    /// - Parameters:
    ///   - name: The name of the schema in `/openapi.json`.
    ///   - summary: The description in the schema.
    ///   - member: The members in the order in which they are written.
    ///   - make: Makes a value of the members' contents. Throws if a content is missing because of another one.
    package init<each Content>(
        _ name: String, summary: String, _ member: repeat JSONMember<Value, each Content>,
        make: @escaping @Sendable (repeat each Content) throws(JSONMismatch) -> Value
    ) {
        self.name = name
        self.summary = summary
        var properties: [JSONProperty<Value>] = []
        for one in repeat each member { properties += one.properties }
        self.properties = properties
        self.make = { (json) throws(JSONMismatch) -> Value in try make(repeat try (each member).decode(json)) }
    }

    package func encode(_ value: Value, in language: Language = .english) -> JSONValue {
        .object(properties.compactMap { property in property.encode(value, language).map { .init(property.name, $0) } })
    }

    /// Reads a value. Members that the shape does not have are ignored.
    ///
    /// - Throws: `JSONMismatch` for the first member that is missing or has other content.
    package func decode(_ json: JSONValue) throws(JSONMismatch) -> Value { try make(json) }

    /// The JSON Schema of the objects.
    package var schema: JSONValue {
        let required = properties.filter(\.isRequired)
        return .compact([
            ("type", "object"), ("description", .string(summary)),
            ("required", required.isEmpty ? nil : .array(required.map { .string($0.name) })),
            ("properties", .object((required + properties.filter { !$0.isRequired }).map { .init($0.name, $0.schema) })),
        ])
    }
}
