/// A field of an entity, such as a device. Each entity has one list of its fields. From the list follow the encoder and the decoder of
/// JSON, the schema in `/openapi.json`, merge patches, the columns in the store, the options on the command line and the lines of `show`.
package struct EntityField<Entity: Sendable>: Sendable {
    /// The member in JSON.
    package let name: String
    /// The column in the store.
    package let column: String
    /// The option that sets the field; nil if there is none.
    package let option: FieldOption?
    /// Whether transitions depend on the field, so that a change of it is recorded in the input log.
    package let affectsTransitions: Bool
    /// The value for people; nil to show nothing.
    package let line: @Sendable (Entity) -> Phrase?
    /// The value in the column.
    package let stored: @Sendable (Entity) -> StoredValue
    /// Sets the field to the value of the column. Returns false, and changes nothing, if the column cannot have this value.
    package let restore: @Sendable (inout Entity, StoredValue) -> Bool
    /// Sets the field from the text of an option. The second text is the name of the option.
    package let change: @Sendable (inout Entity, String, String) throws(Problem) -> Void
    /// Whether two entities have the same value.
    package let isEqual: @Sendable (Entity, Entity) -> Bool
    let property: JSONProperty<Entity>
    /// Sets the field to the member of an answer. A missing one changes nothing, unless it is required.
    let decode: @Sendable (inout Entity, JSONValue) throws(JSONMismatch) -> Void
    private let reading: @Sendable (inout Entity, inout JSONFields, _ name: String) throws(Problem) -> Void
    /// Sets the field of the first entity to the value of the second.
    package let copy: @Sendable (inout Entity, Entity) -> Void
    /// What is wrong with the value; nil if it is valid.
    package let flaw: @Sendable (Entity) -> Problem?

    /// A field that every entity has.
    ///
    /// - Parameters:
    ///   - path: The field in an entity.
    ///   - omitted: The value for which the member is omitted.
    ///   - column: The column in the store; nil to derive it from the name.
    ///   - help: What it is, for the schema and the help of the command line.
    ///   - isRequired: Whether every object has the member, according to the schema and the decoder of a `JSONShape`.
    ///   - line: Returns the value for people.
    package init<Content>(
        _ name: String, _ kind: FieldKind<Content>, at path: WritableKeyPath<Entity, Content> & Sendable,
        omitting omitted: Content? = nil, column: String? = nil, help: String? = nil, option: FieldOption? = nil,
        affectsTransitions: Bool = false, isRequired: Bool = false,
        line: @escaping @Sendable (Entity) -> Phrase? = { _ in nil }
    ) {
        self.init(
            name, kind, help, option, affectsTransitions, line, omitted: omitted, isRequired: isRequired, column: column,
            get: { $0[keyPath: path] }, set: { if let content = $1 { $0[keyPath: path] = content } })
    }

    /// A field that an entity may be without.
    ///
    /// - Parameter removal: The text of an option that removes the content; nil for none.
    package init<Content>(
        _ name: String, optional kind: FieldKind<Content>, at path: WritableKeyPath<Entity, Content?> & Sendable,
        removal: String? = nil, help: String? = nil, option: FieldOption? = nil, affectsTransitions: Bool = false,
        line: @escaping @Sendable (Entity) -> Phrase? = { _ in nil }
    ) {
        self.init(
            name, kind, help, option, affectsTransitions, line, isOptional: true, removal: removal, get: { $0[keyPath: path] },
            set: { $0[keyPath: path] = $1 })
    }

    private init<Content>(
        _ name: String, _ kind: FieldKind<Content>, _ help: String?, _ option: FieldOption?, _ affectsTransitions: Bool,
        _ line: @escaping @Sendable (Entity) -> Phrase?, omitted: Content? = nil, isOptional: Bool = false,
        removal: String? = nil, isRequired: Bool = false, column: String? = nil, get: @escaping @Sendable (Entity) -> Content?,
        set: @escaping @Sendable (inout Entity, Content?) -> Void
    ) {
        self.name = name
        self.column = column ?? name.words(joinedBy: "_")
        self.option = option?.of(name, help: help, choices: kind.choices)
        self.affectsTransitions = affectsTransitions
        self.line = line
        let schema = kind.json.schema(help.map { $0 + kind.unit })
        property = .init(name: name, isRequired: isRequired, schema: schema) { entity, locale in
            get(entity).flatMap { $0 == omitted ? nil : kind.json.encode($0, locale) }
        }
        decode = { (entity, json) throws(JSONMismatch) in
            let member = json[name] ?? .null
            if member == .null, !isRequired { return }
            guard let content = try kind.json.decode(member) else {
                throw JSONMismatch(member: name, expected: kind.json.expected)
            }
            set(&entity, content)
        }
        stored = { get($0).map(kind.store) ?? .null }
        restore = { entity, value in
            let content = value == .null && isOptional ? nil : kind.restore(value)
            if content == nil, value != .null || !isOptional { return false }
            set(&entity, content)
            return true
        }
        change = { (entity, text, option) throws(Problem) in
            set(&entity, text == removal ? nil : try kind.parse(text, option))
        }
        reading = { (entity, fields, name) throws(Problem) in
            if let content = try kind.read(&fields, name) { set(&entity, content) }
        }
        isEqual = { get($0) == get($1) }
        copy = { set(&$0, get($1)) }
        flaw = { get($0).flatMap { kind.flaw($0, name) } }
    }

    /// Reads the member. A missing one changes nothing.
    ///
    /// - Parameter name: The name of the member in another form of the entity.
    package func read(_ entity: inout Entity, _ fields: inout JSONFields, named name: String? = nil) throws(Problem) {
        try reading(&entity, &fields, name ?? self.name)
    }

    /// The content of the member; nil if it is omitted.
    package func json(_ entity: Entity) -> JSONValue? { property.encode(entity, AnswerLocale()) }
}

extension Array {
    /// What is wrong with the first invalid field of an entity; nil if all are valid.
    package func flaw<Entity>(in entity: Entity) -> Problem? where Element == EntityField<Entity> {
        for field in self { if let flaw = field.flaw(entity) { return flaw } }
        return nil
    }
}
