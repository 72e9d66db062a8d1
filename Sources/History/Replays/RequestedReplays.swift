import Model
import Synchronization

/// The replays that requests ask for. The writer continues one requested replay at a time, so only one runs at a time.
package final class RequestedReplays: Sendable {
    private let isRunning = Atomic<Bool>(false)

    package init() {}

    /// Begins a replay, or a removal of positions, which ends with one. Call `end()` when it has ended.
    ///
    /// - Throws: `Problem.rateLimited` while another one runs.
    func begin() throws(Problem) {
        guard !isRunning.exchange(true, ordering: .relaxed) else { throw .rateLimited(retryAfter: 5) }
    }

    func end() { isRunning.store(false, ordering: .relaxed) }
}
