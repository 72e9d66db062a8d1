import Delivery
import Model
import Observability

// What the service counts, in its own terms.

extension Metrics {
    /// Counts what became of a request's positions.
    ///
    /// - Parameter newest: The time of the newest fix that was accepted.
    public func count(_ counts: IntakeCounts, newest: Instant?) {
        acceptedFixes.add(counts.accepted)
        lateFixes.add(counts.late)
        duplicateFixes.add(counts.duplicates)
        if let newest { newestFix.raise(to: Int(newest.milliseconds)) }
    }

    /// Counts what came of judging late fixes.
    public func replayed(_ counts: ReplayCounts) {
        replays.add(counts.devices)
        retractions.add(counts.retracted)
    }

    /// Counts what came of a message to a sink.
    public func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: sent.add(.delivered)
        case .retry: sent.add(.retried)
        case .park: sent.add(.parked)
        case .pause: sent.add(.paused)
        }
    }

    /// Counts the problem of the store itself from now on.
    public func follow(_ storeProblem: StoreProblem) {
        followUnrecordedProblems { now in
            let totals = Queries.ProblemTotals(standing: 0, escalated: 0).adding(storeProblem.current, at: now)
            return ProblemCounts(standing: totals.standing, escalated: totals.escalated)
        }
    }

    /// Shows how the sinks of a delivery do from now on.
    public func follow(_ delivery: DeliveryRunner) {
        followSinks(states: ConnectionState.Name.allCases.map(\.rawValue)) {
            delivery.statuses.map { id, status in
                SinkReading(
                    id: id, state: status.connection.state.name.rawValue, waiting: status.waiting, parked: status.parked,
                    delivered: status.delivered, failures: status.failures)
            }
        }
    }
}
