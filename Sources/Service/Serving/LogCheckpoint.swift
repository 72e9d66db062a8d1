import Model
import Store
import Workers

/// Brings the store's write-ahead log into the file on a thread of its own, whenever the log has grown by 64 MB.
///
/// SQLite does that within a commit, which then takes as long as it takes to write and sync so many pages. Here the writer goes on
/// meanwhile. What it has appended by the end is little, and it brings that into the file itself: so the log is begun anew, and does not
/// grow for ever (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
final class LogCheckpoint: Sendable {
    private let queue = WorkQueue<Void>()
    private let thread: WorkThreads
    private let isUnderWay = Flag()
    private let isDone = Flag()

    /// Pages of 4 KiB.
    private static let interval = 16_384

    /// - Parameters:
    ///   - store: The path of the store.
    ///   - failed: Is told why the log could not be brought into the file. It stays where it is, which is as safe.
    init(store: String, failed: @escaping @Sendable (Problem) -> Void) {
        let (queue, isUnderWay, isDone) = (queue, isUnderWay, isDone)
        thread = WorkThreads("picket checkpoint") {
            while queue.takeFirst() != nil {
                do throws(Problem) {
                    try RegionStore.takeUpLog(of: store)
                } catch {
                    failed(error)
                }
                isDone.value.store(true, ordering: .releasing)
                isUnderWay.value.store(false, ordering: .releasing)
            }
        }
    }

    /// Begins when the log has grown enough, and does the rest when it is done. To be called by the writer between transactions.
    ///
    /// - Parameter pages: How many pages the writer had written when this began the last time; brought up to date.
    func run(_ store: RegionStore, since pages: inout Int) throws(Problem) {
        if isDone.value.exchange(false, ordering: .acquiring) { try store.takeUpLogBeside() }
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
