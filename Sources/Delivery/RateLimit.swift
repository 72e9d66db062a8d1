import Model

/// A greatest number of messages per period, written as `10/1m`.
package struct RateLimit: Hashable, Sendable {
    package var count: Int
    /// Seconds.
    package var period: Double

    package init(count: Int, period: Double) {
        self.count = count
        self.period = period
    }

    /// The invalid value as a problem; nil when both are valid.
    var flaw: Problem? {
        guard count >= 1, count <= 1_000_000, period >= 1, period <= 86_400 else {
            return .validationFailed(
                field: "rateLimit", value: "\(count)/\(TimeSpan.text(period))", reason: .outOfRange,
                expected: .rateLimit)
        }
        return nil
    }
}
