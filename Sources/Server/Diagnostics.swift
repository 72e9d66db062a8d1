import Core
import Observability
import Service

/// Where a running service records how it is doing.
struct Diagnostics: Sendable {
    let metrics: Metrics
    /// The log for operators.
    let log: Log
    /// Records how the background jobs end.
    let jobs: JobJournal
    /// The problem that the store cannot be written, while there is one.
    let storeProblem: StoreProblem

    init(_ metrics: Metrics, log: Log, storeProblem: StoreProblem) {
        self.metrics = metrics
        self.log = log
        jobs = JobJournal(log: log)
        self.storeProblem = storeProblem
        metrics.includeStoreProblem(storeProblem)
    }
}
