import Delivery
import Foundation
import Model
import Service
import ToolSupport

/// Converts the options of `picket sink add` and `picket sink edit` to the JSON members of a sink.
enum SinkOptions {
    private static let answers = ["yes", "no"]

    /// How to give a secret without exposing it in the process list.
    static let secretForm = "; @FILE reads it from a file, - from standard input"

    static let target: [Option] = [
        Option(
            "--sink-token", value: "TOKEN",
            help: "Access token of the sink (ntfy, gotify, telegram, webhook, positions)" + secretForm),
        Option("--priority", value: "N", help: "Priority of messages: 1 to 5 for ntfy, 0 to 10 for gotify"),
        Option("--header", value: "'NAME: VALUE'", isRepeatable: true, help: "Additional HTTP header" + secretForm),
        Option(
            "--template", value: "TEXT", help: "Template of the body, with fields such as {device}; @FILE reads it from a file"),
        Option("--content-type", value: "TYPE", help: "Content type of the template (application/json)").choosing(
            BodyTemplate.Form.self),
        Option("--secret", value: "SECRET", help: "Secret with which bodies are signed" + secretForm),
        Option("--smtp", value: "URL", help: "For email: mail server, smtp://HOST:PORT or smtps://HOST"),
        Option("--from", value: "ADDRESS", help: "For email: address of the sender"),
        Option("--user", value: "NAME", help: "For email: user name at the mail server"),
        Option("--password", value: "PASSWORD", help: "For email: password at the mail server" + secretForm),
        Option("--allow-plain", value: "YES", help: "For email: allow a connection without TLS").choosing(answers),
        Option("--topic", value: "TOPIC", help: "For mqtt: topic of events (NAME/{deviceId}/event, with the NAME of --base)"),
        Option(
            "--state-topic", value: "TOPIC",
            help:
                "For mqtt: topic of the retained state, 'inside' or 'outside' (\(MQTTTarget.defaultStateTopic)); 'none' for none"),
        Option(
            "--discovery", value: "PREFIX",
            help:
                "For mqtt: announce devices and geofences to Home Assistant (\(HomeAssistantDiscovery.defaultPrefix)); 'none' stops this"
        ),
        Option(
            "--base", value: "NAME",
            help: "For discovery: name of this service in topics (\(HomeAssistantDiscovery.defaultBase))"),
        Option("--format", value: "FORMAT", help: "For positions: format").choosing(PositionTarget.Format.self),
    ]

    static let filter: [Option] = [
        Option("--geofence", value: "LIST", help: "Only events of these geofences; 'none' removes this filter"),
        Option("--device", value: "LIST", help: "Only events of these devices"),
        Option("--group", value: "LIST", help: "Only events of devices in these groups"),
        Option("--type", value: "LIST", help: "Only events of these types: enter, exit, dwell, silent, returned, alarm, missed"),
        Option("--initial", value: "YES", help: "Include events of a device's first position, when it is already inside (no)")
            .choosing(answers),
        Option("--inferred", value: "YES", help: "Include events that are inferred from the positions before and after (yes)")
            .choosing(
                answers),
        Option(
            "--quiet", value: "LIST",
            help: "Quiet hours, for example 22:00-07:00 or 'sat,sun 00:00-24:00'; separated by ';'"),
        Option(
            "--schedule", value: "LIST", help: "Send only at these times, for example 'mon-fri 08:00-18:00'; separated by ';'"),
        Option(
            "--max-age", value: "DURATION",
            help:
                "Skip events that were recorded later than this after they happened, for example 24h; forever sends all (24h for notifications, chats and mail, otherwise forever)"
        ),
        Option(
            "--timezone", value: "NAME",
            help: "Time zone of these times and of messages, for example Europe/Berlin (that of this machine)"),
        Option(
            "--rate", value: "N/DURATION",
            help: "Maximum rate of messages, for example 10/1m; others wait. 'none' removes the limit"),
        Option("--emergency", value: "YES", help: "Send emergencies regardless of filters, times and --rate (yes)").choosing(
            answers),
        Option("--message-language", value: "TAG", help: "Language of messages: \(Language.tags) (en)").choosing(Language.self),
    ]

    /// The members that the options give. Null removes a member.
    static func members(_ invocation: Invocation) throws(Problem) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) { if let value { members.append(.init(name, value)) } }
        add("token", try secret(invocation, "--sink-token").map(JSONValue.string))
        add("priority", try invocation.integer("--priority", in: 0...10).map { JSONValue($0) })
        add("headers", try headers(invocation))
        add(
            "template",
            try invocation.value("--template").map { text throws(Problem) in
                text == "none" ? .null : .string(try Self.text(text, "--template"))
            })
        add(
            "contentType",
            invocation.value("--template") == "none" ? .null : invocation.value("--content-type").map(JSONValue.string))
        add("signingSecret", try secret(invocation, "--secret").map(JSONValue.string))
        add("server", try secret(invocation, "--smtp").map(JSONValue.string))
        add("from", invocation.value("--from").map(JSONValue.string))
        add("user", invocation.value("--user").map(JSONValue.string))
        add("password", try secret(invocation, "--password").map(JSONValue.string))
        add("allowPlain", try yesOrNo(invocation, option: "--allow-plain"))
        add("topic", invocation.value("--topic").map(JSONValue.string))
        add("stateTopic", invocation.value("--state-topic").map(JSONValue.string))
        if let prefix = invocation.value("--discovery") {
            // With discovery, the state topics follow from `base`. Without discovery, `base` has no meaning.
            add("discovery", prefix == "none" ? .null : .string(prefix))
            if prefix == "none" {
                add("base", .null)
            } else if invocation.value("--state-topic") == nil {
                add("stateTopic", .null)
            }
        }
        add("base", invocation.value("--base").map(JSONValue.string))
        add("format", invocation.value("--format").map(JSONValue.string))
        let filter = try filter(invocation)
        if !filter.isEmpty { add("filter", .object(filter)) }
        add(
            "maxAge",
            try invocation.value("--max-age").map { text throws(Problem) in
                text == "forever"
                    ? .string(text) : JSONValue(try TimeSpan.seconds(text, field: "--max-age", in: Sink.maxAges, or: .forever))
            })
        add("timeZone", invocation.value("--timezone").map(JSONValue.string))
        add("rateLimit", try rate(invocation))
        add("emergency", try yesOrNo(invocation, option: "--emergency"))
        add("language", invocation.value("--message-language").map(JSONValue.string))
        return members
    }

    private static func filter(_ invocation: Invocation) throws(Problem) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) { if let value { members.append(.init(name, value)) } }
        func list(_ texts: [String]?) -> JSONValue? { texts.map { $0.isEmpty ? .null : .array($0.map(JSONValue.string)) } }
        for (name, option) in [("geofences", "--geofence"), ("devices", "--device"), ("groups", "--group"), ("types", "--type")] {
            add(name, list(invocation.list(option)))
        }
        add("initial", try yesOrNo(invocation, option: "--initial"))
        add("inferred", try yesOrNo(invocation, option: "--inferred"))
        for (name, option) in [("quietHours", "--quiet"), ("schedule", "--schedule")] {
            guard let text = invocation.value(option) else { continue }
            add(name, list(text == "none" ? [] : text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }))
        }
        return members
    }

    private static func yesOrNo(_ invocation: Invocation, option: String) throws(Problem) -> JSONValue? {
        guard let text = invocation.value(option) else { return nil }
        guard answers.contains(text) else {
            throw .validationFailed(field: option, value: text, reason: .neither, expected: .yesOrNo)
        }
        return .bool(text == "yes")
    }

    private static func rate(_ invocation: Invocation) throws(Problem) -> JSONValue? {
        guard let text = invocation.value("--rate") else { return nil }
        if text == "none" { return .null }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), let span = TimeSpan(String(parts[1])) else {
            throw .validationFailed(
                field: "--rate", value: text, reason: Phrase("it is not a rate"),
                expected: Phrase("a count and a duration, for example 10/1m or 100/1h"))
        }
        return ["messages": JSONValue(count), "seconds": JSONValue(span.seconds)]
    }

    private static func headers(_ invocation: Invocation) throws(Problem) -> JSONValue? {
        let given = invocation.all("--header")
        if given.isEmpty { return nil }
        var members: [JSONValue.Member] = []
        for text in given {
            let line = try Self.text(text, "--header").trimmingCharacters(in: .whitespacesAndNewlines)
            guard let colon = line.firstIndex(of: ":") else {
                throw .validationFailed(field: "--header", value: "", reason: .noColon, expected: .nameAndValue)
            }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            members.append(.init(String(line[..<colon]), value.isEmpty ? .null : .string(value)))
        }
        return .object(members)
    }

    /// The first line of an option's value; see `secret(_:_:)`.
    private static func secret(_ invocation: Invocation, _ option: String) throws(Problem) -> String? {
        try invocation.value(option).map { text throws(Problem) in try secret(text, option) }
    }

    /// The first line of a text, or of what the text refers to: `@FILE` for a file, `-` for standard input.
    static func secret(_ text: String, _ field: String) throws(Problem) -> String {
        let line = try Self.text(text, field).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// A text, or the content of what it refers to: `@FILE` for a file, `-` for standard input.
    private static func text(_ text: String, _ field: String) throws(Problem) -> String {
        guard text == "-" || text.hasPrefix("@") && text.count > 1 else { return text }
        return String(decoding: try GeofenceFile.read(text == "-" ? "-" : String(text.dropFirst())), as: UTF8.self)
    }
}
