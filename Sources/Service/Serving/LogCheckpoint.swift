import Model
import Store
import Workers

/// Checkpoints the store's write-ahead log on a thread of its own whenever the log has grown by 64 MB, or by an eighth of the free space if
/// that is less.
///
/// SQLite would do this within a commit, which then takes as long as writing and syncing that many pages. Here the writer continues in the
/// meantime. The few pages that it has added by the end are checkpointed by the writer itself, so the log starts again from the beginning
/// and does not grow without limit (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
final class LogCheckpoint: Sendable {
    private let queue = WorkQueue<Void>()
    private let thread: WorkThreads
    private let isUnderWay = Flag()
    private let isDone = Flag()
    private let files: StoreFileCheck

    /// The number of pages of 4 KiB between two checkpoints, with enough free space.
    private static let longestInterval = 16_384
    /// The same on a nearly full disk.
    private static let shortestInterval = 64

    /// The number of pages of 4 KiB between two checkpoints.
    ///
    /// - Parameter free: The free disk space in bytes; nil if it is not known.
    static func interval(free: Int?) -> Int {
        min(longestInterval, max(shortestInterval, (free ?? .max) / 8 / 4096))
    }

    /// - Parameters:
    ///   - files: The files of the store. A log is not checkpointed while they are deleted, replaced or cut.
    ///   - failed: Called if the checkpoint failed. The data stays in the log, where it is equally safe.
    init(of files: StoreFileCheck, failed: @escaping @Sendable (Problem) -> Void) {
        self.files = files
        let (queue, isUnderWay, isDone) = (queue, isUnderWay, isDone)
        thread = WorkThreads("picket checkpoint") {
            while queue.takeFirst() != nil {
                do throws(Problem) {
                    try files.checkpointByPath()
                } catch {
                    failed(error)
                }
                isDone.value.store(true, ordering: .releasing)
                isUnderWay.value.store(false, ordering: .releasing)
            }
        }
    }

    /// Starts a checkpoint if the log has grown enough, and completes it when it is done. Must be called by the writer between
    /// transactions.
    ///
    /// - Parameters:
    ///   - pages: The number of pages that the writer had written at the last start. Updated by this method.
    ///   - free: Returns the free disk space in bytes.
    func startOrComplete(_ store: RegionStore, since pages: inout Int, free: () -> Int?) throws(Problem) {
        if isDone.value.exchange(false, ordering: .acquiring), files.problem() == nil { try store.checkpointPassively() }
        let written = store.writtenPages
        let grown = written - pages
        guard grown >= Self.shortestInterval, grown >= Self.interval(free: free()),
            !isUnderWay.value.exchange(true, ordering: .acquiring)
        else { return }
        pages = written
        _ = queue.add(())
    }

    func stop() {
        queue.close()
        thread.join()
    }
}
