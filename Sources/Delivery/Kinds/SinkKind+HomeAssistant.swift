import Model

extension SinkKind {
    /// The URL of a webhook trigger of Home Assistant, which receives the event as JSON.
    package static let homeAssistant = web(
        "homeassistant", title: Phrase("Home Assistant webhook"),
        "a webhook trigger, for example http://HOST:8123/api/webhook/ID", hidesPath: true
    ) { request, _, values in
        request.body = values.json.description
    }
}
