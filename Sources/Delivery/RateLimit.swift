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

extension RateLimit: JSONWritable {
    package static let output = JSONOutput<RateLimit>(
        "RateLimit", summary: "The maximum number of messages in a period; more messages wait",
        .init("messages", kind: .whole, summary: "The number of messages", content: \.maximumCount),
        .init("seconds", kind: .number, summary: "The length of the period", content: \.period))

    init(json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .rateLimit)
        let (count, period) = (try fields.integer("messages"), try fields.number("seconds"))
        try fields.finish()
        guard let count, let period else {
            throw .validationFailed(
                field: "rateLimit", value: "", reason: count == nil ? .messagesMissing : .secondsMissing,
                expected: .like("{\"messages\": 10, \"seconds\": 60}"))
        }
        self.init(count: count, period: period)
        if let flaw { throw flaw }
    }
}

extension FieldKind<RateLimit> {
    /// In an option, such as `10/1m`.
    static var rateLimit: Self {
        .object(
            .object, decode: { (json) throws(Problem) in try RateLimit(json: json) },
            parse: { (text, option) throws(Problem) in
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                if parts.count == 2, let count = Int(parts[0]), let span = TimeSpan(String(parts[1])) {
                    return RateLimit(count: count, period: span.seconds)
                }
                throw .validationFailed(
                    field: option, value: text, reason: Phrase("it is not a rate"),
                    expected: Phrase("a count and a duration, for example 10/1m or 100/1h"))
            })
    }
}
