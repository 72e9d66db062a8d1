/// One property of a `JSONOutput`: its name, its schema and its encoder.
struct JSONProperty<Value>: Sendable {
    let name: String
    let isRequired: Bool
    let schema: JSONValue
    /// Returns nil when the property is omitted.
    let encode: @Sendable (Value, AnswerLocale) -> JSONValue?

    /// The same property of a value that contains this one.
    func of<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> JSONProperty<Whole> {
        .init(name: name, isRequired: isRequired, schema: schema) { whole, locale in encode(part(whole), locale) }
    }
}
