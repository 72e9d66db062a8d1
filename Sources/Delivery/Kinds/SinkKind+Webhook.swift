import Model

extension SinkKind {
    /// An HTTP endpoint that accepts the event as JSON, or a custom body.
    package static let webhook = web(
        "webhook", title: Phrase("Webhook"), "the event as JSON, or a --template", notifiesPeople: false,
        editable: ["url", "token", "signingSecret"],
        form: SinkForm(
            Phrase("Sends each event as JSON to a URL."),
            [.init("url", example: "https://example.com/hook", isRequired: true), .init("signingSecret")])
    ) { request, _, values in
        request.body = values.json.description
    }
}
