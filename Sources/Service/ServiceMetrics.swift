import Core
import Model
import Observability
import Presence
import Store

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

    /// Includes the problem of the store itself in the problem metrics.
    package func includeStoreProblem(_ storeProblem: StoreProblem) {
        setUnrecordedProblemSource { now in
            let totals = Queries.ProblemTotals(standing: 0, escalated: 0).adding(storeProblem.current, at: now)
            return ProblemCounts(standing: totals.standing, escalated: totals.escalated)
        }
    }
}
