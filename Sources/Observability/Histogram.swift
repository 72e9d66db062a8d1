import Synchronization

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
