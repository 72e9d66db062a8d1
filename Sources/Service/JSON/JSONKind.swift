import Model

/// Describes how one kind of content is written as JSON.
package struct JSONKind<Content>: Sendable {
    /// The name of the kind in messages about other content.
    let expected: String
    /// The JSON Schema with a description.
    package let schema: @Sendable (_ summary: String) -> JSONValue
    let encode: @Sendable (Content) -> JSONValue
    /// Returns nil for other content.
    let decode: @Sendable (JSONValue) throws(JSONMismatch) -> Content?

    private static func schema(_ type: String, _ summary: String, _ more: [JSONValue.Member] = []) -> JSONValue {
        .object([.init("type", .string(type)), .init("description", .string(summary))] + more)
    }
}

extension JSONKind where Content == String {
    package static var text: Self {
        .init(expected: "text", schema: { schema("string", $0) }, encode: { .string($0) }, decode: { $0.string })
    }
}

extension JSONKind where Content: FixedWidthInteger & Sendable {
    package static var whole: Self {
        .init(
            expected: "number", schema: { schema("integer", $0) }, encode: { JSONValue(Int($0)) },
            decode: { $0.double.flatMap { Content(exactly: $0) } })
    }
}

extension JSONKind where Content == Double {
    package static var number: Self {
        .init(expected: "number", schema: { schema("number", $0) }, encode: { JSONValue($0) }, decode: { $0.double })
    }
}

extension JSONKind where Content == Bool {
    package static var flag: Self {
        .init(expected: "true or false as", schema: { schema("boolean", $0) }, encode: { .bool($0) }, decode: { $0.bool })
    }
}

extension JSONKind where Content == Instant {
    /// RFC 3339.
    package static var time: Self {
        .init(
            expected: "time", schema: { schema("string", $0, [.init("format", "date-time")]) }, encode: { JSONValue($0) },
            decode: { $0.string.flatMap { Instant($0) } })
    }
}

extension JSONKind where Content: RawRepresentable & CaseIterable & Sendable, Content.RawValue == String {
    /// A raw value of an enum.
    package static var word: Self {
        .init(
            expected: "known word",
            schema: { schema("string", $0, [.init("enum", .array(Content.allCases.map { .string($0.rawValue) }))]) },
            encode: { .string($0.rawValue) }, decode: { $0.string.flatMap { Content(rawValue: $0) } })
    }
}

extension JSONKind where Content: JSONDescribed {
    package static var object: Self {
        .init(
            expected: "object",
            schema: { summary in
                let schema = (Content.shape.schema().members ?? []).filter { $0.name != "description" }
                return .object([.init("description", .string(summary))] + schema)
            },
            encode: { $0.json },
            decode: { (json) throws(JSONMismatch) -> Content? in
                json.members == nil ? nil : try Content.shape.decode(json)
            })
    }
}

extension JSONKind {
    /// A list of contents of one kind.
    package static func list<Element>(of kind: JSONKind<Element>) -> Self where Content == [Element] {
        .init(
            expected: "list",
            schema: { summary in
                let element = (kind.schema("").members ?? []).filter { $0.name != "description" }
                return schema("array", summary, [.init("items", .object(element))])
            },
            encode: { .array($0.map(kind.encode)) },
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
}
