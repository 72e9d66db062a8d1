import Model

/// Builds the messages for a sink.
package struct MessageComposer: Sendable {
    package let sink: Sink
    private let zone: SinkTimeZone
    /// The arguments of a command, as templates.
    private let arguments: [BodyTemplate]

    /// - Throws: `Problem.validationFailed` if an argument of a command has an unknown field.
    package init(_ sink: Sink, zone: SinkTimeZone) throws(Problem) {
        self.sink = sink
        self.zone = zone
        var arguments: [BodyTemplate] = []
        if case .command(let target) = sink.target {
            for argument in target.argumentTemplates {
                arguments.append(try BodyTemplate(argument, form: .plain, field: "command"))
            }
        }
        self.arguments = arguments
    }

    /// The message for an event or a position; nil if this sink does not send such items.
    ///
    /// - Parameter isTest: Whether the event is made up to test the sink.
    package func message(for item: OutboxItem, isTest: Bool = false) -> OutgoingMessage? {
        switch (item, sink.target) {
        case (.event(let outbox), let target): message(for: outbox, to: target, isTest: isTest)
        case (.position(let position), .positions(let target)): .request(PositionMessage.request(position, to: target))
        case (.position, _): nil
        }
    }

    private func message(for outbox: OutboxEvent, to target: SinkTarget, isTest: Bool) -> OutgoingMessage? {
        let values = EventValues(outbox, language: sink.language, zone: zone, isTest: isTest)
        switch target {
        case .web(let target): return .request(request(target, values))
        case .mail(let target):
            return .mail(
                OutgoingMail(
                    target: target,
                    text: MailText.message(
                        from: target.sender, to: target.recipients, subject: values.text.title,
                        body: "\(values.text.titleAndBody)\n\(values.hasPosition ? "\n\(values.mapURL)\n" : "")", id: outbox.key,
                        at: outbox.event.recordedAt)))
        case .mqtt(let target): return .publish(publications(target, values))
        case .file(let path): return .line(values.json.description, path: path)
        case .command: return .run(arguments: arguments.map { $0.render(values) }, input: values.json.description + "\n")
        case .positions: return nil
        }
    }

    // MARK: - MQTT

    private func publications(_ target: MQTTTarget, _ values: EventValues) -> [OutgoingPublication] {
        let event = OutgoingPublication(
            topic: target.topic.renderTopic(values),
            payload: target.payload?.render(values) ?? values.json.description)
        guard target.discovery == nil, let template = target.stateTopic, !values.isTest, let isInside = values.isInsideAfterEvent
        else {
            return [event]
        }
        let state = OutgoingPublication(
            topic: template.renderTopic(values), payload: isInside ? "inside" : "outside", isRetained: true)
        return [event, state]
    }

    // MARK: - HTTP

    private func request(_ target: WebTarget, _ values: EventValues) -> OutgoingRequest {
        var request = OutgoingRequest(url: target.url, headers: target.headers, signingSecret: target.signingSecret)
        request.headers.append(.init("Idempotency-Key", values.outbox.key))
        var type = "application/json"
        switch target.kind {
        case .ntfy:
            // Published as JSON, because HTTP headers cannot hold titles in every language (docs.ntfy.sh/publish, "Publish as JSON").
            let (server, topic) = Self.split(topicOf: target.url)
            request.url = server
            request.body = Self.ntfy(topic, Self.priority(target, values, 5), values).description
        case .gotify:
            request.url = Self.trimmed(target.url) + "/message"
            request.body =
                JSONValue.compact([
                    ("title", .string(values.text.title)), ("message", .string(values.text.body)),
                    ("priority", Self.priority(target, values, 10).map { JSONValue($0) }),
                ]).description
        case .slack:
            // Slack's control characters (docs.slack.dev, "Escaping text").
            let text = values.text.titleAndBody.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
                ">", with: "&gt;")
            request.body = JSONValue.object([.init("text", .string(text))]).description
        case .mattermost:
            // A zero-width space keeps a device named '@all' from mentioning everybody.
            request.body =
                JSONValue.object([.init("text", .string(values.text.titleAndBody.replacing("@", with: "@\u{200B}")))]).description
        case .telegram:
            request.url = "\(Self.trimmed(target.url))/bot\(target.token ?? "")/sendMessage"
            request.body =
                JSONValue.object([
                    .init("chat_id", .string(target.chat ?? "")), .init("text", .string(values.text.titleAndBody)),
                ]).description
        case .text:
            type = "text/plain; charset=utf-8"
            request.body = values.text.titleAndBody
        case .webhook, .homeAssistant, .email, .mqtt, .file, .command, .positions: request.body = values.json.description
        }
        if let template = target.template {
            type = template.form.rawValue + (template.form == .json || template.form == .form ? "" : "; charset=utf-8")
            request.body = template.render(values)
            request.url = target.url
        }
        request.headers.append(.init("Content-Type", type))
        if let token = target.token {
            switch target.kind {
            case .gotify: request.headers.append(.init("X-Gotify-Key", token))
            case .telegram: break
            default: request.headers.append(.init("Authorization", "Bearer \(token)"))
            }
        }
        return request
    }

    /// The priority of a message. An emergency has the highest.
    private static func priority(_ target: WebTarget, _ values: EventValues, _ highest: Int) -> Int? {
        values.outbox.event.urgency == .emergency ? highest : target.priority
    }

    private static func ntfy(_ topic: String, _ priority: Int?, _ values: EventValues) -> JSONValue {
        let type = values.outbox.event.type
        // Emoji short codes (docs.ntfy.sh/emojis).
        let tag =
            switch type {
            case .enter: "green_circle"
            case .exit: "white_circle"
            case .dwell: "hourglass_flowing_sand"
            case .silent: "zzz"
            case .returned: "wave"
            case .alarm: "rotating_light"
            case .missed: "exclamation"
            case .retracted: "leftwards_arrow_with_hook"
            }
        return .compact([
            ("topic", .string(topic)), ("title", .string(values.text.title)), ("message", .string(values.text.body)),
            ("tags", [.string(tag)]), ("priority", priority.map { JSONValue($0) }),
            ("click", values.hasPosition ? .string(values.mapURL) : nil),
            // An action button (docs.ntfy.sh/publish, "Open website/app").
            (
                "actions",
                values.outbox.acknowledgeURL.map {
                    [["action": "view", "label": .string(values.text.acknowledgeLabel), "url": .string($0)]]
                }
            ),
        ])
    }

    /// Splits a topic's URL into the server, with a slash at its end, and the topic.
    private static func split(topicOf url: String) -> (server: String, topic: String) {
        let whole = trimmed(url)
        guard let slash = whole.lastIndex(of: "/") else { return (whole, "") }
        return (String(whole[...slash]), String(whole[whole.index(after: slash)...]))
    }

    /// A URL without trailing slashes.
    private static func trimmed(_ url: String) -> String {
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }
}
