import Model

/// A token bucket: holds up to `limit.count` tokens and refills evenly over `limit.period`.
package struct TokenBucket: Sendable {
    package let limit: RateLimit
    private var tokens: Double
    private var filledAt: Instant?

    package init(_ limit: RateLimit) {
        self.limit = limit
        tokens = Double(limit.maximumCount)
    }

    private mutating func fill(_ now: Instant) {
        // When the clock was set back, the tokens stay.
        if let filledAt, now > filledAt {
            tokens = min(Double(limit.maximumCount), tokens + (now - filledAt) * Double(limit.maximumCount) / limit.period)
        }
        filledAt = now
    }

    /// Takes one token; false when there is none.
    package mutating func takeToken(at now: Instant) -> Bool {
        fill(now)
        // Tolerates the rounding error of refilling.
        guard tokens > 1 - 1e-6 else { return false }
        tokens = max(0, tokens - 1)
        return true
    }

    /// When the next token is available, rounded up to a millisecond.
    package mutating func nextToken(after now: Instant) -> Instant {
        fill(now)
        let missing = max(0, 1 - tokens) * limit.period / Double(limit.maximumCount)
        return Instant(milliseconds: now.milliseconds + Int64((missing * 1000).rounded(.up)))
    }
}
