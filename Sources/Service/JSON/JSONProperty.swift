import Model

/// One property of a `JSONShape`: its name, its schema and its encoder.
struct JSONProperty<Value>: Sendable {
    let name: String
    let isRequired: Bool
    let schema: JSONValue
    /// Returns nil when the property is omitted. The language is that of the texts in the answer.
    let encode: @Sendable (Value, Language) -> JSONValue?

    /// The same property of a value that contains this one.
    func of<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> JSONProperty<Whole> {
        .init(name: name, isRequired: isRequired, schema: schema) { whole, language in encode(part(whole), language) }
    }
}
