import Foundation

/// Things to do, handed from many threads to one that waits for them.
public final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    // Safe: everything below is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var waiting: [Work] = []
    private static var few: Int { 16 }
    private var isClosed = false
    /// How many workers wait.
    private var idle = 0

    public init() {}

    /// Adds something to do. False when the queue is closed and nothing more is taken.
    public func add(_ work: Work) -> Bool {
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
    ///   - seconds: The longest to wait; then nothing is taken.
    ///   - linger: Microseconds to wait for more when there are only a few.
    public func takeAll(
        _ emptied: consuming [Work] = [], waitingAtMost seconds: Double = .infinity, lingering linger: UInt32 = 0
    ) -> [Work]? {
        emptied.removeAll(keepingCapacity: true)
        condition.lock()
        defer { condition.unlock() }
        if seconds == .infinity {
            guard waitForWork() else { return nil }
        } else if waiting.isEmpty {
            let end = Date(timeIntervalSinceNow: seconds)
            while waiting.isEmpty {
                if isClosed { return nil }
                idle += 1
                defer { idle -= 1 }
                if seconds <= 0 || !condition.wait(until: end) { break }
            }
        }
        if linger > 0, !waiting.isEmpty, waiting.count < Self.few, !isClosed {
            condition.unlock()
            usleep(linger)
            condition.lock()
        }
        swap(&waiting, &emptied)
        return emptied
    }

    /// Takes the first; waits until there is one. Nil when the queue is closed and empty. For several workers.
    public func takeFirst() -> Work? {
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
    public func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    public var count: Int { condition.withLock { waiting.count } }
}
