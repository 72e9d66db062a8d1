import Model
import Store

/// An event that a sink rejected permanently, as answers show it.
struct ShownRejectedEvent: Sendable {
    private let rejected: PicketStore.RejectedEvent
    private let event: Event?

    /// - Parameter event: The event; nil if it was erased.
    init(_ rejected: PicketStore.RejectedEvent, _ event: Event?) {
        self.rejected = rejected
        self.event = event
    }
}

extension ShownRejectedEvent: JSONWritable {
    static let output = JSONOutput<ShownRejectedEvent>(
        "ParkedEvent", summary: "An event that a sink rejected permanently",
        .init("sequence", kind: .whole, summary: "The event's number", content: \.rejected.sequence),
        .init("parkedAt", kind: .time, summary: "When the sink rejected it", content: \.rejected.rejectedAt),
        .init("problem", kind: .object, summary: "Why it was rejected", content: \.rejected.problem),
        .init("isResent", kind: .flag, summary: "Whether it will be sent again", content: \.rejected.isResent),
        .init("event", optional: .event, summary: "The event; omitted if it was erased", content: \.event))
}
