import Model
import SQLite
import Store
import Synchronization
import Workers

/// Keeps the store's write-ahead log small: writes it into the store on its own thread whenever it has grown by 64 MB, or by an eighth
/// of the free space if that is less, and lets the writer start it again from its beginning.
///
/// SQLite would do this within a commit, which then takes as long as writing and syncing that many pages. Here the writer continues in the
/// meantime, and only adds the few pages that came by the end (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
///
/// The log can start again only in a moment in which no reader uses it. Readers of this process read in pieces, so such a moment
/// comes soon, and the writer waits a few milliseconds for it. A transaction that another program keeps open lets the log grow;
/// then this tries again as long as that lasts, and `heldBytes` says so. A log that was held or has become very large is
/// truncated in steps, to its usual size; one that nothing was added to for a while is truncated at once.
final class WALCheckpoint: Sendable {
    private let queue = WorkQueue<Void>()
    private let thread: WorkThreads
    private let state: Shared
    private let files: OpenStoreFiles

    private struct State {
        /// Whether the thread has a checkpoint to make.
        var isUnderWay = false
        /// Whether the last checkpoint of the thread has written the whole log; nil before it ends, and after a failure.
        var isWhole: Bool?
        /// The number of pages that the writer had written when the last checkpoint began.
        var start = 0
        /// The number of pages that the writer has written, and since when.
        var written = 0
        var writtenAt: ContinuousClock.Instant?
        /// When the log could not start again because a reader uses it; nil if it could.
        var heldAt: ContinuousClock.Instant?
        /// Whether the log is being truncated, in steps.
        var isTruncating = false
        /// The size of a log that cannot start again; nil if it can, or is not large.
        var heldBytes: Int?
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private static let pageSize = 4096
    /// The number of pages of 4 KiB between two checkpoints, with enough free space.
    private static let longestInterval = 16_384
    /// The same on a nearly full disk.
    private static let shortestInterval = 64
    /// The number of pages after which a log that a reader holds is tried again, and the time.
    private static let retryInterval = (pages: 1024, time: Duration.seconds(1))
    /// The time without writes after which the log is truncated, and the size in bytes from which on.
    private static let rest = (time: Duration.seconds(5), bytes: 1 << 20)
    /// A smaller log in bytes is not reported, even on a nearly full disk.
    private static let leastHeldBytes = 4 << 20

    /// The number of pages of 4 KiB between two checkpoints.
    ///
    /// - Parameter free: The free disk space in bytes; nil if it is not known.
    static func interval(free: Int?) -> Int {
        min(longestInterval, max(shortestInterval, (free ?? .max) / 8 / pageSize))
    }

    /// The milliseconds for which the writer waits for readers that use the log.
    ///
    /// - Parameter excess: The size of the log, in intervals between two checkpoints.
    private static func patience(_ excess: Int) -> Int32 { excess < 1 ? 0 : excess < 2 ? 5 : 20 }

    /// - Parameters:
    ///   - files: The files of the store. A log is not checkpointed while they are deleted, moved or replaced.
    ///   - failed: Called if the checkpoint failed. The data stays in the log, where it is equally safe.
    init(of files: OpenStoreFiles, failed: @escaping @Sendable (Problem) -> Void) {
        self.files = files
        let (queue, shared) = (queue, Shared())
        state = shared
        thread = WorkThreads("picket checkpoint") {
            while queue.takeFirst() != nil {
                var isWhole: Bool?
                do throws(Problem) {
                    isWhole = try files.checkpointByPath()
                } catch {
                    failed(error)
                }
                shared.state.withLock { state in
                    state.isWhole = isWhole
                    state.isUnderWay = false
                    // After a failure, the next checkpoint is due as if nothing was to be truncated.
                    if isWhole == nil { state.isTruncating = false }
                }
            }
        }
    }

    /// The size in bytes of a large log that cannot start again because a reader uses it; nil if there is none. Can be called on any
    /// thread.
    var heldBytes: Int? { state.state.withLock { $0.heldBytes } }

    /// Starts a checkpoint if it is time, and completes it when it is done. Must be called by the writer between transactions.
    ///
    /// - Parameter free: Returns the free disk space in bytes.
    func startOrComplete(_ store: PicketStore, free: () -> Int?, now: ContinuousClock.Instant = .now) throws(Problem) {
        let written = store.writtenPages
        let (isWhole, isAtRest, isDue) = state.state.withLock { state in
            if written != state.written || state.writtenAt == nil { (state.written, state.writtenAt) = (written, now) }
            let isAtRest = now - (state.writtenAt ?? now) >= Self.rest.time
            return (state.isWhole.take(), isAtRest, isCheckpointDue(state, isAtRest, now))
        }
        if let isWhole { try complete(isWhole, store, free, isAtRest, now) }
        guard isDue || isGrown(written, free) else { return }
        let starts = state.state.withLock { state in
            if state.isUnderWay { return false }
            state.start = written
            state.isUnderWay = true
            if state.heldAt != nil { state.heldAt = now }
            return true
        }
        if starts { _ = queue.add(()) }
    }

    /// Whether the log has grown enough for a checkpoint.
    private func isGrown(_ written: Int, _ free: () -> Int?) -> Bool {
        let grown = written - state.state.withLock { $0.start }
        return grown >= Self.shortestInterval && grown >= Self.interval(free: free())
    }

    /// Whether a log that a reader holds is tried again, or one that nothing is added to is truncated.
    private func isCheckpointDue(_ state: State, _ isAtRest: Bool, _ now: ContinuousClock.Instant) -> Bool {
        if state.isTruncating, state.heldAt == nil { return true }
        guard let heldAt = state.heldAt else { return isAtRest && files.logBytes >= Self.rest.bytes }
        return state.written - state.start >= Self.retryInterval.pages || now - heldAt >= Self.retryInterval.time
    }

    /// Lets the log start again, after the thread has written it into the store.
    ///
    /// - Parameter isWhole: Whether the thread has written all of it. If not, a reader uses an earlier state, and waiting for it
    ///   is useless.
    private func complete(
        _ isWhole: Bool, _ store: PicketStore, _ free: () -> Int?, _ isAtRest: Bool, _ now: ContinuousClock.Instant
    ) throws(Problem) {
        let (wasHeld, wasTruncating) = state.state.withLock { state in
            defer { state.isTruncating = false }
            return (state.heldAt != nil, state.isTruncating)
        }
        guard files.problem() == nil else { return }
        let bytes = files.logBytes
        let interval = Self.interval(free: free()) * Self.pageSize
        let patience = isAtRest ? 0 : Self.patience(bytes / interval)
        var (isRestarted, isTruncating) = (false, false)
        if isWhole, isAtRest {
            // Nothing was written for a while, so probably no request waits meanwhile.
            isRestarted = try store.truncateLog(patience: patience)
        } else if isWhole, bytes > interval, wasHeld || wasTruncating || bytes > 4 * interval {
            let truncation = try store.truncateLogStep(patience: patience)
            isRestarted = truncation != .blocked
            isTruncating = truncation == .underWay
        } else if isWhole {
            isRestarted = try store.restartLog(patience: patience)
        }
        state.state.withLock { state in
            state.isTruncating = isTruncating
            state.heldAt = isRestarted ? nil : now
            state.heldBytes = isRestarted || bytes < max(2 * interval, Self.leastHeldBytes) ? nil : bytes
        }
    }

    func stop() {
        queue.close()
        thread.join()
    }
}
