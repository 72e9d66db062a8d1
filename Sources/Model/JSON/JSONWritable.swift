/// A type whose JSON objects one `JSONOutput` describes.
package protocol JSONWritable: Sendable {
    static var output: JSONOutput<Self> { get }
}

extension JSONWritable {
    package func json(in locale: AnswerLocale) -> JSONValue { Self.output.encode(self, in: locale) }
}

extension JSONKind where Content: JSONWritable {
    /// An object of the content's own description, which is only written.
    package static var object: Self { .object(of: Content.output) }
}
