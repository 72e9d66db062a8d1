/// An event, a position or a report to send to a sink.
package enum OutboxItem: Sendable {
    case event(OutboxEvent)
    case position(OutboxPosition)
    case report(OutboxReport)
}
