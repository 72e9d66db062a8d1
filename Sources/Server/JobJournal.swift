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
    /// Nil before the service begins and after it ends.
    private let writer = Mutex<Writer?>(nil)
    private let log: Log
    /// The jobs whose last run succeeded. It is empty at first, because a problem may be left from before a restart.
    private let succeededJobs = Mutex<Set<JobName>>([])

    init(log: Log) { self.log = log }

    /// Records with this writer from now on.
    func begin(_ writer: Writer) { self.writer.withLock { $0 = writer } }

    /// Records nothing from now on.
    func end() { writer.withLock { $0 = nil } }

    /// Records that a job has ended.
    ///
    /// - Parameter problem: Nil for success, and `cancelled` if the service has stopped, of which nothing is recorded.
    func recordEnd(of job: JobName, problem: Problem? = nil) {
        if case .cancelled? = problem { return }
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
    private func forgetOutcome(of job: JobName) { succeededJobs.withLock { _ = $0.remove(job) } }
}

extension JobName {
    /// The source of the job's problems.
    var source: String { "job/" + rawValue }
}
