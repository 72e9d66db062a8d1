import Foundation
import Model
import Synchronization
import Workers

/// Syncs the store's write-ahead log to the disk, so that committed data survives a power failure.
///
/// A commit with SQLite's `synchronous=NORMAL` leaves its frames in the log with the operating system. `FULL` adds an `fdatasync` of the
/// log on the committing thread (sqlite.org, "Write-Ahead Logging" and "PRAGMA synchronous"). Here another thread makes the sync, so that
/// the next transaction can be evaluated in the meantime, and one sync covers all transactions that were committed before it. The frames
/// have a cumulative checksum, so a log is valid up to its last complete commit.
///
/// After a failed sync, the operating system may treat pages that it could not write as written, so that a later sync of the same log
/// succeeds although data is missing (P. Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). Therefore no
/// further data counts as saved until the content of the log was written elsewhere, and `clearFailure()` was called.
final class WALSync: Sendable {
    private let queue = WorkQueue<@Sendable (Problem?) -> Void>()
    private let thread: WorkThreads
    private let failure: Failure

    /// The problem of the last sync; nil if it was successful.
    private final class Failure: Sendable {
        let problem = Mutex<Problem?>(nil)
    }

    /// - Parameters:
    ///   - files: The files of the store. Nothing counts as saved in files that were deleted, moved or replaced.
    ///   - meter: Called with the duration of each sync in seconds.
    ///   - sync: Syncs the file of a descriptor like `fdatasync`, and returns 0 on success.
    init(
        of files: OpenStoreFiles, meter: @escaping @Sendable (Double) -> Void,
        sync: @escaping @Sendable (Int32) -> Int32
    ) {
        let failure = Failure()
        self.failure = failure
        let queue = queue
        thread = WorkThreads("picket sync") {
            var done: [@Sendable (Problem?) -> Void] = []
            while let waiting = queue.takeAll(done) {
                let start = ContinuousClock.now
                let before = failure.problem.withLock { $0 }
                var problem = before
                if before == nil, sync(files.logDescriptor) != 0 {
                    problem = Self.problem(errno, files.logPath)
                    failure.problem.withLock { $0 = problem }
                }
                meter((ContinuousClock.now - start).seconds)
                let outcome = files.problem() ?? problem
                for completion in waiting { completion(outcome) }
                done = waiting
            }
        }
    }

    private static func problem(_ code: Int32, _ path: String) -> Problem {
        if code == ENOSPC || code == EDQUOT { return .storeFull(path: path) }
        return .storeFailed(path: path, details: "it could not be synced: \(String(cString: strerror(code)))")
    }

    /// Why nothing can be saved; nil if everything works.
    var problem: Problem? { failure.problem.withLock { $0 } }

    /// Declares that the content of the log was written elsewhere on the disk.
    func clearFailure() { failure.problem.withLock { $0 = nil } }

    /// Calls `completion` when everything that is in the log now is on the disk, or with the problem if it is not. `completion` is called
    /// on the thread of the syncs.
    func afterSync(_ completion: @escaping @Sendable (Problem?) -> Void) { _ = queue.add(completion) }

    /// Performs the requested syncs and ends the thread.
    func stop() {
        queue.close()
        thread.join()
    }
}
