/// A member of the objects of a `JSONOutput`, or several that belong to one content.
package struct JSONOutputMember<Value>: Sendable {
    let properties: [JSONProperty<Value>]

    /// A member that every object has.
    ///
    /// - Parameters:
    ///   - summary: The description in the schema. An object of a shape has its own.
    ///   - content: Returns the content of a value.
    package init<Content>(
        _ name: String, kind: JSONKind<Content>, summary: String? = nil, content: @escaping @Sendable (Value) -> Content
    ) {
        self.init(name, kind: kind, summary: summary) { value, _ in content(value) }
    }

    /// A member that every object has, and whose content depends on the reader, such as a sentence in the reader's language.
    package init<Content>(
        _ name: String, kind: JSONKind<Content>, summary: String? = nil,
        localized content: @escaping @Sendable (Value, AnswerLocale) -> Content
    ) {
        properties = [
            .init(name: name, isRequired: true, schema: kind.schema(summary)) { value, locale in
                kind.encode(content(value, locale), locale)
            }
        ]
    }

    /// A member that is omitted when its content is nil.
    package init<Content>(
        _ name: String, optional kind: JSONKind<Content>, summary: String? = nil,
        content: @escaping @Sendable (Value) -> Content?
    ) {
        self.init(name, optional: kind, summary: summary) { value, _ in content(value) }
    }

    /// A member that is omitted when its content is nil, and whose content depends on the reader.
    package init<Content>(
        _ name: String, optional kind: JSONKind<Content>, summary: String? = nil,
        localized content: @escaping @Sendable (Value, AnswerLocale) -> Content?
    ) {
        properties = [
            .init(name: name, isRequired: false, schema: kind.schema(summary)) { value, locale in
                content(value, locale).map { kind.encode($0, locale) }
            }
        ]
    }

    /// The members of fields, in their order.
    init(_ fields: ArraySlice<EntityField<Value>>) where Value: Sendable { properties = fields.map(\.property) }

    /// The members of fields of parts of a value. A member is taken from the first part that has it.
    init<Part>(_ fields: [EntityField<Part>], ofFirst parts: @escaping @Sendable (Value) -> [Part]) {
        properties = fields.map { field in
            .init(name: field.name, isRequired: false, schema: field.property.schema) { value, locale in
                parts(value).lazy.compactMap { field.property.encode($0, locale) }.first
            }
        }
    }

    /// All members of another description in the same object.
    package init<Part>(membersOf output: JSONOutput<Part>, content: @escaping @Sendable (Value) -> Part) {
        properties = output.properties.map { $0.of(content) }
    }

    /// All members of another description in the same object. They are omitted when the content is nil.
    package init<Part>(optionalMembersOf output: JSONOutput<Part>, content: @escaping @Sendable (Value) -> Part?) {
        properties = output.properties.map { property in
            .init(name: property.name, isRequired: false, schema: property.schema) { value, locale in
                content(value).flatMap { property.encode($0, locale) }
            }
        }
    }

    /// A reason in every language: the English words, and in a second member those of the other languages; see `Phrase.members(named:)`.
    package init(_ name: String, summary: String, reason content: @escaping @Sendable (Value) -> Phrase) {
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
    }
}
