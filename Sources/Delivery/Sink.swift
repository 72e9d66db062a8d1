import Model

/// A destination of events or positions.
package struct Sink: Hashable, Sendable {
    /// 1 to 64 of `A-Z a-z 0-9 . _ -`, unique in a store.
    package var id: String
    package var target: SinkTarget
    /// Which events are sent.
    package var filter: SinkFilter
    /// Messages beyond this rate wait; none is dropped.
    package var rateLimit: RateLimit?
    /// Whether alarms are sent regardless of the filter.
    package var emergency: Bool
    /// The language of messages for people.
    package var language: Language
    /// The time zone of the filter's windows and of times in messages: a name of the IANA database, or `UTC`.
    package var timeZone: String

    package init(
        id: String, target: SinkTarget, filter: SinkFilter = SinkFilter(), rateLimit: RateLimit? = nil, emergency: Bool = true,
        language: Language = .english, timeZone: String = "UTC"
    ) {
        self.id = id
        self.target = target
        self.filter = filter
        self.rateLimit = rateLimit
        self.emergency = emergency
        self.language = language
        self.timeZone = timeZone
    }

    /// Identifies the place where the sink announces devices to Home Assistant, so that two sinks with the same place can be found; nil
    /// when it does not announce.
    package var announcement: String? {
        guard case .mqtt(let target) = target, let discovery = target.discovery else { return nil }
        return "\(WebAddress.peer(target.url)) \(discovery.prefix) \(discovery.base)"
    }

    /// The source under which the problems of the sink with an id are counted; see `ServiceWriter.record(_:source:)`.
    package static func problemSource(_ id: String) -> String { "sink/\(id)" }

    /// The first invalid value as a problem; nil when all are valid.
    package var flaw: Problem? {
        if let reason = Identifier.flaw(inGeofence: id) {
            return .validationFailed(field: "id", value: id, reason: reason, expected: .geofenceID)
        }
        return target.flaw
    }
}

/// The kinds of sinks.
package enum SinkKind: String, CaseIterable, Sendable {
    /// An HTTP endpoint that accepts the event as JSON, or a custom body.
    case webhook
    case ntfy, gotify, slack, mattermost, telegram
    /// Home Assistant's webhook trigger.
    case homeAssistant = "homeassistant"
    /// An HTTP endpoint that accepts a sentence as plain text.
    case text
    case email
    /// An MQTT broker.
    case mqtt
    /// A file with one JSON object per line.
    case file
    /// A program on this machine.
    case command
    /// Another server that accepts positions.
    case positions

    /// Whether such a sink can be created only from the command line on the service's own machine, because it writes files or runs programs
    /// there.
    package var isLocalOnly: Bool { self == .file || self == .command }
}

/// Where a sink's messages go, and in which format.
package enum SinkTarget: Hashable, Sendable {
    case web(WebTarget)
    case mail(MailTarget)
    case mqtt(MQTTTarget)
    case file(path: String)
    case command(CommandTarget)
    case positions(PositionTarget)

    package var kind: SinkKind {
        switch self {
        case .web(let target): target.kind
        case .mail: .email
        case .mqtt: .mqtt
        case .file: .file
        case .command: .command
        case .positions: .positions
        }
    }

    /// Whether the sink receives positions instead of events.
    package var takesPositions: Bool { if case .positions = self { true } else { false } }

    /// The destination without secrets, for display.
    package var place: String {
        switch self {
        case .web(let target): target.maskedURL
        case .mail(let target): target.recipients.joined(separator: ", ")
        case .mqtt(let target): "\(WebAddress.masked(target.url)) \(target.topic.source)"
        case .file(let path): path
        case .command(let target): target.arguments[0]
        case .positions(let target): WebAddress.masked(target.url)
        }
    }

    /// The first invalid value as a problem; nil when all are valid.
    package var flaw: Problem? {
        switch self {
        case .web(let target): target.flaw
        case .mail(let target): target.flaw
        case .mqtt(let target): target.flaw
        case .file(let path): Self.flaw(path: path, field: "path")
        case .command(let target): Self.flaw(path: target.arguments.first ?? "", field: "command")
        case .positions(let target): WebAddress.flaw(target.url)
        }
    }

    private static func flaw(path: String, field: String) -> Problem? {
        if path.hasPrefix("/"), !path.utf8.contains(0) { return nil }
        return .validationFailed(
            field: field, value: path, reason: path.isEmpty ? .empty : .notAbsolutePath,
            expected: .absolutePath)
    }
}

/// A program to run for each event, without a shell.
package struct CommandTarget: Hashable, Sendable {
    /// The program's path and arguments. Arguments are plain text templates, and each stays one argument.
    package var arguments: [String]

    package init(arguments: [String]) { self.arguments = arguments }
}

/// A server that accepts positions.
package struct PositionTarget: Hashable, Sendable {
    /// The format of positions.
    package enum Format: String, CaseIterable, Sendable {
        /// Picket's own JSON for `POST /v1/positions`.
        case picket
        /// The JSON of the OwnTracks app in HTTP mode.
        case ownTracks = "owntracks"
        /// The query string of the OsmAnd protocol, as sent by Traccar Client.
        case osmAnd = "osmand"
    }

    package var url: String
    package var format: Format
    /// Sent as a bearer token. Secret.
    package var token: String?

    package init(url: String, format: Format, token: String? = nil) {
        self.url = url
        self.format = format
        self.token = token
    }
}

/// A mail server and the addresses of a mail.
package struct MailTarget: Hashable, Sendable {
    /// The server, such as `smtp://mail.example.com:587` or `smtps://mail.example.com`.
    package var server: String
    package var user: String?
    /// Secret.
    package var password: String?
    package var sender: String
    package var recipients: [String]
    /// Whether mail may be sent without TLS, for example to a server on the same machine.
    package var allowsPlain: Bool

    package init(
        server: String, user: String? = nil, password: String? = nil, sender: String, recipients: [String],
        allowsPlain: Bool = false
    ) {
        self.server = server
        self.user = user
        self.password = password
        self.sender = sender
        self.recipients = recipients
        self.allowsPlain = allowsPlain
    }

    /// The first invalid value as a problem; nil when all are valid.
    var flaw: Problem? {
        if let flaw = WebAddress.flaw(server, schemes: ["smtp", "smtps"], field: "server") { return flaw }
        if recipients.isEmpty {
            return .validationFailed(field: "to", value: "", reason: .missing, expected: .mailAddress)
        }
        for (field, address) in [("from", sender)] + recipients.map({ ("to", $0) }) {
            let parts = address.split(separator: "@", omittingEmptySubsequences: false)
            // A bracket or a line break would end the address in the SMTP dialog or in the mail's header.
            let isSafe = address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
            if parts.count != 2 || parts.contains(where: \.isEmpty) || !isSafe {
                return .validationFailed(
                    field: field, value: address, reason: .notAMailAddress, expected: .nameAtHost)
            }
        }
        if user == nil, password != nil {
            return .validationFailed(
                field: "user", value: "", reason: .passwordWithoutUser, expected: .bothOrNeither)
        }
        return nil
    }
}

extension Sink {
    /// The sink's secrets, to be removed from texts of other parties.
    package var secrets: [String] {
        switch target {
        case .web(let target):
            [target.token, target.signingSecret].compactMap { $0 } + target.headers.map(\.value)
                + WebAddress.secrets(of: target.url)
                + (target.kind == .slack || target.kind == .mattermost || target.kind == .homeAssistant
                    ? [WebAddress.path(of: target.url)] : [])
        case .mail(let target): [target.password].compactMap { $0 } + WebAddress.secrets(of: target.server)
        case .mqtt(let target): WebAddress.secrets(of: target.url)
        case .positions(let target): [target.token].compactMap { $0 } + WebAddress.secrets(of: target.url)
        case .file, .command: []
        }
    }
}
