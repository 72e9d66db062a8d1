import Model

extension SinkKind {
    private static let ntfyServer = "https://ntfy.sh"

    /// A topic of an ntfy server.
    package static let ntfy = web(
        "ntfy", title: .product("ntfy"), place: "TOPIC", "a topic of ntfy.sh, or the URL of a topic elsewhere",
        priorities: 1...5,
        form: SinkForm(
            Phrase("Sends each event as a message to a topic. Anyone who knows the topic’s name can read it."),
            [
                .init("topic", example: "my-family-7f3k", isRequired: true), .init("server", example: ntfyServer),
                .init("token"),
            ], urlParts: ["server", "topic"]),
        defaultURL: ntfyServer, url: { $0.contains("://") ? $0 : "\(ntfyServer)/\($0)" },
        flaw: { target in
            let topic = WebAddress.path(of: target.address).split(separator: "/")
            // ntfy's own pattern for topics (server/server.go, topicRegex).
            let isTopic = topic.last.map { text in
                text.utf8.count <= 64 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            }
            if isTopic == true { return nil }
            return .validationFailed(
                field: "topic", value: topic.last.map { String($0.prefix(64)) } ?? "",
                reason: topic.isEmpty ? .missing : Phrase("it is not a topic of ntfy"),
                expected: Phrase("1 to 64 characters of A-Z a-z 0-9 _ -"))
        }
    ) { request, target, values in
        // Published as JSON, because HTTP headers cannot hold titles in every language (docs.ntfy.sh/publish, "Publish as JSON").
        let whole = trimmed(target.address)
        let slash = whole.lastIndex(of: "/") ?? whole.startIndex
        request.url = String(whole[...slash])
        let action = values.outbox.acknowledgeURL.map { url -> JSONValue in
            // An action button (docs.ntfy.sh/publish, "Open website/app").
            [["action": "view", "label": .string(values.text.acknowledgeLabel), "url": .string(url)]]
        }
        request.body =
            JSONValue.compact([
                ("topic", .string(String(whole[slash...].dropFirst()))), ("title", .string(values.text.title)),
                ("message", .string(values.text.body)), ("tags", [.string(values.outbox.event.type.traits.emoji)]),
                ("priority", target.priority(of: values)),
                ("click", values.hasPosition ? .string(values.mapURL) : nil), ("actions", action),
            ]).description
    }
}
