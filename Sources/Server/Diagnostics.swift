import Core
import Observability
import Service

/// Where a running service records its own condition.
struct Diagnostics: Sendable {
    let metrics: Metrics
    /// The log for operators.
    let log: Log
    /// Records the results of the background jobs.
    let jobs: JobJournal
    /// The problem that prevents writing to the store, while there is one.
    let storeProblem: StoreProblem

    init(_ metrics: Metrics, log: Log, storeProblem: StoreProblem) {
        self.metrics = metrics
        self.log = log
        jobs = JobJournal(log: log)
        self.storeProblem = storeProblem
        metrics.includeStoreProblem(storeProblem)
    }
}
