import Model
import Store
import Workers

/// Checkpoints the store's write-ahead log on a thread of its own whenever the log has grown by 64 MB.
///
/// SQLite would do this within a commit, which then takes as long as writing and syncing that many pages. Here the writer continues in the
/// meantime. The few pages that it has added by the end are checkpointed by the writer itself, so the log starts again from the beginning
/// and does not grow without limit (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
final class LogCheckpoint: Sendable {
    private let queue = WorkQueue<Void>()
    private let thread: WorkThreads
    private let isUnderWay = Flag()
    private let isDone = Flag()

    /// The number of pages of 4 KiB between two checkpoints.
    private static let interval = 16_384

    /// - Parameters:
    /// - store: The path of the store.
    ///   - failed: Called if the checkpoint failed. The data stays in the log, where it is equally safe.
    init(store: String, failed: @escaping @Sendable (Problem) -> Void) {
        let (queue, isUnderWay, isDone) = (queue, isUnderWay, isDone)
        thread = WorkThreads("picket checkpoint") {
            while queue.takeFirst() != nil {
                do throws(Problem) {
                    try RegionStore.checkpointFile(at: store)
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
    /// - Parameter pages: The number of pages that the writer had written at the last start. Updated by this method.
    func startOrComplete(_ store: RegionStore, since pages: inout Int) throws(Problem) {
        if isDone.value.exchange(false, ordering: .acquiring) { try store.checkpointPassively() }
        let written = store.writtenPages
        guard written - pages >= Self.interval, !isUnderWay.value.exchange(true, ordering: .acquiring) else { return }
        pages = written
        _ = queue.add(())
    }

    func stop() {
        queue.close()
        thread.join()
    }
}
