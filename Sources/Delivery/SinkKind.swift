import Model

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
