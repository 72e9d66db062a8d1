import Model

extension SinkKind {
    package static let mattermost = web("mattermost", title: .product("Mattermost"), "an incoming webhook", hidesPath: true) {
        request, _, values in
        // A zero-width space keeps a device named '@all' from mentioning all users.
        let text = values.text.titleAndBody.replacing("@", with: "@\u{200B}")
        request.body = JSONValue.object([.init("text", .string(text))]).description
    }
}
