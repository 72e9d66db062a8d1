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

    private var target: SinkTarget { withSecrets ? sink.target.stored : sink.target.masked }
}

extension SinkDocument: JSONWritable {
    package static let output = JSONOutput<SinkDocument>(
        "NewSink", summary: "The settings of a sink",
        .init("id", optional: .text, summary: "The sink's id; derived from the kind when omitted", content: \.sink.id),
        .init(membersOf: settings, content: \.self))

    /// The members besides the id. They have no separate schema.
    package static let settings = JSONOutput<SinkDocument>(
        "SinkSettings", summary: "The settings of a sink",
        .init("kind", kind: .word, summary: "The kind of the sink", content: \.sink.target.kind),
        .init(membersOf: SinkTarget.output, content: \.target), .init(membersOf: Sink.settings, content: \.sink))
}

extension Sink {
    /// - Parameter withSecrets: See `SinkDocument.withSecrets`.
    package func json(withSecrets: Bool) -> JSONValue {
        SinkDocument(self, withSecrets: withSecrets).json(in: AnswerLocale())
    }
}
