import Foundation

/// A queue of work that many threads add to and one or more worker threads take from.
package final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable` is safe: everything below is accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var waiting: [Work] = []
    /// Below this number of waiting items, `takeAll` lingers.
    private static var lingerThreshold: Int { 16 }
    private var isClosed = false
    /// The number of workers that are waiting.
    private var idle = 0

    package init() {}

    /// Adds work. False if the queue is closed, and then the work is not taken.
    package func add(_ work: Work) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return false }
        waiting.append(work)
        if idle > 0 { condition.signal() }
        return true
    }

    /// Takes all work in order, and waits until there is some.
    ///
    /// - Parameters:
    ///   - emptied: Storage to reuse for the result.
    ///   - seconds: The longest time to wait. After that the result is empty.
    ///   - linger: Microseconds to wait for more when there are only a few items.
    /// - Returns: The work; nil when the queue is closed and empty.
    package func takeAll(
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
        if linger > 0, !waiting.isEmpty, waiting.count < Self.lingerThreshold, !isClosed {
            condition.unlock()
            usleep(linger)
            condition.lock()
        }
        swap(&waiting, &emptied)
        return emptied
    }

    /// Takes the first item, and waits until there is one. Nil when the queue is closed and empty. Several workers may call it.
    package func takeFirst() -> Work? {
        condition.lock()
        defer { condition.unlock() }
        return waitForWork() ? waiting.removeFirst() : nil
    }

    /// Waits for work while `condition` is locked. False when the queue is closed and empty.
    private func waitForWork() -> Bool {
        while waiting.isEmpty {
            if isClosed { return false }
            idle += 1
            condition.wait()
            idle -= 1
        }
        return true
    }

    /// Closes the queue. Work that is in it can still be taken.
    package func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    /// The number of items waiting.
    package var count: Int { condition.withLock { waiting.count } }
}
