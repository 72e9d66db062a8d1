import Synchronization

// What measures: safe from every thread, without locks, and without allocation where something is counted.

/// Counts what happens. It only grows.
public final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    public init() {}

    public func add(_ number: Int = 1) { count.wrappingAdd(UInt64(max(0, number)), ordering: .relaxed) }
    public var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let number = Atomic<Int>(0)

    public init() {}

    public func set(_ value: Int) { number.store(value, ordering: .relaxed) }
    public func add(_ difference: Int) { number.wrappingAdd(difference, ordering: .relaxed) }
    public var value: Int { number.load(ordering: .relaxed) }

    /// Sets it to `value`, if that is more.
    public func raise(to value: Int) { number.max(value, ordering: .relaxed) }
}

/// A counter for each of a few words.
public final class CounterFamily<Label: CaseIterable & Hashable & Sendable & RawRepresentable<String>>: Sendable {
    private let counters: [Label: Counter]

    public init() {
        var counters: [Label: Counter] = [:]
        for label in Label.allCases { counters[label] = Counter() }
        self.counters = counters
    }

    public func add(_ label: Label, _ number: Int = 1) { counters[label]?.add(number) }

    /// Each word with its count, in the order of the cases.
    public var values: [(label: String, count: UInt64)] {
        Label.allCases.map { ($0.rawValue, counters[$0]?.value ?? 0) }
    }
}

/// How values are spread: how many are at most each of its bounds.
public final class Histogram: Sendable {
    /// Ascending.
    public let bounds: [Double]
    private let counters: [Counter]
    private let sum = Atomic<UInt64>(0)
    private let scale: Double

    /// - Parameters:
    ///   - bounds: Ascending.
    ///   - parts: How many of the parts that the sum is counted in make one: 1 for whole numbers, 1e9 for nanoseconds.
    public init(bounds: [Double], parts: Double) {
        self.bounds = bounds
        counters = (0...bounds.count).map { _ in Counter() }
        scale = parts
    }

    /// Takes one value. What is negative or no number counts as 0.
    public func observe(_ value: Double) {
        let value = value > 0 ? min(value, 1e9) : 0
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counters[bucket].add(1)
        sum.wrappingAdd(UInt64((value * scale).rounded()), ordering: .relaxed)
    }

    /// How many values are at most each bound, and then how many there are at all.
    public var cumulative: [UInt64] {
        var total: UInt64 = 0
        return counters.map { counter in
            total += counter.value
            return total
        }
    }

    public var total: Double { Double(sum.load(ordering: .relaxed)) / scale }

    /// For seconds: from 50 µs to 10 s.
    public static func seconds() -> Histogram {
        Histogram(
            bounds: [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
            parts: 1e9)
    }

    /// For how many: from 1 to 50,000.
    public static func counts() -> Histogram {
        Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000], parts: 1)
    }
}
