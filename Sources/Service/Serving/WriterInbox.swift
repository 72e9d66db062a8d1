import Model
import Synchronization
import Workers

/// What waits for the writer.
final class WriterInbox: Sendable {
    enum Work: Sendable {
        case positions(PositionRequest)
        /// What waited for the order of fixes goes on.
        case ordered
        /// Does its own transactions, or does nothing for a problem that there is; gives what to tell once they are kept.
        case edit(@Sendable (Result<ServiceWriter, Problem>) -> @Sendable (Problem?) -> Void)
        /// Writes what is derived of all that is kept by now, and tells that.
        case settle(@Sendable () -> Void)
    }

    let queue = WorkQueue<Work>()
    /// Fixes that wait to be judged.
    private let fixes = Atomic<Int>(0)
    /// So many may wait; more are turned away.
    private static let most = 1_000_000

    func add(_ batch: TimeOrderedBatch, _ policy: DecisionPolicy.Name?, _ told: @escaping Writer.Told) -> Bool {
        let count = batch.batch.rows.count
        let (before, _) = fixes.add(count, ordering: .relaxed)
        if before < Self.most, queue.add(.positions(PositionRequest(batch, policy, told))) { return true }
        judged(count)
        return false
    }

    /// See `Writer.submit(_:_:)`.
    func edit<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result,
        _ told: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        queue.add(
            .edit { service in
                let result: Swift.Result<Result, Problem>
                do throws(Problem) {
                    result = .success(try body(try service.get()))
                } catch {
                    result = .failure(error)
                }
                return { problem in told(problem.map { .failure($0) } ?? result) }
            })
    }

    /// Notes that so many no longer wait.
    func judged(_ count: Int) { fixes.subtract(count, ordering: .relaxed) }
}
