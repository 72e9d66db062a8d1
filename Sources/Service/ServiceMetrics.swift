import Delivery
import Model
import Observability

// Counts results of the service in its metrics.

extension Metrics {
    /// Counts the positions of a request.
    ///
    /// - Parameter newest: The time of the newest accepted fix.
    package func count(_ counts: IntakeCounts, newest: Instant?) {
        acceptedFixes.add(counts.accepted)
        lateFixes.add(counts.late)
        duplicateFixes.add(counts.duplicates)
        if let newest { newestFix.raise(to: Int(newest.milliseconds)) }
    }

    /// Counts the result of a replay of late fixes.
    package func replayed(_ counts: ReplayCounts) {
        replays.add(counts.devices)
        retractions.add(counts.retracted)
    }

    /// Counts the result of sending a message to a sink.
    package func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: sent.add(.delivered)
        case .retry: sent.add(.retried)
        case .park: sent.add(.parked)
        case .pause: sent.add(.paused)
        }
    }

    /// Includes the problem of the store itself in the problem metrics.
    package func follow(_ storeProblem: StoreProblem) {
        followUnrecordedProblems { now in
            let totals = Queries.ProblemTotals(standing: 0, escalated: 0).adding(storeProblem.current, at: now)
            return ProblemCounts(standing: totals.standing, escalated: totals.escalated)
        }
    }

    /// Uses the sinks of a delivery as the source of the metrics about sinks.
    package func follow(_ delivery: DeliveryRunner) {
        followSinks(states: ConnectionState.Name.allCases.map(\.rawValue)) {
            delivery.statuses.map { id, status in
                SinkReading(
                    id: id, state: status.connection.state.name.rawValue, waiting: status.waiting, parked: status.parked,
                    delivered: status.delivered, failures: status.failures)
            }
        }
    }
}
