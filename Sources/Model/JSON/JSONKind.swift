/// Describes how one kind of content is written as JSON.
package struct JSONKind<Content>: Sendable {
    /// The name of the kind in messages about other content.
    let expected: JSONContent
    /// The JSON Schema with a description; without one for an element of a list.
    package let schema: @Sendable (_ summary: String?) -> JSONValue
    let encode: @Sendable (Content, AnswerLocale) -> JSONValue
    /// Returns nil for other content, and for everything if the kind is only written.
    let decode: @Sendable (JSONValue) throws(JSONMismatch) -> Content?

    /// A kind whose text is the same in every language.
    private init(
        expected: JSONContent, type: String, constraints: [JSONValue.Member] = [],
        encode: @escaping @Sendable (Content) -> JSONValue, decode: @escaping @Sendable (JSONValue) -> Content?
    ) {
        self.expected = expected
        schema = { summary in
            .object(
                [.init("type", .string(type))] + JSONSchema.description(summary) + constraints)
        }
        self.encode = { content, _ in encode(content) }
        self.decode = { (json) throws(JSONMismatch) in decode(json) }
    }

    private init(
        expected: JSONContent, schema: @escaping @Sendable (_ summary: String?) -> JSONValue,
        encode: @escaping @Sendable (Content, AnswerLocale) -> JSONValue,
        decode: @escaping @Sendable (JSONValue) throws(JSONMismatch) -> Content?
    ) {
        self.expected = expected
        self.schema = schema
        self.encode = encode
        self.decode = decode
    }
}

extension JSONKind where Content == String {
    package static var text: Self {
        .init(expected: .text, type: "string", encode: { .string($0) }, decode: { $0.string })
    }

    /// One of these words.
    package static func oneOf(_ words: [String]) -> Self {
        .init(
            expected: .knownWord, type: "string", constraints: [.init("enum", .array(words.map(JSONValue.string)))],
            encode: { .string($0) }, decode: { json in json.string.flatMap { words.contains($0) ? $0 : nil } })
    }
}

extension JSONKind where Content: FixedWidthInteger & Sendable {
    package static var whole: Self {
        .init(
            expected: .number, type: "integer", encode: { JSONValue(Int($0)) },
            decode: { $0.double.flatMap { Content(exactly: $0) } })
    }
}

extension JSONKind where Content == Double {
    package static var number: Self {
        .init(expected: .number, type: "number", encode: { JSONValue($0) }, decode: { $0.double })
    }
}

extension JSONKind where Content == Double {
    /// A number, or a word for infinity.
    package static func limit(_ word: String) -> Self {
        .init(
            expected: .number,
            schema: { summary in
                .object(
                    JSONSchema.description(summary) + [
                        .init("oneOf", [["type": "number"], ["type": "string", "enum": [.string(word)]]])
                    ]
                )
            },
            encode: { limit, _ in limit.isFinite ? JSONValue(limit) : .string(word) },
            decode: { (json) throws(JSONMismatch) in json.string == word ? .infinity : json.double })
    }
}

extension JSONKind where Content == Bool {
    package static var flag: Self {
        .init(expected: .trueOrFalse, type: "boolean", encode: { .bool($0) }, decode: { $0.bool })
    }
}

extension JSONKind where Content == Instant {
    /// RFC 3339.
    package static var time: Self {
        .init(
            expected: .time, type: "string", constraints: [.init("format", "date-time")], encode: { JSONValue($0) },
            decode: { $0.string.flatMap { Instant($0) } })
    }
}

extension JSONKind where Content: RawRepresentable & CaseIterable & Sendable, Content.RawValue == String {
    /// A raw value of an enum.
    package static var word: Self {
        .init(
            expected: .knownWord, type: "string",
            constraints: [.init("enum", .array(Content.allCases.map { .string($0.rawValue) }))],
            encode: { .string($0.rawValue) }, decode: { $0.string.flatMap { Content(rawValue: $0) } })
    }
}

extension JSONKind where Content == [JSONValue.Member] {
    /// An object with any members.
    package static var anyObject: Self {
        .init(
            expected: .object, type: "object", constraints: [.init("additionalProperties", true)], encode: { .object($0) },
            decode: { $0.members })
    }
}

extension JSONKind where Content == [(reason: String, devices: Int)] {
    /// An object with a number of devices for each reason.
    package static var deviceCounts: Self {
        .init(
            expected: .object, type: "object", constraints: [.init("additionalProperties", ["type": "integer"])],
            encode: { .object($0.map { .init($0.reason, JSONValue($0.devices)) }) },
            decode: { json in
                let counts = json.members?.compactMap { member in
                    member.value.double.flatMap { Int(exactly: $0) }.map { (member.name, $0) }
                }
                return counts?.count == json.members?.count ? counts : nil
            })
    }
}

extension JSONKind<Problem> {
    /// A problem in the language of the answer. The decoder builds it from its code and parameters.
    package static var problem: Self {
        .init(
            expected: .object, schema: { _ in JSONSchema.reference(to: "ProblemWords") },
            encode: { problem, language in problem.json(in: language) }, decode: { Problem(document: $0) })
    }
}

extension JSONKind {
    /// A list of contents of one kind.
    package static func list<Element>(of kind: JSONKind<Element>) -> Self where Content == [Element] {
        .init(
            expected: .list,
            schema: { summary in
                .object(
                    [.init("type", "array")] + JSONSchema.description(summary) + [.init("items", kind.schema(nil))])
            },
            encode: { contents, locale in .array(contents.map { kind.encode($0, locale) }) },
            decode: { (json) throws(JSONMismatch) -> [Element]? in
                guard let elements = json.array else { return nil }
                var contents: [Element] = []
                for element in elements {
                    guard let content = try kind.decode(element) else { return nil }
                    contents.append(content)
                }
                return contents
            })
    }

    /// Another type of content, which is written in the same way.
    package func of<New>(
        _ encoded: @escaping @Sendable (New) -> Content, _ decoded: @escaping @Sendable (Content) -> New?
    ) -> JSONKind<New> {
        .init(
            expected: expected, schema: schema, encode: { new, locale in encode(encoded(new), locale) },
            decode: { (json) throws(JSONMismatch) in try decode(json).flatMap(decoded) })
    }

    /// The content, or null.
    package static func nullable<Wrapped>(_ kind: JSONKind<Wrapped>) -> Self where Content == Wrapped? {
        .init(
            expected: kind.expected, schema: { summary in ["oneOf": [kind.schema(summary), ["type": "null"]]] },
            encode: { content, locale in content.map { kind.encode($0, locale) } ?? .null },
            decode: { (json) throws(JSONMismatch) -> Wrapped?? in
                if json == .null { return .some(nil) }
                guard let content = try kind.decode(json) else { return nil }
                return .some(content)
            })
    }

    /// An object of a shape. The schema is a reference to the shape's own.
    package static func object(of shape: JSONShape<Content>) -> Self {
        .init(
            expected: .object, schema: { JSONSchema.reference(to: shape.name, summary: $0) }, encode: shape.output.encode,
            decode: { (json) throws(JSONMismatch) -> Content? in
                if json.members == nil { return nil }
                return try shape.decode(json)
            })
    }

    /// An object that is only written. The schema is a reference to the description's own.
    package static func object(of output: JSONOutput<Content>) -> Self {
        .init(
            expected: .object, schema: { JSONSchema.reference(to: output.name, summary: $0) }, encode: output.encode,
            decode: { _ in nil })
    }

    /// An object whose encoder and decoder are elsewhere, for example because the decoder also reads what people write.
    ///
    /// - Parameters:
    ///   - name: The name of the schema in `/openapi.json`.
    ///   - decode: Returns nil for other content.
    package static func object(
        named name: String, encode: @escaping @Sendable (Content) -> JSONValue,
        decode: @escaping @Sendable (JSONValue) throws(JSONMismatch) -> Content?
    ) -> Self {
        .init(
            expected: .object, schema: { JSONSchema.reference(to: name, summary: $0) }, encode: { content, _ in encode(content) },
            decode: decode)
    }
}

extension JSONKind {
    /// An object that is only written, under the name of a schema that also describes other forms of it.
    package static func object(named name: String, of output: JSONOutput<Content>) -> Self {
        .init(
            expected: .object, schema: { JSONSchema.reference(to: name, summary: $0) }, encode: output.encode,
            decode: { _ in nil })
    }
}

extension JSONKind where Content == JSONValue {
    /// An object that is JSON already, for example as the store has it.
    ///
    /// - Parameter name: The name of its schema in `/openapi.json`.
    package static func object(named name: String) -> Self {
        .object(named: name, encode: { $0 }, decode: { $0.members == nil ? nil : $0 })
    }
}

extension JSONKind where Content: JSONDescribed {
    /// An object of the content's own shape.
    package static var object: Self { .object(of: Content.shape) }
}
