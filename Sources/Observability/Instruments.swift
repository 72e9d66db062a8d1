import Synchronization

// Measuring instruments. All of them can be used from any thread, take no locks, and do not allocate memory while counting.

/// A number of occurrences. It never decreases.
package final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// Adds a number. Negative numbers are ignored.
    package func add(_ number: Int = 1) { count.wrappingAdd(UInt64(max(0, number)), ordering: .relaxed) }
    package var value: UInt64 { count.load(ordering: .relaxed) }
}

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

/// One counter for each case of an enumeration.
package final class CounterFamily<Label: CaseIterable & Hashable & Sendable & RawRepresentable<String>>: Sendable {
    private let counters: [Label: Counter]

    package init() {
        var counters: [Label: Counter] = [:]
        for label in Label.allCases { counters[label] = Counter() }
        self.counters = counters
    }

    package func add(_ label: Label, _ number: Int = 1) { counters[label]?.add(number) }

    /// The label and the count of each case, in the order of the cases.
    package var values: [(label: String, count: UInt64)] {
        Label.allCases.map { ($0.rawValue, counters[$0]?.value ?? 0) }
    }
}

/// Counts values in buckets with fixed upper bounds.
package final class Histogram: Sendable {
    /// The upper bounds of the buckets, ascending.
    package let bounds: [Double]
    private let counters: [Counter]
    private let sum = Atomic<UInt64>(0)
    private let scale: Double

    /// - Parameters:
    /// - bounds: The upper bounds of the buckets, ascending.
    ///   - parts: The resolution of the sum in parts per unit: 1 for whole numbers, 1e9 to count seconds in nanoseconds.
    package init(bounds: [Double], parts: Double) {
        self.bounds = bounds
        counters = (0...bounds.count).map { _ in Counter() }
        scale = parts
    }

    /// Counts one value. Negative values and NaN count as 0, and values above 1e9 as 1e9.
    package func observe(_ value: Double) {
        let value = value > 0 ? min(value, 1e9) : 0
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counters[bucket].add(1)
        sum.wrappingAdd(UInt64((value * scale).rounded()), ordering: .relaxed)
    }

    /// For each bound, the number of values up to that bound; the last element is the number of all values.
    package var cumulative: [UInt64] {
        var total: UInt64 = 0
        return counters.map { counter in
            total += counter.value
            return total
        }
    }

    /// The sum of all values.
    package var total: Double { Double(sum.load(ordering: .relaxed)) / scale }

    /// A histogram for durations in seconds, with bounds from 50 µs to 10 s.
    package static func seconds() -> Histogram {
        Histogram(
            bounds: [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
            parts: 1e9)
    }

    /// A histogram for quantities, with bounds from 1 to 50,000.
    package static func counts() -> Histogram {
        Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000], parts: 1)
    }
}
