import Model

/// A type with one JSON shape.
package protocol JSONDescribed: Sendable {
    static var shape: JSONShape<Self> { get }
}

extension JSONDescribed {
    /// The object with English texts.
    package var json: JSONValue { Self.shape.encode(self) }

    package func json(in language: Language) -> JSONValue { Self.shape.encode(self, in: language) }

    /// The object with additional members at its end.
    package func json(with others: [JSONValue.Member]) -> JSONValue { .object((json.members ?? []) + others) }
}
