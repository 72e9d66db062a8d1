import Synchronization

/// A number of occurrences. It never decreases.
package final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// Adds a number. Negative numbers are ignored.
    package func add(_ number: Int = 1) { count.wrappingAdd(UInt64(max(0, number)), ordering: .relaxed) }
    package var value: UInt64 { count.load(ordering: .relaxed) }
}
