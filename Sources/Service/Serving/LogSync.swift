import Foundation
import Model

/// Brings the store's write-ahead log to the disk, so that what was committed survives a power cut.
///
/// A commit with SQLite's `synchronous=NORMAL` leaves its frames in the log with the operating system; `FULL` is that, and an
/// `fdatasync` of the log by the committing thread (sqlite.org, "Write-Ahead Logging" and "PRAGMA synchronous"). Here another
/// thread does the sync, so that the next group is judged meanwhile, and one sync serves all groups that were committed before it.
/// Frames carry a checksum that runs over all before them, so a log is read back up to its last whole commit.
final class LogSync: Sendable {
    private let path: String
    private let queue = WorkQueue<@Sendable (Problem?) -> Void>()
    private let meter: @Sendable (_ seconds: Double) -> Void
    private let thread: ThreadBox

    /// - Parameter meter: Is told how long each sync took.
    init(log path: String, meter: @escaping @Sendable (Double) -> Void) {
        self.path = path
        self.meter = meter
        let queue = queue
        thread = ThreadBox(
            WorkThreads("picket sync") {
                // The descriptor is opened once: SQLite keeps its log for as long as a connection is open, and locks other files.
                var descriptor: Int32 = -1
                var done: [@Sendable (Problem?) -> Void] = []
                while let waiting = queue.takeAll(done) {
                    let start = ContinuousClock.now
                    if descriptor < 0 { descriptor = open(path, O_RDWR | O_CLOEXEC) }
                    var problem: Problem?
                    if descriptor < 0 || fdatasync(descriptor) != 0 {
                        problem = .storeFailed(path: path, details: "it could not be synced: \(String(cString: strerror(errno)))")
                    }
                    meter((ContinuousClock.now - start).seconds)
                    for told in waiting { told(problem) }
                    done = waiting
                }
                if descriptor >= 0 { close(descriptor) }
            })
    }

    /// Calls `told` when all that is in the log by now is on the disk, or with the problem that it is not.
    func afterSync(_ told: @escaping @Sendable (Problem?) -> Void) { _ = queue.add(told) }

    /// Syncs what was asked for and ends.
    func stop() {
        queue.close()
        thread.threads.join()
    }
}

/// Threads, as a constant of a class that is still being made.
private struct ThreadBox: Sendable {
    let threads: WorkThreads
    init(_ threads: WorkThreads) { self.threads = threads }
}

extension Duration {
    /// In seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
