import Core
import Model
import Observability
import Service
import Synchronization

/// Records in the problem journal the results of the background jobs of a running service. Each job is a separate source.
///
/// Only changes between success and failure, and each further failure, are written to the store. A job that keeps succeeding
/// writes nothing.
final class JobJournal: Sendable {
    /// A background job of the service.
    enum Job: String, CaseIterable, Sendable {
        case deadlines, replay, retention, health
        /// The search for phones to repair. A failure of one phone is a problem of that phone, not of the job.
        case repair
        /// The requests for the region lists of OwnTracks apps.
        case lists
        /// The completion of erasures that were interrupted, or whose files could not be rewritten.
        case erasure
        /// The scheduled backups.
        case backup
        /// The shrinking of the store's write-ahead log.
        case wal

        var source: String { "job/" + rawValue }
    }

    /// Nil before the service begins and after it ends.
    private let writer = Mutex<Writer?>(nil)
    private let log: Log
    /// The jobs whose last run succeeded. It is empty at first, because a problem may be left from before a restart.
    private let succeededJobs = Mutex<Set<Job>>([])

    init(log: Log) { self.log = log }

    /// Records with this writer from now on.
    func begin(_ writer: Writer) { self.writer.withLock { $0 = writer } }

    /// Records nothing from now on.
    func end() { writer.withLock { $0 = nil } }

    /// Records that a job has ended.
    ///
    /// - Parameter problem: Nil for success.
    func recordEnd(of job: Job, problem: Problem? = nil) {
        if let problem {
            succeededJobs.withLock { _ = $0.remove(job) }
            log.logProblem(problem, "job", fields: [.text("job", job.rawValue)])
        } else {
            guard succeededJobs.withLock({ $0.insert(job).inserted }) else { return }
        }
        let source = job.source
        let isTaken = writer.withLock { $0 }?.submit(
            { service throws(Problem) in try service.record(outcome: problem, source: source) },
            { [self] result in
                // A store that cannot be written cannot record the outcome of a job either.
                if case .failure = result { forgetOutcome(of: job) }
            })
        if isTaken != true { forgetOutcome(of: job) }
    }

    /// Ensures that the next result of a job is recorded, because this one was not.
    private func forgetOutcome(of job: Job) { succeededJobs.withLock { _ = $0.remove(job) } }
}
