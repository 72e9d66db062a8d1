import Model

/// A clock that only moves when it is told to. `sleep(until:)` moves the clock instead of waiting.
public actor ManualClock {
    public private(set) var now: Instant

    public init(_ now: Instant) { self.now = now }

    public func advance(by seconds: Double) { now = now + seconds }

    /// Moves the clock to `deadline`, unless it is later already.
    public func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        now = max(now, deadline)
    }
}
