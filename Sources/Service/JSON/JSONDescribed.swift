import Model

/// A type with one JSON shape.
package protocol JSONDescribed: Sendable {
    static var shape: JSONShape<Self> { get }
}

extension JSONDescribed {
    package var json: JSONValue { Self.shape.encode(self) }

    /// The object with additional members at its end.
    package func json(with others: [JSONValue.Member]) -> JSONValue { .object((json.members ?? []) + others) }
}
