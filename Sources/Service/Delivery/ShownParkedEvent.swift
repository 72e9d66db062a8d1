import Model
import Store

/// An event that a sink rejected permanently, as answers show it.
package struct ShownParkedEvent: Sendable {
    private let parked: PicketStore.ParkedEvent
    private let event: Event?

    /// - Parameter event: The event; nil if it was erased.
    package init(_ parked: PicketStore.ParkedEvent, _ event: Event?) {
        self.parked = parked
        self.event = event
    }
}

extension ShownParkedEvent: JSONWritable {
    package static let output = JSONOutput<ShownParkedEvent>(
        "ParkedEvent", summary: "An event that a sink rejected permanently",
        .init("sequence", kind: .whole, summary: "The event's number", content: \.parked.sequence),
        .init("parkedAt", kind: .time, summary: "When the sink rejected it", content: \.parked.parkedAt),
        .init("problem", kind: .object, summary: "Why it was rejected", content: \.parked.problem),
        .init("isResent", kind: .flag, summary: "Whether it will be sent again", content: \.parked.isResent),
        .init("event", optional: .event, summary: "The event; omitted if it was erased", content: \.event))
}
