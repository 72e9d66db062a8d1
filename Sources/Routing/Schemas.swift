import Model

/// The JSON Schemas (2020-12) of requests and answers, by the names that routes refer to.
package enum Schemas {
    package typealias Named = (name: String, schema: JSONValue)

    package static func text(_ description: String, _ constraints: JSONValue.Member...) -> JSONValue {
        .object((JSONKind.text.schema(description).members ?? []) + constraints)
    }

    package static func time(_ description: String) -> JSONValue { JSONKind.time.schema(description) }
    package static func number(_ description: String) -> JSONValue { JSONKind.number.schema(description) }

    /// A number of a range.
    package static func number(_ description: String, from least: Double, to most: Double? = nil) -> JSONValue {
        .object(
            (number(description).members ?? []) + [.init("minimum", JSONValue(least))]
                + (most.map { [.init("maximum", JSONValue($0))] } ?? []))
    }

    package static func integer(_ description: String) -> JSONValue { JSONKind<Int>.whole.schema(description) }
    package static func flag(_ description: String) -> JSONValue { JSONKind.flag.schema(description) }

    /// A string that is a raw value of an enum.
    package static func oneOf<Value: RawRepresentable & CaseIterable & Sendable>(_ description: String, _ type: Value.Type)
        -> JSONValue
    where Value.RawValue == String {
        JSONKind<Value>.word.schema(description)
    }

    package static func list(_ description: String, of element: JSONValue) -> JSONValue {
        ["type": "array", "description": .string(description), "items": element]
    }

    package static let words: JSONValue = ["type": "array", "items": ["type": "string"]]

    /// A schema that also allows null.
    package static func nullable(_ schema: JSONValue) -> JSONValue {
        if let choices = schema["oneOf"]?.array, schema.members?.count == 1 {
            return ["oneOf": .array(choices + [["type": "null"]])]
        }
        guard let type = schema["type"]?.string, schema["enum"] == nil else { return ["oneOf": [schema, ["type": "null"]]] }
        return schema.merged(with: ["type": [.string(type), "null"]])
    }

    package static func any(_ name: String) -> JSONValue { JSONSchema.reference(to: name) }

    /// The schema of a shape, under the shape's name.
    package static func named<Value>(_ shape: JSONShape<Value>) -> Named { named(shape.output) }

    /// The schema of an output, under the output's name.
    package static func named<Value>(_ output: JSONOutput<Value>) -> Named { (output.name, output.schema) }

    package static func object(
        _ description: String, _ required: KeyValuePairs<String, JSONValue>, optional: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        let members = [required, optional].flatMap { $0.map { JSONValue.Member($0.key, $0.value) } }
        return .compact([
            ("type", "object"), ("description", .string(description)),
            ("required", required.isEmpty ? nil : .array(required.map { .string($0.key) })), ("properties", .object(members)),
        ])
    }

    /// An object with any members.
    package static func anyObject(_ description: String) -> JSONValue {
        ["type": "object", "description": .string(description), "additionalProperties": true]
    }

    /// A page of a list.
    package static func page(_ list: String, of element: String, optional: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        var schema = object(
            "A page of a list", [list: ["type": "array", "items": any(element)]],
            optional: ["next": text("The value of 'after' for the next page; omitted on the last page")])
        if !optional.isEmpty, case .object(var members) = schema,
            let place = members.firstIndex(where: { $0.name == "properties" })
        {
            members[place].value = .object(
                (members[place].value.members ?? []) + optional.map { .init($0.key, $0.value) })
            schema = .object(members)
        }
        return schema
    }

    // MARK: - Documents that people send

    /// A schema that matches one of several others.
    ///
    /// - Parameter endings: The endings of the other schemas' names. They have names because client generators cannot use some
    ///   schemas without names.
    package static func choice(_ name: String, endings: [String], _ schemas: [JSONValue]) -> [Named] {
        let choices = zip(endings, schemas).map { Named(name: name + $0.prefix(1).uppercased() + $0.dropFirst(), schema: $1) }
        return [Named(name: name, schema: ["anyOf": .array(choices.map { any($0.name) })])] + choices
    }

    /// The schema of a document with the members of an answer.
    ///
    /// - Parameters:
    ///   - requires: The members without which it is refused. The others may be null.
    ///   - without: Members of the answer that it must not have.
    ///   - changes: Schemas that replace those of the answer.
    package static func input(
        _ description: String, _ answer: JSONValue, requires: [String] = [], without: [String] = [],
        changes: [String: JSONValue] = [:]
    ) -> JSONValue {
        let properties = (answer["properties"]?.members ?? []).filter { !without.contains($0.name) }
        let members: [Named] = properties.map { (name: $0.name, schema: changes[$0.name] ?? $0.value) }
        return object(description, requires: requires, members)
    }

    /// An object whose members may be null unless they are required.
    package static func object(_ description: String, requires: [String], _ members: [Named]) -> JSONValue {
        let properties = members.map { name, schema in
            JSONValue.Member(name, requires.contains(name) ? schema : nullable(schema))
        }
        return .compact([
            ("type", "object"), ("description", .string(description)),
            ("required", requires.isEmpty ? nil : .array(requires.map(JSONValue.string))), ("properties", .object(properties)),
        ])
    }

    /// A string that is always the same.
    package static func word(_ word: String) -> JSONValue { ["type": "string", "enum": [.string(word)]] }
}
