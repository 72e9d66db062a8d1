import Model

/// A clock that only moves when a test moves it. `sleep(until:)` moves the clock instead of waiting.
package actor ManualClock {
    package private(set) var now: Instant

    package init(_ now: Instant) { self.now = now }

    package func advance(by seconds: Double) { now = now + seconds }

    /// Moves the clock to `deadline`, unless it is later already.
    package func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        now = max(now, deadline)
    }
}
