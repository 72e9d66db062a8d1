import Model

extension SinkKind {
    package static let discord = web("discord", "an incoming webhook of Discord", hidesPath: true) { request, _, values in
        request.body = JSONValue.object([.init("content", .string(values.text.titleAndBody))]).description
    }
}
