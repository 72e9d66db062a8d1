import Model

/// An HTTP endpoint to which messages are posted, and their format.
package struct WebTarget: Hashable, Sendable {
    /// One of `webhook`, `ntfy`, `gotify`, `slack`, `mattermost`, `telegram`, `homeassistant`, `text`.
    package var kind: SinkKind
    /// The endpoint. For ntfy the path is the topic; for Gotify and Telegram this is the server only.
    package var url: String
    /// The credential: a bearer token, Gotify's application token, or Telegram's bot token. Secret.
    package var token: String?
    /// Telegram's chat id.
    package var chat: String?
    /// The priority for ntfy (1 to 5) or Gotify (0 to 10); nil for the server's default.
    package var priority: Int?
    /// Additional headers. Their values are secret.
    package var headers: [Header]
    /// A custom body instead of the kind's own.
    package var template: BodyTemplate?
    /// The key that signs bodies. Secret.
    package var signingSecret: String?

    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(
        kind: SinkKind, url: String, token: String? = nil, chat: String? = nil, priority: Int? = nil, headers: [Header] = [],
        template: BodyTemplate? = nil, signingSecret: String? = nil
    ) {
        self.kind = kind
        self.url = url
        self.token = token
        self.chat = chat
        self.priority = priority
        self.headers = headers
        self.template = template
        self.signingSecret = signingSecret
    }

    /// The default server of a kind; nil for kinds without one.
    package static func defaultServer(of kind: SinkKind) -> String? {
        switch kind {
        case .ntfy: "https://ntfy.sh"
        case .telegram: "https://api.telegram.org"
        default: nil
        }
    }

    /// The URL with secrets masked.
    var maskedURL: String {
        switch kind {
        // The path of these URLs is a secret, because it allows anyone to post.
        case .slack, .mattermost, .homeAssistant: WebAddress.masked(url, hidesPath: true)
        default: WebAddress.masked(url)
        }
    }

    /// The first invalid value as a problem; nil when all are valid.
    var flaw: Problem? {
        if let flaw = WebAddress.flaw(url) { return flaw }
        func missing(_ field: String, _ expected: Phrase) -> Problem {
            .validationFailed(field: field, value: "", reason: .missing, expected: expected)
        }
        switch kind {
        case .ntfy:
            let topic = WebAddress.path(of: url).split(separator: "/")
            // ntfy's own pattern for topics (server/server.go, topicRegex).
            let isTopic = topic.last.map { text in
                text.utf8.count <= 64 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            }
            guard isTopic == true else {
                return .validationFailed(
                    field: "topic", value: topic.last.map { String($0.prefix(64)) } ?? "",
                    reason: topic.isEmpty ? .missing : Phrase("it is not a topic of ntfy"),
                    expected: Phrase("1 to 64 of A-Z a-z 0-9 _ -"))
            }
        case .gotify: if token == nil { return missing("token", Phrase("the token of a Gotify application")) }
        case .telegram:
            if token == nil { return missing("token", Phrase("the bot's token from @BotFather")) }
            if chat == nil { return missing("chat", Phrase("the number of a chat, or @channel")) }
        default: break
        }
        if let priority {
            let range = kind == .ntfy ? 1...5 : kind == .gotify ? 0...10 : nil
            guard let range else {
                return .validationFailed(
                    field: "priority", value: "\(priority)",
                    reason: Phrase("a sink of the kind \(kind.rawValue) has no priority"),
                    expected: Phrase("a priority only for ntfy or gotify"))
            }
            if !range.contains(priority) {
                return .validationFailed(
                    field: "priority", value: "\(priority)", reason: .outOfRange,
                    expected: .wholeNumberIn(range.lowerBound, range.upperBound))
            }
        }
        for header in headers { if let flaw = header.flaw { return flaw } }
        if let token, token.isEmpty || !token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return .validationFailed(
                field: "token", value: "",
                reason: token.isEmpty ? .empty : Phrase("it contains a space or a character that is not ASCII"),
                expected: Phrase("the complete token"))
        }
        return nil
    }
}

extension WebTarget.Header {
    /// Headers that Picket sets itself.
    private static let own: Set<String> = [
        "content-length", "content-type", "host", "transfer-encoding", "connection", "idempotency-key", "picket-signature",
        "expect",
    ]

    /// What is wrong with the header; nil when it is valid. The problem does not contain the value.
    fileprivate var flaw: Problem? {
        // The token rule of RFC 9110, section 5.6.2.
        let marks = "!#$%&'*+-.^_`|~"
        let isName = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
        if !isName {
            return .validationFailed(
                field: "header", value: name, reason: Phrase("it is not a header name"), expected: .nameAndValue)
        }
        if Self.own.contains(name.lowercased()) {
            return .validationFailed(
                field: "header", value: name, reason: Phrase("Picket sets this header itself"), expected: Phrase("another header")
            )
        }
        if value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) {
            return .validationFailed(
                field: "header", value: name, reason: Phrase("its value contains a control character"), expected: .oneLine)
        }
        return nil
    }
}
