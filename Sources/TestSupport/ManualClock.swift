import Model

/// A clock that only `sleep(until:)` moves, instead of waiting.
package actor ManualClock {
    package private(set) var now: Instant

    package init(_ now: Instant) { self.now = now }

    /// Moves the clock to `deadline`, unless it is later already.
    package func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        now = max(now, deadline)
    }
}
