import Model

extension SinkKind {
    /// An HTTP endpoint that accepts the event's message for people as plain text, or a custom body.
    package static let text = web(
        "text", title: Phrase("Plain text"), "a sentence as plain text", type: "text/plain; charset=utf-8"
    ) { request, _, values in
        request.body = values.text.titleAndBody
    }
}
