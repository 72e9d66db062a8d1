import Model

/// Describes how one kind of content is written as JSON.
package struct JSONKind<Content>: Sendable {
    /// The name of the kind in messages about other content.
    let expected: JSONContent
    /// The JSON Schema with a description; without one for an element of a list.
    package let schema: @Sendable (_ summary: String?) -> JSONValue
    let encode: @Sendable (Content, Language) -> JSONValue
    /// Returns nil for other content.
    let decode: @Sendable (JSONValue) throws(JSONMismatch) -> Content?

    /// A kind whose text is the same in every language.
    private init(
        expected: JSONContent, type: String, constraints: [JSONValue.Member] = [],
        encode: @escaping @Sendable (Content) -> JSONValue, decode: @escaping @Sendable (JSONValue) -> Content?
    ) {
        self.expected = expected
        schema = { summary in
            .object(
                [.init("type", .string(type))] + (summary.map { [.init("description", .string($0))] } ?? []) + constraints)
        }
        self.encode = { content, _ in encode(content) }
        self.decode = { (json) throws(JSONMismatch) in decode(json) }
    }

    private init(
        expected: JSONContent, schema: @escaping @Sendable (_ summary: String?) -> JSONValue,
        encode: @escaping @Sendable (Content, Language) -> JSONValue,
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
                    [.init("type", "array")] + (summary.map { [.init("description", .string($0))] } ?? [])
                        + [.init("items", kind.schema(nil))])
            },
            encode: { contents, language in .array(contents.map { kind.encode($0, language) }) },
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

    /// An object of a shape. The schema is a reference to the shape's own, which has the description.
    package static func object(of shape: JSONShape<Content>) -> Self {
        .init(
            expected: .object, schema: { _ in JSONSchema.reference(to: shape.name) },
            encode: { content, language in shape.encode(content, in: language) },
            decode: { (json) throws(JSONMismatch) -> Content? in
                if json.members == nil { return nil }
                return try shape.decode(json)
            })
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
            expected: .object, schema: { _ in JSONSchema.reference(to: name) },
            encode: { content, _ in encode(content) }, decode: decode)
    }
}

extension JSONKind where Content: JSONDescribed {
    /// An object of the content's own shape.
    package static var object: Self { .object(of: Content.shape) }
}
