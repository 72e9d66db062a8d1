import Delivery
import Model
import Observability

// Counts results of the service in its metrics.

extension Metrics {
    /// Counts the positions of a request.
    ///
    /// - Parameter newest: The time of the newest accepted fix.
    package func countIntake(_ counts: IntakeCounts, newest: Instant?) {
        acceptedFixes.add(counts.accepted)
        lateFixes.add(counts.late)
        duplicateFixes.add(counts.duplicates)
        if let newest { newestFix.raise(to: Int(newest.milliseconds)) }
    }

    /// Counts the result of a replay of late fixes.
    package func countReplay(_ counts: ReplayCounts) {
        replays.add(counts.devices)
        retractions.add(counts.retracted)
    }

    /// Counts the result of sending a message to a sink.
    package func countDelivery(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: sendOutcomes.add(.delivered)
        case .retry: sendOutcomes.add(.retried)
        case .reject: sendOutcomes.add(.rejected)
        case .pause: sendOutcomes.add(.paused)
        }
    }

    /// Includes the problem of the store itself in the problem metrics.
    package func includeStoreProblem(_ storeProblem: StoreProblem) {
        setUnrecordedProblemSource { now in
            let totals = Queries.ProblemTotals(standing: 0, escalated: 0).adding(storeProblem.current, at: now)
            return ProblemCounts(standing: totals.standing, escalated: totals.escalated)
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
