import Model

extension SinkKind {
    package static let gotify = web(
        "gotify", title: .product("Gotify"), "a Gotify server, with --sink-token",
        needs: [("token", Phrase("the token of a Gotify application"))],
        priorities: 0...10, sign: { $0.headers.append(.init("X-Gotify-Key", $1)) }
    ) { request, target, values in
        request.url = trimmed(target.address) + "/message"
        request.body =
            JSONValue.compact([
                ("title", .string(values.text.title)), ("message", .string(values.text.body)),
                ("priority", target.priority(of: values)),
            ]).description
    }
}
