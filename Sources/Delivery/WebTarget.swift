import Model

/// An HTTP address that messages are posted to, and what they look like there.
public struct WebTarget: Hashable, Sendable {
    /// One of the kinds that are posted: `webhook`, `ntfy`, `gotify`, `slack`, `mattermost`, `telegram`, `homeassistant`, `text`.
    public var kind: SinkKind
    /// For ntfy with the topic as its path; for Gotify and Telegram the server alone.
    public var url: String
    /// What lets messages in: a Bearer token, Gotify's application token, Telegram's bot token. Secret.
    public var token: String?
    /// Telegram's chat.
    public var chat: String?
    /// Of ntfy (1 to 5) and Gotify (0 to 10); nil: the server's usual one.
    public var priority: Int?
    /// More headers. Their values are secret.
    public var headers: [Header]
    /// A body of one's own, in place of the kind's.
    public var template: BodyTemplate?
    /// By which bodies are signed. Secret.
    public var signingSecret: String?

    /// A header's name and value.
    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
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

    /// The server of those kinds that are mostly used with one.
    public static func usualServer(of kind: SinkKind) -> String? {
        switch kind {
        case .ntfy: "https://ntfy.sh"
        case .telegram: "https://api.telegram.org"
        default: nil
        }
    }

    /// The URL without what is secret in it.
    var maskedURL: String {
        switch kind {
        // Whoever knows the path of these may post there: the path is a password.
        case .slack, .mattermost, .homeAssistant: WebAddress.masked(url, hidesPath: true)
        default: WebAddress.masked(url)
        }
    }

    /// The first thing that is wrong with it.
    var flaw: Problem? {
        if let flaw = WebAddress.flaw(url) { return flaw }
        func missing(_ field: String, _ expected: String) -> Problem {
            .validationFailed(field: field, value: "", reason: "it is missing", expected: expected)
        }
        switch kind {
        case .ntfy:
            let topic = WebAddress.path(of: url).split(separator: "/")
            // ntfy's own rule for topics (server/server.go, topicRegex).
            let isTopic = topic.last.map { text in
                text.utf8.count <= 64 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            }
            guard isTopic == true else {
                return .validationFailed(
                    field: "topic", value: topic.last.map { String($0.prefix(64)) } ?? "",
                    reason: topic.isEmpty ? "it is missing" : "it is not a topic of ntfy", expected: "1 to 64 of A-Z a-z 0-9 _ -")
            }
        case .gotify: if token == nil { return missing("token", "the token of a Gotify application") }
        case .telegram:
            if token == nil { return missing("token", "the bot's token, as @BotFather told it") }
            if chat == nil { return missing("chat", "the number of a chat, or @channel") }
        default: break
        }
        if let priority {
            let range = kind == .ntfy ? 1...5 : kind == .gotify ? 0...10 : nil
            guard let range else {
                return .validationFailed(
                    field: "priority", value: "\(priority)", reason: "a sink of the kind \(kind.rawValue) has none",
                    expected: "a priority for ntfy or gotify alone")
            }
            if !range.contains(priority) {
                return .validationFailed(
                    field: "priority", value: "\(priority)", reason: "it is out of range",
                    expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
        }
        for header in headers { if let flaw = header.flaw { return flaw } }
        if let token, token.isEmpty || !token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return .validationFailed(
                field: "token", value: "",
                reason: token.isEmpty ? "it is empty" : "it has a space or a character that is not ASCII",
                expected: "the token as it was given")
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

    /// What is wrong with it. Its value is not repeated.
    fileprivate var flaw: Problem? {
        // A token of RFC 9110, 5.6.2.
        let marks = "!#$%&'*+-.^_`|~"
        let isName = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
        if !isName {
            return .validationFailed(
                field: "header", value: name, reason: "it is not a name of a header", expected: "NAME: VALUE")
        }
        if Self.own.contains(name.lowercased()) {
            return .validationFailed(
                field: "header", value: name, reason: "Picket sets that one itself", expected: "another header")
        }
        if value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) {
            return .validationFailed(
                field: "header", value: name, reason: "its value has a control character in it", expected: "one line")
        }
        return nil
    }
}
