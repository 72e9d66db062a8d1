import Model

/// The kinds of sinks. A sink is a destination to which the service sends events or positions.
package enum SinkKind: String, CaseIterable, Sendable {
    /// An HTTP endpoint that accepts the event as JSON, or a custom body.
    case webhook
    case ntfy, gotify, slack, mattermost, telegram
    /// The URL of a webhook trigger of Home Assistant, which receives the event as JSON.
    case homeAssistant = "homeassistant"
    /// An HTTP endpoint that accepts the event's message for people as plain text, or a custom body.
    case text
    case email
    /// An MQTT broker to which the events are published.
    case mqtt
    /// A file on the service's machine, with one JSON object per line.
    case file
    /// A program on the service's machine, started once for each event.
    case command
    /// Another server, which receives the positions of devices instead of events.
    case positions

    /// Whether such a sink can be created or changed only from the command line on the service's own machine, because it writes
    /// files or runs programs there.
    package var isEditableLocallyOnly: Bool { self == .file || self == .command }

    /// Whether the messages are for people, who are notified of an event once, also if a correction changes details of it. Other kinds get
    /// every entry of the record.
    package var notifiesPeople: Bool {
        switch self {
        case .ntfy, .gotify, .slack, .mattermost, .telegram, .homeAssistant, .text, .email: true
        case .webhook, .mqtt, .file, .command, .positions: false
        }
    }

    /// The value of `Sink.maxAge` for a sink that does not set it: a day for people, infinite for programs.
    package var defaultMaxAge: Double { notifiesPeople ? 86_400 : .infinity }
}
