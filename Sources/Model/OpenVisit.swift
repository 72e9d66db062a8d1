/// A visit that has begun and not ended.
public struct OpenVisit: Hashable, Sendable {
    public var enteredAt: Instant
    public var cause: Cause
    /// Whether the dwell event of the visit has been emitted.
    public var hasDwelt: Bool

    @inlinable
    public init(enteredAt: Instant, cause: Cause, hasDwelt: Bool = false) {
        self.enteredAt = enteredAt
        self.cause = cause
        self.hasDwelt = hasDwelt
    }
}
