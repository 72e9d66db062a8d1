import Model

/// The settings of a sink's target as JSON. Each kind of target has some of the members.
struct SinkTargetDocument: Sendable {
    let target: SinkTarget
    /// Whether secrets are included; otherwise they are masked.
    let withSecrets: Bool

    private var web: WebTarget? { if case .web(let target) = target { target } else { nil } }
    private var mail: MailTarget? { if case .mail(let target) = target { target } else { nil } }
    private var mqtt: MQTTTarget? { if case .mqtt(let target) = target { target } else { nil } }
    private var positions: PositionTarget? { if case .positions(let target) = target { target } else { nil } }

    private func secret(_ text: String?) -> String? { withSecrets ? text : text.map { _ in WebAddress.mask } }

    private var url: String? {
        switch target {
        case .web(let target): withSecrets ? target.url : target.maskedURL
        case .mqtt(let target): withSecrets ? target.url : WebAddress.masked(target.url)
        case .positions(let target): withSecrets ? target.url : WebAddress.masked(target.url)
        case .mail, .file, .command: nil
        }
    }

    private var headers: [JSONValue.Member]? {
        guard let headers = web?.headers, !headers.isEmpty else { return nil }
        return headers.map { .init($0.name, secret($0.value).map(JSONValue.string) ?? .null) }
    }

    private var template: BodyTemplate? { web?.template ?? mqtt?.payload }

    /// The default topic follows from `base`, so it is shown and not stored.
    private var topic: String? { mqtt.flatMap { withSecrets && $0.hasDefaultTopic ? nil : $0.topic.source } }

    /// A target that announces devices to Home Assistant has its own topics for states.
    private var stateTopic: String? {
        guard let mqtt, mqtt.discovery == nil else { return nil }
        return mqtt.stateTopic?.source ?? "none"
    }

    private var server: String? { (mail?.server).map { withSecrets ? $0 : WebAddress.masked($0) } }
    private var allowsPlain: Bool? { mail?.allowsPlain == true ? true : nil }
    private var path: String? { if case .file(let path) = target { path } else { nil } }
    private var arguments: [String]? { if case .command(let target) = target { target.argumentTemplates } else { nil } }
}

extension SinkTargetDocument: JSONWritable {
    static let output = JSONOutput<SinkTargetDocument>(
        "SinkTarget", summary: "The settings of a sink's target",
        .init("url", optional: .text, summary: "The destination; with ntfy, the topic is its path", content: \.url),
        .init(
            "format", optional: .word, summary: "With positions: the format in which they are sent", content: \.positions?.format),
        .init("token", optional: .text, summary: "The destination's token; masked in answers") {
            $0.secret($0.web?.token ?? $0.positions?.token)
        },
        .init("chat", optional: .text, summary: "With telegram: the chat", content: \.web?.chat),
        .init("priority", optional: .whole, summary: "With ntfy 1 to 5, with gotify 0 to 10", content: \.web?.priority),
        .init(
            "headers", optional: .anyObject, summary: "More headers by name; their values are masked in answers",
            content: \.headers),
        .init(
            "topic", optional: .text, summary: "With mqtt: the topic of events, with fields such as {deviceId}", content: \.topic),
        .init(
            "stateTopic", optional: .text,
            summary: "With mqtt: the topic on which 'inside' or 'outside' stays published; 'none' publishes no states",
            content: \.stateTopic),
        .init(
            "discovery", optional: .text,
            summary: "With mqtt: the discovery prefix of Home Assistant under which devices and geofences are announced",
            content: \.mqtt?.discovery?.prefix),
        .init(
            "base", optional: .text, summary: "With discovery: the name of this service in topics",
            content: \.mqtt?.discovery?.base),
        .init(
            "template", optional: .text, summary: "A template of the body, with fields such as {device}",
            content: \.template?.source),
        .init(
            "contentType", optional: .word, summary: "The type of the template's result, which decides how values are escaped",
            content: \.template?.form),
        .init(
            "signingSecret", optional: .text, summary: "The secret that signs bodies (Picket-Signature); masked in answers"
        ) { $0.secret($0.web?.signingSecret) },
        .init("server", optional: .text, summary: "With email: smtp://HOST:PORT or smtps://HOST", content: \.server),
        .init("user", optional: .text, summary: "With email: the user name", content: \.mail?.user),
        .init("password", optional: .text, summary: "With email: the password; masked in answers") {
            $0.secret($0.mail?.password)
        },
        .init("from", optional: .text, summary: "With email: the sender's address", content: \.mail?.sender),
        .init("to", optional: .list(of: .text), summary: "With email: the recipients' addresses", content: \.mail?.recipients),
        .init(
            "allowPlain", optional: .flag, summary: "With email: whether mail may be sent without TLS", content: \.allowsPlain),
        .init("path", optional: .text, summary: "With file: the absolute path", content: \.path),
        .init(
            "command", optional: .list(of: .text), summary: "With command: the program's absolute path and its arguments",
            content: \.arguments))
}
