import Foundation

/// Things to do, handed from many threads to one that waits for them.
final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    // Safe: everything below is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var waiting: [Work] = []
    private static var few: Int { 16 }
    private var isClosed = false
    /// How many workers wait.
    private var idle = 0

    /// Adds something to do. False when the queue is closed and nothing more is taken.
    func add(_ work: Work) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return false }
        waiting.append(work)
        if idle > 0 { condition.signal() }
        return true
    }

    /// Takes all that is there, in order; waits until there is something. Nil when the queue is closed and empty.
    ///
    /// - Parameters:
    ///   - emptied: Storage to use again.
    ///   - linger: Microseconds to wait for more when there are only a few.
    func takeAll(_ emptied: consuming [Work] = [], lingering linger: UInt32 = 0) -> [Work]? {
        emptied.removeAll(keepingCapacity: true)
        condition.lock()
        defer { condition.unlock() }
        guard waitForWork() else { return nil }
        if linger > 0, waiting.count < Self.few, !isClosed {
            condition.unlock()
            usleep(linger)
            condition.lock()
        }
        swap(&waiting, &emptied)
        return emptied
    }

    /// Takes the first; waits until there is one. Nil when the queue is closed and empty. For several workers.
    func takeFirst() -> Work? {
        condition.lock()
        defer { condition.unlock() }
        return waitForWork() ? waiting.removeFirst() : nil
    }

    /// Waits until there is something to do, with `condition` locked. False when there never will be.
    private func waitForWork() -> Bool {
        while waiting.isEmpty {
            if isClosed { return false }
            idle += 1
            condition.wait()
            idle -= 1
        }
        return true
    }

    /// Takes nothing more; what is there is still done.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    var count: Int { condition.withLock { waiting.count } }
}

/// Threads of one's own, for work that blocks.
package struct WorkThreads: Sendable {
    private let ended: DispatchGroup

    /// Starts threads that run `body` to its end.
    package init(_ name: String, count: Int = 1, _ body: @escaping @Sendable () -> Void) {
        let ended = DispatchGroup()
        self.ended = ended
        for _ in 0..<count {
            ended.enter()
            let thread = Thread {
                body()
                ended.leave()
            }
            thread.name = name
            thread.stackSize = 4 << 20
            thread.start()
        }
    }

    /// Waits until all of them have ended.
    package func join() { ended.wait() }
}
