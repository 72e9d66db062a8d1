/// An event or a position to send to a sink.
package enum OutboxItem: Sendable {
    case event(OutboxEvent)
    case position(OutboxPosition)
}
