import Model

/// So many messages in a time, as `10/1m`.
public struct RateLimit: Hashable, Sendable {
    public var count: Int
    /// In seconds.
    public var period: Double

    public init(count: Int, period: Double) {
        self.count = count
        self.period = period
    }

    /// What is wrong with it.
    var flaw: Problem? {
        guard count >= 1, count <= 1_000_000, period >= 1, period <= 86_400 else {
            return .validationFailed(
                field: "rateLimit", value: "\(count) in \(JSONValue(period)) s", reason: "it is out of range",
                expected: "1 to 1,000,000 messages in 1 s to a day")
        }
        return nil
    }
}

/// Lets so many messages through in a time: a bucket that holds `count`, and fills evenly.
public struct TokenBucket: Sendable {
    public let limit: RateLimit
    private var tokens: Double
    private var filledAt: Instant?

    public init(_ limit: RateLimit) {
        self.limit = limit
        tokens = Double(limit.count)
    }

    private mutating func fill(_ now: Instant) {
        // A clock that was set back gives nothing, and takes nothing.
        if let filledAt, now > filledAt {
            tokens = min(Double(limit.count), tokens + (now - filledAt) * Double(limit.count) / limit.period)
        }
        filledAt = now
    }

    /// Takes one. False when there is none.
    public mutating func take(at now: Instant) -> Bool {
        fill(now)
        // What was rounded away when the bucket was filled must not cost a message its turn.
        guard tokens > 1 - 1e-6 else { return false }
        tokens = max(0, tokens - 1)
        return true
    }

    /// When there is one again, to the next millisecond.
    public mutating func next(after now: Instant) -> Instant {
        fill(now)
        let missing = max(0, 1 - tokens) * limit.period / Double(limit.count)
        return Instant(milliseconds: now.milliseconds + Int64((missing * 1000).rounded(.up)))
    }
}
