import Model

/// Where a sink's messages go, and in which format. Each kind has some of the settings; see `SinkKind.members`.
package struct SinkTarget: Hashable, Sendable {
    package var kind: SinkKind
    package var url: String?
    package var format: Format?
    /// A bearer token, Gotify's application token, or Telegram's bot token. Secret.
    package var token: String?
    package var chat: String?
    package var priority: Int?
    /// Their values are secret.
    package var headers: [WebHeader] = []
    package var topic: String?
    package var stateTopic: String?
    package var discovery: String?
    package var base: String?
    package var template: String?
    package var contentType: BodyTemplate.Form?
    /// Secret.
    package var signingSecret: String?
    package var server: String?
    package var user: String?
    /// Secret.
    package var password: String?
    package var from: String?
    package var to: [String] = []
    package var allowPlain = false
    package var path: String?
    package var command: [String] = []
    /// What a report is about: the last month, week or day.
    package var every: ReportPeriodLength?
    package var by: [ReportSubject] = []
    /// The length of the periods within a report; nil for `every`.
    package var period: ReportPeriodLength?
    /// Seconds; visits in which a device was seen for less do not count in a report. Nil to count all.
    package var minDuration: Double?
    /// The local time at which a report is sent.
    package var at: TimeOfDay?

    package init(
        _ kind: SinkKind, url: String? = nil, token: String? = nil, chat: String? = nil, priority: Int? = nil,
        signingSecret: String? = nil
    ) {
        self.kind = kind
        self.url = url ?? kind.defaultURL
        self.token = token
        self.chat = chat
        self.priority = priority
        self.signingSecret = signingSecret
    }

    package static let fields: [EntityField<SinkTarget>] = [
        .init("url", optional: .text, at: \.url, help: "The destination; with ntfy, the topic is its path"),
        .init("format", optional: .word, at: \.format, help: help("their format", of: "format"), option: .init("FORMAT")),
        .init(
            "token", optional: .text, at: \.token, help: "Access token at the destination; masked in answers",
            option: .init("TOKEN", name: "--sink-token", source: .secret)),
        .init("chat", optional: .text, at: \.chat, help: help("the chat", of: "chat")),
        .init(
            "priority", optional: .whole(priorities), at: \.priority, help: "Priority of messages: \(prioritiesByKind)",
            option: .init("N")),
        .init(
            "headers", .headers, at: \.headers, omitting: [], help: "Additional HTTP headers; their values are masked in answers",
            option: .init("'NAME: VALUE'", name: "--header", source: .secret, isRepeatable: true)),
        .init(
            "topic", optional: .text, at: \.topic, help: help("topic of events, with fields such as {deviceId}", of: "topic"),
            option: .init("TOPIC", builtIn: "NAME/{deviceId}/event, with the NAME of --base")),
        .init(
            "stateTopic", optional: .text, at: \.stateTopic,
            help: help("topic on which 'inside' or 'outside' stays published; 'none' for none", of: "stateTopic"),
            option: .init("TOPIC", builtIn: SinkKind.defaultStateTopic)),
        .init(
            "discovery", optional: .text, at: \.discovery, removal: "none",
            help: help("prefix of Home Assistant under which devices and geofences are announced", of: "discovery"),
            option: .init("PREFIX", "\(HomeAssistantDiscovery.defaultPrefix); 'none' stops this")),
        .init(
            "base", optional: .text, at: \.base, help: "With discovery: name of this service in topics",
            option: .init("NAME", builtIn: HomeAssistantDiscovery.defaultBase)),
        .init(
            "template", optional: .text, at: \.template, removal: "none",
            help: "Template of the body, with fields such as {device}",
            option: .init("TEXT", "@FILE reads it from a file; none removes it", source: .file)),
        .init(
            "contentType", optional: .word, at: \.contentType,
            help: "Content type of the template's result, which decides how values are escaped",
            option: .init("TYPE", builtIn: "application/json")),
        .init(
            "signingSecret", optional: .text, at: \.signingSecret,
            help: "Secret with which bodies are signed (Picket-Signature); masked in answers",
            option: .init("SECRET", name: "--secret", source: .secret)),
        .init(
            "server", optional: .text, at: \.server, help: help("mail server, smtp://HOST:PORT or smtps://HOST", of: "server"),
            option: .init("URL", name: "--smtp", source: .secret)),
        .init(
            "user", optional: .text, at: \.user, help: help("user name at the mail server", of: "user"), option: .init("NAME")),
        .init(
            "password", optional: .text, at: \.password,
            help: help("password at the mail server; masked in answers", of: "password"),
            option: .init("PASSWORD", source: .secret)),
        .init("from", optional: .text, at: \.from, help: help("address of the sender", of: "from"), option: .init("ADDRESS")),
        .init("to", .texts, at: \.to, omitting: [], help: help("addresses of the recipients", of: "to")),
        .init(
            "allowPlain", .flag("yes", "no"), at: \.allowPlain, omitting: false,
            help: help("whether mail may be sent without TLS", of: "allowPlain"), option: .init("YES")),
        .init("path", optional: .text, at: \.path, help: help("the absolute path", of: "path")),
        .init(
            "command", .texts, at: \.command, omitting: [],
            help: help("absolute path of the program, and its arguments", of: "command")),
        .init(
            "every", optional: .word, at: \.every,
            help: help("sent after each month, week (on Monday) or day, and about it", of: "every"), option: .init("PERIOD")),
        .init(
            "by", .reportSubjects, at: \.by, omitting: [],
            help: help("one row per geofence, device or group, or per two of them", of: "by"),
            option: .init("WHAT", "for example device,geofence")),
        .init(
            "period", optional: .word, at: \.period, help: help("and per month, week or day", of: "period"),
            option: .init("PERIOD", builtIn: "that of --every")),
        .init(
            "minDuration", optional: .seconds(0...TimeSpan.longest, acceptsBareSeconds: true), at: \.minDuration, removal: "none",
            help: help("only visits in which the device was seen for at least this time", of: "minDuration"),
            option: .init("DURATION", "for example 3m; 'none' counts all")),
        .init(
            "at", optional: .timeOfDay, at: \.at, help: help("local time at which it is sent", of: "at"),
            option: .init("HH:MM", builtIn: "06:00")),
    ]

    /// The help of a member that only some kinds have.
    private static func help(_ text: String, of member: String) -> String {
        let kinds = SinkKind.allCases.filter { $0.members.contains(member) }.map(\.rawValue)
        return "With \(kinds.joined(separator: ", ")): \(text)"
    }

    /// The values of `priority` that at least one kind allows.
    private static var priorities: ClosedRange<Int> {
        let ranges = SinkKind.allCases.compactMap(\.priorities)
        return (ranges.map(\.lowerBound).min() ?? 0)...(ranges.map(\.upperBound).max() ?? 0)
    }

    /// The values of `priority` that each kind allows.
    private static var prioritiesByKind: String {
        SinkKind.allCases.compactMap { kind in
            kind.priorities.map { "\($0.lowerBound) to \($0.upperBound) for \(kind.rawValue)" }
        }
        .joined(separator: ", ")
    }

    /// The labels of members in the dashboard's forms.
    static let labels: [String: Phrase] = [
        "url": Phrase("Address"), "token": Phrase("Token"), "chat": Phrase("Chat"), "topic": Phrase("Topic"),
        "discovery": Phrase("Discovery prefix"), "base": Phrase("First level of this service’s MQTT topics"),
        "signingSecret": Phrase("Signing secret"), "server": Phrase("Server"), "user": Phrase("User name"),
        "password": Phrase("Password"), "from": Phrase("Sender"),
    ]

    /// The secrets that are separate texts, with their members.
    static var secrets: [(name: String, path: WritableKeyPath<SinkTarget, String?>)] {
        [("token", \.token), ("signingSecret", \.signingSecret), ("password", \.password)]
    }
    private static var addresses: [(name: String, path: WritableKeyPath<SinkTarget, String?>)] {
        [("url", \.url), ("server", \.server)]
    }

    /// The URL or the server; empty if the sink stays on this machine.
    package var address: String { url ?? server ?? "" }

    /// The URL or the server without user, path and query; for files and programs the path.
    package var peer: String { address.isEmpty ? path ?? command.first ?? "" : WebAddress.peer(address) }

    /// The secrets, to be removed from texts of other parties.
    package var secretTexts: [String] {
        Self.secrets.compactMap { self[keyPath: $0.path] } + headers.map(\.value).filter { !$0.isEmpty }
            + WebAddress.secrets(of: address)
            + (kind.hidesPath ? [WebAddress.path(of: address)] : [])
    }

    /// The target with masks instead of secrets.
    package var masked: SinkTarget {
        var target = self
        for (_, path) in Self.secrets where self[keyPath: path] != nil { target[keyPath: path] = WebAddress.mask }
        for (_, path) in Self.addresses {
            target[keyPath: path] = self[keyPath: path].map { WebAddress.masked($0, hidesPath: kind.hidesPath) }
        }
        target.headers = headers.map { WebHeader($0.name, WebAddress.mask) }
        return target
    }

    /// The first invalid value as a problem; nil when all are valid.
    package var flaw: Problem? { kind.flaw(self) }
}

extension SinkTarget: JSONWritable {
    package static let output = JSONOutput<SinkTarget>(
        "SinkTarget", summary: "The settings of a sink's target", fields: fields)

    /// Reads the members of a kind.
    ///
    /// - Parameter known: The existing target. A secret whose mask is in the JSON keeps its existing value.
    init(_ kind: SinkKind, _ json: inout JSONFields, known: SinkTarget?) throws(Problem) {
        self.init(kind)
        for field in Self.fields {
            if kind.members.contains(field.name) {
                try field.read(&self, &json)
            } else if json.value(field.name) != nil {
                let others = SinkKind.allCases.filter { $0.members.contains(field.name) }.map(\.rawValue)
                throw .validationFailed(
                    field: field.name, value: "", reason: Phrase("a sink of the kind \(kind.rawValue) has no such field"),
                    expected: Phrase("a sink of the kind \(choice: others)"))
            }
        }
        try unmask(known)
        for (name, expected) in kind.needs {
            guard let field = Self.fields.first(where: { $0.name == name }), field.isEqual(self, SinkTarget(.file)) else {
                continue
            }
            throw .missing(name, expected)
        }
        if let contentType, template == nil {
            throw .validationFailed(
                field: "contentType", value: contentType.rawValue, reason: .partnerMissing("template"), expected: .bothOrNeither)
        }
        if template != nil { contentType = contentType ?? .json }
        try kind.complete(&self)
    }

    /// Replaces masks with the secrets of an existing target, if its host is the same.
    private mutating func unmask(_ known: SinkTarget?) throws(Problem) {
        var known = known
        if let old = known, WebAddress.peer(address) != WebAddress.peer(old.address) { known = nil }
        let shown = known?.masked
        func unmasked(_ name: String, _ text: String?, _ mask: String?, _ secret: String?) throws(Problem) -> String? {
            guard let text, text.contains(WebAddress.mask) else { return text }
            if text == mask { return secret }
            throw .validationFailed(
                field: name, value: "", reason: .hiddenSecret,
                expected: Phrase("the whole value; a secret is kept only while the sink's host stays the same"))
        }
        for (name, path) in Self.addresses + Self.secrets {
            self[keyPath: path] = try unmasked(name, self[keyPath: path], shown?[keyPath: path], known?[keyPath: path])
        }
        for index in headers.indices {
            let (name, value) = (headers[index].name, headers[index].value)
            let secret = known?.headers.last { $0.name == name }?.value
            headers[index].value = try unmasked("header \(name)", value, secret.map { _ in WebAddress.mask }, secret) ?? value
        }
    }
}

extension FieldKind<[WebHeader]> {
    /// An object with the value of each header by its name. In an option, a header is a line such as `NAME: VALUE`.
    fileprivate static var headers: Self {
        @Sendable func decode(_ json: JSONValue) throws(Problem) -> [WebHeader] {
            guard let members = json.members else {
                throw .validationFailed(
                    field: "headers", value: "", reason: .notAnObject, expected: .like("{\"NAME\": \"VALUE\"}"))
            }
            return try members.map { member throws(Problem) in
                // Earlier builds stored null for an empty value.
                guard let text = member.value == .null ? "" : member.value.string else {
                    throw .validationFailed(field: "headers", value: member.name, reason: .notText, expected: .string)
                }
                return WebHeader(member.name, text)
            }
        }
        return .object(
            JSONKind<[JSONValue.Member]>.anyObject.of(
                { headers in headers.map { .init($0.name, .string($0.value)) } },
                { try? decode(.object($0)) }),
            decode: decode,
            parse: { (text, option) throws(Problem) in
                let lines = text.split(whereSeparator: \.isNewline)
                return try (lines.isEmpty ? [""] : lines).map { line throws(Problem) in
                    guard let colon = line.firstIndex(of: ":") else {
                        throw .validationFailed(field: option, value: "", reason: .noColon, expected: .nameAndValue)
                    }
                    let value = line[line.index(after: colon)...].drop { $0 == " " }
                    return WebHeader(String(line[..<colon]), String(value))
                }
            })
    }
}

/// The templates of a target, which are parsed once.
struct SinkTemplates: Sendable {
    let body: BodyTemplate?
    let topic: BodyTemplate?
    let stateTopic: BodyTemplate?
    let arguments: [BodyTemplate]

    /// - Throws: `Problem.validationFailed` if a template has an unknown field.
    init(_ target: SinkTarget) throws(Problem) {
        func plain(_ text: String?, _ field: String) throws(Problem) -> BodyTemplate? {
            try text.map { text throws(Problem) in try BodyTemplate(text, form: .plain, field: field) }
        }
        body = try target.template.map { text throws(Problem) in try BodyTemplate(text, form: target.contentType ?? .json) }
        topic = try plain(target.topic, "topic")
        stateTopic = try plain(target.retainedStateTopic, "stateTopic")
        arguments = try target.command.map { text throws(Problem) in
            try BodyTemplate(text, form: .plain, field: "command")
        }
    }
}
