/// Describes the JSON objects that are written for a type, for two uses:
///
/// - answers that only people and other programs read, in a language;
/// - documents that people also write, such as geofences. Their decoders use `JSONFields`, which names the field that cannot be used and
///   what is expected. Tests compare these decoders with the schema.
///
/// The encoder and the schema in `/openapi.json` use the same list of members, so they cannot differ. A `JSONShape` also describes the
/// decoder, for what Picket reads from its own answers.
package struct JSONOutput<Value>: Sendable {
    /// The name of the schema in `/openapi.json`.
    package let name: String
    private let summary: String
    let properties: [JSONProperty<Value>]

    /// - Parameters:
    ///   - name: The name of the schema in `/openapi.json`.
    ///   - summary: The description in the schema.
    ///   - members: The members in the order in which they are written.
    package init(_ name: String, summary: String, _ members: JSONOutputMember<Value>...) {
        self.init(name, summary: summary, properties: members.flatMap(\.properties))
    }

    /// - Parameter fields: The fields of an entity, in the order in which their members are written.
    package init(_ name: String, summary: String, fields: [EntityField<Value>]) where Value: Sendable {
        self.init(name, summary: summary, properties: fields.map(\.property))
    }

    init(_ name: String, summary: String, properties: [JSONProperty<Value>]) {
        self.name = name
        self.summary = summary
        self.properties = properties
    }

    package func encode(_ value: Value, in locale: AnswerLocale = AnswerLocale()) -> JSONValue {
        .object(properties.compactMap { property in property.encode(value, locale).map { .init(property.name, $0) } })
    }

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
