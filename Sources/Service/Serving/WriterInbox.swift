import Core
import Model
import Presence
import Store
import Synchronization
import Workers

/// The work that waits for the writer. Can be used from any thread.
final class WriterInbox: Sendable {
    /// Returns the function to call after the changes are saved.
    typealias Edit = @Sendable (Result<ServiceWriter, Problem>) -> @Sendable (Problem?) -> Void

    enum Work: Sendable {
        case positions(PositionRequest)
        /// Fixes to put in order, which another thread has sorted; nil if all are in order.
        case sorted(Result<FixOrderPass?, Problem>)
        /// An edit that makes its own transactions, or does nothing if it gets a problem.
        case edit(Edit)
        /// A check that changes nothing. It is performed in its turn, while edits may wait for a later one.
        case check(Edit)
        /// Without a service: closes the store and releases the directory, then calls the function. The next work opens it again.
        case release(@Sendable () -> Void)
        /// Writes the states and indexes of what is committed now, or the order of its fixes. Then calls the function, with the problem that
        /// prevented that.
        case settle(ofOrder: Bool, @Sendable (Problem?) -> Void)
    }

    let queue = WorkQueue<Work>()
    /// The number of fixes that wait to be evaluated.
    private let fixes = Atomic<Int>(0)
    /// The maximum number of waiting fixes. Further requests are rejected.
    private static let most = 1_000_000

    func add(
        _ batch: TimeOrderedBatch, policy: PolicyOverride?, admission: Writer.Admission?,
        completion: @escaping Writer.IntakeCompletion
    ) -> Bool {
        let count = batch.batch.rows.count
        let (before, _) = fixes.add(count, ordering: .relaxed)
        let request = PositionRequest(batch, policy: policy, admission: admission, completion: completion)
        if before < Self.most, queue.add(.positions(request)) { return true }
        removeWaiting(count)
        return false
    }

    /// See `Writer.submit(_:_:)`.
    ///
    /// - Parameter isCheck: Whether `body` changes nothing.
    func edit<Result: Sendable>(
        isCheck: Bool = false,
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result,
        _ completion: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        let edit: Edit = { service in
            let result: Swift.Result<Result, Problem>
            do throws(Problem) {
                result = .success(try body(try service.get()))
            } catch {
                result = .failure(error)
            }
            return { problem in completion(problem.map { .failure($0) } ?? result) }
        }
        return queue.add(isCheck ? .check(edit) : .edit(edit))
    }

    /// Records that a number of fixes no longer wait.
    func removeWaiting(_ count: Int) { fixes.subtract(count, ordering: .relaxed) }
}
