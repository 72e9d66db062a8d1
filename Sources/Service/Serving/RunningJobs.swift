import Model
import Synchronization

/// A job that a service does beside its other work.
package enum JobName: String, Sendable {
    case deadlines, replay, retention, health
    /// A replay that a request asks for, or a removal of positions, which ends with one.
    case requestedReplay
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
    /// The test whether a store that could not be written can be written again.
    case storeTest
}

/// The jobs that are running now. Each runs once at a time.
package final class RunningJobs: Sendable {
    private let names = Mutex<Set<JobName>>([])

    package init() {}

    /// Begins a job. Call `end(_:)` when it has ended.
    ///
    /// - Returns: False if the job is running already.
    package func begin(_ name: JobName) -> Bool { names.withLock { $0.insert(name).inserted } }

    /// Begins a job that a request asks for.
    ///
    /// - Throws: `Problem.rateLimited` while one of this name runs.
    package func beginRequested(_ name: JobName) throws(Problem) {
        guard begin(name) else { throw .rateLimited(retryAfter: 5) }
    }

    package func end(_ name: JobName) { names.withLock { _ = $0.remove(name) } }

    package func contains(_ name: JobName) -> Bool { names.withLock { $0.contains(name) } }
}
