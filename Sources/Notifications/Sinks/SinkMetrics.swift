import Delivery
import Observability

// Counts results of the delivery in the metrics of the service.

extension Metrics {
    /// Counts the result of sending a message to a sink.
    package func countDelivery(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: sendOutcomes.add(.delivered)
        case .retry: sendOutcomes.add(.retried)
        case .reject: sendOutcomes.add(.rejected)
        case .pause: sendOutcomes.add(.paused)
        }
    }

    /// Uses the sinks of a delivery as the source of the metrics about sinks.
    package func setSinks(of delivery: DeliveryRunner) {
        setSinkSource(states: ConnectionState.Name.allCases.map(\.rawValue)) {
            delivery.statuses.map { id, status in
                SinkReading(
                    id: id, state: status.connection.state.name.rawValue, waiting: status.waiting, rejected: status.rejected,
                    delivered: status.delivered, failures: status.failures, tooOld: status.tooOld)
            }
        }
    }
}
