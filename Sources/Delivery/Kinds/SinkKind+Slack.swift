import Model

extension SinkKind {
    package static let slack = web("slack", title: .product("Slack"), "an incoming webhook", hidesPath: true) {
        request, _, values in
        // Slack's control characters (docs.slack.dev, "Escaping text").
        let text = values.text.titleAndBody.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">", with: "&gt;")
        request.body = JSONValue.object([.init("text", .string(text))]).description
    }
}
