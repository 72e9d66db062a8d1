/// A histogram of durations, in buckets at most about 3 % wide, from one microsecond to more than a minute.
struct LatencyHistogram: Sendable {
    /// The number of buckets for each power of two.
    private static let steps = 32
    private static let bits = 5
    private var counts = [Int](repeating: 0, count: 40 * steps)
    private(set) var count = 0
    private(set) var maximum: Int64 = 0

    /// - Parameter nanoseconds: The duration.
    mutating func add(nanoseconds: Int64) {
        let microseconds = max(0, nanoseconds) / 1000
        counts[Self.bucket(microseconds)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    /// The time in milliseconds that a share (0 to 1) of all durations did not exceed; 0 if there are none.
    func quantile(_ share: Double) -> Double {
        let wanted = Int((share * Double(count)).rounded(.up))
        var seen = 0
        for (index, count) in counts.enumerated() where count > 0 {
            seen += count
            if seen >= wanted { return min(Double(Self.upperEdge(index)) / 1000, Double(maximum) * 1e-6) }
        }
        return 0
    }

    /// The index of the bucket of a duration in microseconds. Below `steps` there is one bucket for each microsecond, above `steps` for
    /// each power of two.
    private static func bucket(_ value: Int64) -> Int {
        guard value >= steps else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - bits
        return min((shift + 1) * steps + Int(value >> shift) - steps, 40 * steps - 1)
    }

    private static func upperEdge(_ index: Int) -> Int64 {
        guard index >= steps else { return Int64(index) + 1 }
        let shift = index / steps - 1
        return (Int64(index % steps + steps) + 1) << shift
    }
}
