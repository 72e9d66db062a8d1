import Foundation
import Model
import Synchronization
import Workers

/// Brings the store's write-ahead log to the disk, so that what was committed survives a power cut.
///
/// A commit with SQLite's `synchronous=NORMAL` leaves its frames in the log with the operating system; `FULL` is that, and an
/// `fdatasync` of the log by the committing thread (sqlite.org, "Write-Ahead Logging" and "PRAGMA synchronous"). Here another
/// thread does the sync, so that the next group is judged meanwhile, and one sync serves all groups that were committed before it.
/// Frames carry a checksum that runs over all before them, so a log is read back up to its last whole commit.
///
/// After a sync that failed, the system may take what it could not write for written, and a later sync of the same log succeeds for
/// nothing (P. Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). So nothing more is called kept
/// until somebody has brought what is in the log to another place, and says so by `mend`.
final class LogSync: Sendable {
    private let path: String
    private let queue = WorkQueue<@Sendable (Problem?) -> Void>()
    private let thread: WorkThreads
    private let failure: Failure

    /// Why the last sync failed.
    private final class Failure: Sendable {
        let problem = Mutex<Problem?>(nil)
    }

    /// - Parameters:
    ///   - meter: Is told how long each sync took.
    ///   - sync: Brings the file of a descriptor to the disk, as `fdatasync`.
    init(
        log path: String, meter: @escaping @Sendable (Double) -> Void,
        sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
    ) {
        self.path = path
        let failure = Failure()
        self.failure = failure
        let queue = queue
        thread = WorkThreads("picket sync") {
            // The descriptor is opened once: SQLite keeps its log for as long as a connection is open, and locks other files.
            var descriptor: Int32 = -1
            var done: [@Sendable (Problem?) -> Void] = []
            while let waiting = queue.takeAll(done) {
                let start = ContinuousClock.now
                if descriptor < 0 { descriptor = open(path, O_RDWR | O_CLOEXEC) }
                let before = failure.problem.withLock { $0 }
                var problem = before
                if before == nil, descriptor < 0 || sync(descriptor) != 0 {
                    problem = Self.problem(errno, path)
                    failure.problem.withLock { $0 = problem }
                }
                meter((ContinuousClock.now - start).seconds)
                for told in waiting { told(problem) }
                done = waiting
            }
            if descriptor >= 0 { close(descriptor) }
        }
    }

    private static func problem(_ code: Int32, _ path: String) -> Problem {
        if code == ENOSPC || code == EDQUOT { return .storeFull(path: path) }
        return .storeFailed(path: path, details: "it could not be synced: \(String(cString: strerror(code)))")
    }

    /// Why nothing can be kept; nil when all is well.
    var problem: Problem? { failure.problem.withLock { $0 } }

    /// Says that all that was put into the log is on the disk elsewhere.
    func mend() { failure.problem.withLock { $0 = nil } }

    /// Calls `told` when all that is in the log by now is on the disk, or with the problem that it is not.
    func afterSync(_ told: @escaping @Sendable (Problem?) -> Void) { _ = queue.add(told) }

    /// Syncs what was asked for and ends.
    func stop() {
        queue.close()
        thread.join()
    }
}
