import Model
import Observability
import Service
import Synchronization

/// Records in the journal of problems how the jobs of a running service end, each as a source of its own.
///
/// A job that goes well costs nothing: only a change from well to failing, and back, reaches the store, and each further failure.
final class JobJournal: Sendable {
    /// What the service does by itself.
    enum Job: String, CaseIterable, Sendable {
        case deadlines, replay, retention, health
        /// Looking for phones to repair. What is wrong with one of them is a problem of that phone.
        case repair
        /// Asking OwnTracks apps for the lists of their regions.
        case lists

        var source: String { "job/" + rawValue }
    }

    /// Nil before the service begins, and when it ends.
    private let writer = Mutex<Writer?>(nil)
    private let log: Log
    /// The jobs that went well when they last ran. At first nobody knows: a problem may be left from before a restart.
    private let well = Mutex<Set<Job>>([])

    init(log: Log) { self.log = log }

    /// Records with this writer from now on.
    func begin(_ writer: Writer) { self.writer.withLock { $0 = writer } }

    /// Records nothing from now on.
    func end() { writer.withLock { $0 = nil } }

    /// Records that a job has ended.
    ///
    /// - Parameter problem: Nil when it went well.
    func ended(_ job: Job, _ problem: Problem? = nil) {
        if let problem {
            well.withLock { _ = $0.remove(job) }
            log.problem(problem, "job", [.text("job", job.rawValue)])
        } else {
            guard well.withLock({ $0.insert(job).inserted }) else { return }
        }
        let source = job.source
        let isTaken = writer.withLock { $0 }?.submit(
            { service throws(Problem) in try service.record(outcome: problem, source: source) },
            { [self] result in
                // A store that cannot be written keeps no problem of it either.
                if case .failure = result { retry(job) }
            })
        if isTaken != true { retry(job) }
    }

    /// Has the next end of a job recorded, because this one was not.
    private func retry(_ job: Job) { well.withLock { _ = $0.remove(job) } }
}
