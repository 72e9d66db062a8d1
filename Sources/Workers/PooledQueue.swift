import Dispatch
import Synchronization

/// The work of one owner. The threads of a pool do a limited number of its work items at a time, and after each item, the work of
/// other owners comes first.
package final class PooledQueue<Work: Sendable>: Sendable {
    private struct State {
        var waiting: [Work] = []
        var running = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let ended = DispatchGroup()
    private let pool: WorkPool
    private let limit: Int
    private let batch: Int
    private let body: @Sendable ([Work]) -> Void

    /// - Parameters:
    ///   - limit: The maximum number of threads that work for this owner.
    ///   - batch: The maximum number of work items that are passed to `body` at once.
    package init(_ pool: WorkPool, limit: Int = 1, batch: Int = 1, _ body: @escaping @Sendable ([Work]) -> Void) {
        self.pool = pool
        self.limit = limit
        self.batch = batch
        self.body = body
    }

    /// Adds work. False if the queue is closed, and then the work is not taken.
    package func add(_ work: Work) -> Bool {
        let (isTaken, isNew) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.waiting.append(work)
            guard state.running < limit else { return (true, false) }
            state.running += 1
            return (true, true)
        }
        if isNew {
            ended.enter()
            pool.run { [self] in doNext() }
        }
        return isTaken
    }

    private func doNext() {
        let works = state.withLock { state in
            let works = Array(state.waiting.prefix(batch))
            state.waiting.removeFirst(works.count)
            return works
        }
        if !works.isEmpty { body(works) }
        let hasMore = state.withLock { state in
            if state.waiting.isEmpty { state.running -= 1 }
            return !state.waiting.isEmpty
        }
        if hasMore { pool.run { [self] in doNext() } } else { ended.leave() }
    }

    /// Closes the queue. Work that is in it is still done.
    package func close() { state.withLock { $0.isClosed = true } }

    /// Waits until all work is done. The queue must be closed.
    package func join() { ended.wait() }
}
