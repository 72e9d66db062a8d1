import Foundation

/// Threads for blocking work of many owners. A thread starts when there is work for it, and ends when there was none for a while, so that
/// owners without work cost nothing. Can be used from any thread.
package final class WorkPool: @unchecked Sendable {
    package typealias Work = @Sendable () -> Void

    // `@unchecked Sendable` is safe: the variables are accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var waiting = FirstInFirstOut<Work>()
    private var threads = 0
    private var idle = 0
    private let name: String
    private let maximum: Int
    private let patience: Double

    /// - Parameters:
    ///   - maximum: The maximum number of threads.
    ///   - patience: Seconds after which a thread without work ends.
    package init(_ name: String, maximum: Int, patience: Double = 10) {
        self.name = name
        self.maximum = maximum
        self.patience = patience
    }

    /// The number of threads at this moment.
    package var threadCount: Int { condition.withLock { threads } }

    /// Does work on a thread, as soon as one of the maximum number is free. Work begins in the order in which it was added.
    package func run(_ work: @escaping Work) {
        let startsThread = condition.withLock {
            waiting.append(work)
            if idle >= waiting.count || threads == maximum {
                condition.signal()
                return false
            }
            threads += 1
            return true
        }
        guard startsThread else { return }
        _ = WorkThreads(name) { [self] in while let work = next() { work() } }
    }

    /// The next work item; nil when there was none for a long time. The thread then no longer counts.
    private func next() -> Work? {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: patience)
        while true {
            if let work = waiting.removeFirst() { return work }
            idle += 1
            let isWoken = condition.wait(until: end)
            idle -= 1
            if isWoken { continue }
            if let work = waiting.removeFirst() { return work }
            threads -= 1
            return nil
        }
    }
}
