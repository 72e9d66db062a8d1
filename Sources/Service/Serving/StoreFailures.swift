import Model
import Synchronization

/// Counts the failures to write the store. Can be used from any thread.
final class StoreFailures: Sendable {
    private let number = Atomic<Int>(0)
    private let observer: Writer.Observer

    init(_ observer: Writer.Observer) { self.observer = observer }

    var count: Int { number.load(ordering: .relaxed) }

    /// Counts and reports a failure.
    func add(_ problem: Problem) {
        number.add(1, ordering: .relaxed)
        observer.storeFailed(problem)
    }
}
