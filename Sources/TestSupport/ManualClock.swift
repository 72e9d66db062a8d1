import Model

/// A clock that stands still until it is moved; sleepers move it themselves, so that nobody waits.
public actor ManualClock {
    public private(set) var now: Instant

    public init(_ now: Instant) { self.now = now }

    public func advance(by seconds: Double) { now = now + seconds }

    /// Moves the clock to `deadline`, unless it is past it.
    public func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        now = max(now, deadline)
    }
}
