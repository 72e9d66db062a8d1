import Delivery
import Model
import Synchronization

/// The callbacks of the delivery. They are called on its thread.
package struct DeliveryObserver: Sendable {
    /// A message was sent, with this outcome.
    package var sent: @Sendable (Sink, DeliveryOutcome) -> Void = { _, _ in }
    /// The connection of a sink has changed.
    package var changed: @Sendable (Sink, ConnectionStatus) -> Void = { _, _ in }
    /// The statuses of the sinks were updated.
    var shown: @Sendable () -> Void = {}
    /// A problem that does not belong to a sink, for example a store that cannot be read.
    package var problem: @Sendable (Problem) -> Void = { _ in }

    package init() {}
}
