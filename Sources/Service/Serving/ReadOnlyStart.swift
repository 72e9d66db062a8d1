import Foundation
import Model

/// The time in which a service can only read its store, because it has started without room to open the store for writing.
///
/// SQLite needs room even to read beside a writer. So readers open the store as a file that nobody changes, and the writer opens it only
/// while no reader has. Can be used from any thread.
package final class ReadOnlyStart: @unchecked Sendable {
    // `@unchecked Sendable` is safe: everything below is accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var reason: Problem?
    /// The number of readers that have the store open.
    private var readers = 0
    /// Whether the writer wants to open the store, so that new readers wait.
    private var isOpening = false

    package init() {}

    /// Why the store cannot be written; nil when it is open for writing.
    package var problem: Problem? { condition.withLock { reason } }

    /// Begins the time. Must be called before others use the store.
    func begin(_ problem: Problem) { condition.withLock { reason = problem } }

    /// Calls `body` with whether the store must be opened with `ServiceReader.init(unchanging:clock:)`. Then the reader must be closed when
    /// `body` ends.
    package func read<Result, Failure: Error>(_ body: (_ isUnchanging: Bool) throws(Failure) -> Result) throws(Failure) -> Result
    {
        condition.lock()
        while isOpening { condition.wait() }
        let isUnchanging = reason != nil
        if isUnchanging { readers += 1 }
        condition.unlock()
        defer {
            if isUnchanging {
                condition.withLock {
                    readers -= 1
                    condition.broadcast()
                }
            }
        }
        return try body(isUnchanging)
    }

    /// Waits until no reader has the store open, then calls `open`, which returns whether the store is open for writing now.
    ///
    /// - Parameter seconds: The maximum time to wait for readers. After that `open` is not called.
    /// - Returns: Whether the store is open for writing.
    func end(waitingAtMost seconds: Double, _ open: () -> Bool) -> Bool {
        condition.lock()
        isOpening = true
        let end = Date(timeIntervalSinceNow: seconds)
        while readers > 0, condition.wait(until: end) {}
        let isFree = readers == 0
        condition.unlock()
        let isOpen = isFree && open()
        condition.withLock {
            isOpening = false
            if isOpen { reason = nil }
            condition.broadcast()
        }
        return isOpen
    }
}
