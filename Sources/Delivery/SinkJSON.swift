import Model

// Reads the JSON that `SinkDocument` describes.

extension Sink {
    /// The allowed seconds of `maxAge`, besides forever.
    package static let maxAges = TimeSpan.moreThanNone...TimeSpan.longest

    /// Reads a sink.
    ///
    /// - Parameters:
    ///   - id: The sink's id, which an id in the JSON must match; nil to use the id in the JSON.
    ///   - known: The existing sink. A secret whose mask is in the JSON keeps its existing value.
    /// - Throws: `Problem.validationFailed` with the name of the field.
    package init(json: JSONValue, id: String?, known: Sink? = nil) throws(Problem) {
        var fields = try JSONFields(json, of: .sink)
        let own = try fields.text("id")
        if let id, let own, own != id {
            throw .validationFailed(
                field: "id", value: own, reason: .idDiffers,
                expected: .thisOrNone(id))
        }
        guard let kind = try fields.oneOf("kind", SinkKind.self) else {
            throw .validationFailed(
                field: "kind", value: "", reason: .missing,
                expected: .oneOf(SinkKind.allCases.map(\.rawValue)))
        }
        let target = try SinkTarget(kind, &fields, known: known?.target)
        let filter = try fields.value("filter").map { json throws(Problem) in try SinkFilter(json: json) }
        let age = fields.value("maxAge")
        let maxAge = age?.string == "forever" ? .infinity : try fields.number("maxAge")
        if let maxAge, maxAge.isFinite,
            let flaw = TimeSpan.flaw(in: maxAge, field: "maxAge", range: Self.maxAges, or: .forever)
        {
            throw flaw
        }
        let rateLimit = try fields.value("rateLimit").map { json throws(Problem) in try RateLimit(json: json) }
        let emergency = try fields.flag("emergency") ?? true
        let language = try fields.oneOf("language", Language.self) ?? .english
        let timeZone = try fields.text("timeZone") ?? "UTC"
        // Fields that only responses have.
        fields.allow("isPaused", "connection", "waiting", "parked", "tooOld", "delivered", "lastDeliveredAt", "movedTo", "cursor")
        try fields.finish()
        self.init(
            id: id ?? own ?? kind.rawValue, target: target, filter: filter ?? SinkFilter(), maxAge: maxAge, rateLimit: rateLimit,
            emergency: emergency,
            language: language, timeZone: timeZone)
        if let flaw { throw flaw }
        // A template with an unknown field is refused here, not later when an event is sent.
        _ = try MessageComposer(self, zone: .utc)
    }
}

extension SinkTarget {
    init(_ kind: SinkKind, _ fields: inout JSONFields, known: SinkTarget?) throws(Problem) {
        var looking = fields
        let old = SecretFields(known, for: looking.value("url")?.string ?? looking.value("server")?.string)
        func needed(_ name: String, _ text: String?, _ expected: Phrase) throws(Problem) -> String {
            if let text { return text }
            throw .validationFailed(field: name, value: "", reason: .missing, expected: expected)
        }
        switch kind {
        case .webhook, .ntfy, .gotify, .slack, .mattermost, .telegram, .homeAssistant, .text:
            let url = try old.unmasked("url", try fields.text("url")) ?? WebTarget.defaultServer(of: kind)
            var target = WebTarget(
                kind: kind, url: try needed("url", url, Phrase("the address, for example https://example.com/hook")))
            target.token = try old.unmasked("token", try fields.text("token"))
            if kind == .telegram { target.chat = try fields.text("chat") }
            target.priority = try fields.integer("priority")
            target.headers = try Self.headers(&fields, old)
            target.template = try Self.template(&fields)
            target.signingSecret = try old.unmasked("signingSecret", try fields.text("signingSecret"))
            self = .web(target)
        case .email:
            let server = try old.unmasked("server", try fields.text("server"))
            var target = MailTarget(
                server: try needed("server", server, Phrase("smtp://HOST:PORT or smtps://HOST")),
                sender: try needed("from", try fields.text("from"), .mailAddress), recipients: try fields.texts("to"))
            target.user = try fields.text("user")
            target.password = try old.unmasked("password", try fields.text("password"))
            target.allowsPlain = try fields.flag("allowPlain") ?? false
            self = .mail(target)
        case .mqtt:
            let url = try needed(
                "url", try old.unmasked("url", try fields.text("url")),
                Phrase("the broker, for example mqtts://USER:PASSWORD@HOST"))
            let discovery = try Self.discovery(&fields)
            let state = try fields.text("stateTopic")
            if let state, let discovery {
                throw .validationFailed(
                    field: "stateTopic", value: state,
                    reason: Phrase("with discovery, states are published to \(discovery.base)/DEVICE/in/GEOFENCE"),
                    expected: .oneOfTheTwo)
            }
            self = .mqtt(
                MQTTTarget(
                    url: url,
                    topic: try BodyTemplate(
                        try fields.text("topic") ?? MQTTTarget.defaultTopic(discovery), form: .plain, field: "topic"),
                    stateTopic: state == "none" || discovery != nil
                        ? nil : try BodyTemplate(state ?? MQTTTarget.defaultStateTopic, form: .plain, field: "stateTopic"),
                    template: try Self.template(&fields), discovery: discovery))
        case .file: self = .file(path: try needed("path", try fields.text("path"), Phrase("the path of a file")))
        case .command: self = .command(CommandTarget(arguments: try fields.texts("command")))
        case .positions:
            let url = try old.unmasked("url", try fields.text("url"))
            var target = PositionTarget(
                url: try needed("url", url, Phrase("the address, for example https://example.com/positions")),
                format: try fields.oneOf("format", PositionTarget.Format.self) ?? .picket)
            target.token = try old.unmasked("token", try fields.text("token"))
            self = .positions(target)
        }
    }

    private static func discovery(_ fields: inout JSONFields) throws(Problem) -> HomeAssistantDiscovery? {
        let base = try fields.text("base")
        guard let prefix = try fields.text("discovery") else {
            guard let base else { return nil }
            throw .validationFailed(
                field: "base", value: base, reason: Phrase("it has an effect only with --discovery"),
                expected: Phrase("discovery as well, for example \(HomeAssistantDiscovery.defaultPrefix)"))
        }
        return HomeAssistantDiscovery(prefix: prefix, base: base ?? HomeAssistantDiscovery.defaultBase)
    }

    private static func headers(_ fields: inout JSONFields, _ old: SecretFields) throws(Problem) -> [WebTarget.Header] {
        guard let value = fields.value("headers") else { return [] }
        var headers: [WebTarget.Header] = []
        for member in value.members ?? [] {
            guard let text = member.value.string else {
                throw .validationFailed(
                    field: "headers", value: member.name, reason: .notText, expected: .string)
            }
            headers.append(.init(member.name, try old.unmasked("header \(member.name)", text) ?? text))
        }
        guard value.members != nil else {
            throw .validationFailed(field: "headers", value: "", reason: .notAnObject, expected: .like("{\"NAME\": \"VALUE\"}"))
        }
        return headers
    }

    private static func template(_ fields: inout JSONFields) throws(Problem) -> BodyTemplate? {
        let form = try fields.oneOf("contentType", BodyTemplate.Form.self)
        guard let source = try fields.text("template") else {
            guard let form else { return nil }
            throw .validationFailed(
                field: "contentType", value: form.rawValue, reason: .partnerMissing("template"), expected: .bothOrNeither)
        }
        return try BodyTemplate(source, form: form ?? .json)
    }
}

/// The secrets of an existing sink, so that JSON that was read with masks can be written back.
private struct SecretFields {
    private var values: [String: (secret: String, mask: String)] = [:]

    /// - Parameter address: The sink's new address. Secrets are kept only for the host that they were given for.
    init(_ target: SinkTarget?, for address: String?) {
        guard let target else { return }
        let masked = SinkTargetDocument(target: target, withSecrets: false).json(in: AnswerLocale())
        let plain = SinkTargetDocument(target: target, withSecrets: true).json(in: AnswerLocale())
        if let address, let known = (plain["url"] ?? plain["server"])?.string,
            WebAddress.peer(address) != WebAddress.peer(known)
        {
            return
        }
        for name in ["url", "token", "signingSecret", "server", "password"] {
            if let secret = plain[name]?.string, let mask = masked[name]?.string { values[name] = (secret, mask) }
        }
        for header in plain["headers"]?.members ?? [] {
            if let secret = header.value.string { values["header \(header.name)"] = (secret, WebAddress.mask) }
        }
    }

    /// The text, or the secret if the text is its mask.
    func unmasked(_ name: String, _ text: String?) throws(Problem) -> String? {
        if let known = values[name], text == known.mask { return known.secret }
        guard let text, text.contains(WebAddress.mask) else { return text }
        throw .validationFailed(
            field: name, value: "", reason: .hiddenSecret,
            expected: Phrase("the whole value; a secret is kept only while the sink's host stays the same"))
    }
}
