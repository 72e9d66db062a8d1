import Model

/// An item to send to a sink.
package enum OutboxItem: Sendable {
    case event(OutboxEvent)
    case position(OutboxPosition)
}
