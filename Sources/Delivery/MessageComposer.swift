import Model

/// Builds the messages for a sink.
package struct MessageComposer: Sendable {
    package let sink: Sink
    private let zone: SinkTimeZone
    private let templates: SinkTemplates

    /// - Throws: `Problem.validationFailed` if a template has an unknown field.
    package init(_ sink: Sink, zone: SinkTimeZone) throws(Problem) {
        self.sink = sink
        self.zone = zone
        templates = try SinkTemplates(sink.target)
    }

    /// The message for an event, a position or a report; nil if this sink does not send such items.
    ///
    /// - Parameter isTest: Whether the event is made up to test the sink.
    package func message(for item: OutboxItem, isTest: Bool = false) -> OutgoingMessage? {
        switch (item, sink.target.kind.content) {
        case (.event(let outbox), .events(let compose)):
            compose(
                sink.target, EventValues(outbox, language: sink.language, zone: zone, isTest: isTest), templates)
        case (.position(let position), .positions(let compose)): compose(position, sink.target)
        case (.report(let report), .reports(let compose)): compose(sink.target, report)
        default: nil
        }
    }
}
