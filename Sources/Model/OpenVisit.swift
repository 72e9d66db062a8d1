/// A visit that has begun and not ended.
package struct OpenVisit: Hashable, Sendable {
    package var enteredAt: Instant
    package var cause: Cause
    /// Whether the dwell event of the visit has been emitted.
    package var hasDwelt: Bool

    @inlinable
    package init(enteredAt: Instant, cause: Cause, hasDwelt: Bool = false) {
        self.enteredAt = enteredAt
        self.cause = cause
        self.hasDwelt = hasDwelt
    }
}
