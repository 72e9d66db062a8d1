import Synchronization

/// A number that can increase and decrease.
package final class Gauge: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package func set(_ value: Int) { number.store(value, ordering: .relaxed) }
    package func add(_ difference: Int) { number.wrappingAdd(difference, ordering: .relaxed) }
    package var value: Int { number.load(ordering: .relaxed) }

    /// Sets the gauge to `value` if that is greater than the current number.
    package func raise(to value: Int) { number.max(value, ordering: .relaxed) }
}
