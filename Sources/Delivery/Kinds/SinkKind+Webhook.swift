extension SinkKind {
    /// An HTTP endpoint that accepts the event as JSON, or a custom body.
    package static let webhook = web("webhook", "the event as JSON, or a --template", notifiesPeople: false) {
        request, _, values in
        request.body = values.json.description
    }
}
