import Model

/// The maximum rate of a sink's messages, written as `10/1m`: 10 messages per minute. Further messages wait, except alarms.
/// `TokenBucket` applies the limit.
package struct RateLimit: Hashable, Sendable {
    /// The maximum number of messages per period: 1 to 1,000,000.
    package var maximumCount: Int
    /// The length of the period in seconds: 1 to 86,400.
    package var period: Double

    package init(count: Int, period: Double) {
        self.maximumCount = count
        self.period = period
    }

    /// The problem with an invalid `count` or `period`; nil when both are valid.
    var flaw: Problem? {
        guard maximumCount >= 1, maximumCount <= 1_000_000, period >= 1, period <= 86_400 else {
            return .validationFailed(
                field: "rateLimit", value: "\(maximumCount)/\(TimeSpan.text(period))", reason: .outOfRange,
                expected: .rateLimit)
        }
        return nil
    }
}
