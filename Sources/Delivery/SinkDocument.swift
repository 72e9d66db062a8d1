import Model

/// The settings of a sink as JSON, for the store and the API.
package struct SinkDocument: Sendable {
    package var sink: Sink
    /// Whether secrets are included, for the store; otherwise they are masked.
    package var withSecrets: Bool

    package init(_ sink: Sink, withSecrets: Bool) {
        self.sink = sink
        self.withSecrets = withSecrets
    }

    private var target: SinkTargetDocument { SinkTargetDocument(target: sink.target, withSecrets: withSecrets) }
}

extension SinkDocument: JSONWritable {
    package static let output = JSONOutput<SinkDocument>(
        "NewSink", summary: "The settings of a sink",
        .init("id", optional: .text, summary: "The sink's id; derived from the kind when omitted", content: \.sink.id),
        .init(membersOf: settings, content: \.self))

    /// The members besides the id. They have no schema of their own.
    package static let settings = JSONOutput<SinkDocument>(
        "SinkSettings", summary: "The settings of a sink",
        .init("kind", kind: .word, summary: "The kind of the sink", content: \.sink.target.kind),
        .init(membersOf: SinkTargetDocument.output, content: \.target),
        .init("filter", optional: .object, content: \.sink.filter.nonDefault),
        .init(
            "maxAge", optional: .limit("forever"),
            summary:
                "Events that were recorded later than this many seconds after they happened are not sent; by default a day for kinds "
                + "that notify people, otherwise forever"
        ) { $0.sink.target.takesPositions ? nil : $0.sink.maxAge },
        .init("rateLimit", optional: .object, content: \.sink.rateLimit),
        .init(
            "emergency", optional: .flag, summary: "Whether alarms are sent regardless of the filter", content: \.sink.emergency),
        .init("language", optional: .word, summary: "The language of messages for people", content: \.sink.language),
        .init(
            "timeZone", optional: .text,
            summary: "The time zone of the filter's windows and of times in messages, such as Europe/Berlin",
            content: \.sink.timeZone))
}

extension Sink {
    /// - Parameter withSecrets: See `SinkDocument.withSecrets`.
    package func json(withSecrets: Bool) -> JSONValue {
        SinkDocument(self, withSecrets: withSecrets).json(in: AnswerLocale())
    }
}
