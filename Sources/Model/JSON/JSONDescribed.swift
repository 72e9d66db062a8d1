/// A type whose JSON objects one `JSONShape` describes.
package protocol JSONDescribed: JSONWritable {
    static var shape: JSONShape<Self> { get }
}

extension JSONDescribed {
    package static var output: JSONOutput<Self> { shape.output }

    /// The object with English texts.
    package var json: JSONValue { Self.shape.encode(self) }

    package func json(in language: Language) -> JSONValue { json(in: AnswerLocale(language)) }

    /// The object with additional members at its end.
    package func json(with others: [JSONValue.Member]) -> JSONValue { .object((json.members ?? []) + others) }
}
