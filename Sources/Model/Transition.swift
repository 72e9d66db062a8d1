/// A decision of the engine, before it is recorded as an event.
package struct Transition: Hashable, Sendable {
    package var type: EventType
    /// The number of the fence in its set (see `FenceKey`); nil for transitions of the device alone.
    package var fence: FenceKey?
    /// When the transition happened; for a movement, usually the time of the first fix that shows it.
    package var occurredAt: Instant
    /// When the transition became certain.
    package var confirmedAt: Instant
    /// The time at which the straight line between the fixes before and after the crossing intersects the boundary; nil when unknown.
    package var crossedAt: Instant?
    package var cause: Cause
    /// Whether no fix shows the transition at that moment, so that it was inferred from fixes before and after.
    package var inferred: Bool
    /// The fix that shows the transition.
    package var fix: Fix
    /// For exit and dwell: the visit that the transition belongs to.
    package var visit: OpenVisit?
    /// For silent and returned: the last sign of life before the silence.
    package var lastHeard: Instant?

    @inlinable
    package init(
        type: EventType, fence: FenceKey?, occurredAt: Instant, confirmedAt: Instant, crossedAt: Instant? = nil, cause: Cause,
        inferred: Bool = false, fix: Fix, visit: OpenVisit? = nil, lastHeard: Instant? = nil
    ) {
        self.type = type
        self.fence = fence
        self.occurredAt = occurredAt
        self.confirmedAt = confirmedAt
        self.crossedAt = crossedAt
        self.cause = cause
        self.inferred = inferred
        self.fix = fix
        self.visit = visit
        self.lastHeard = lastHeard
    }

    /// Seconds since the enter for exit and dwell, and since the last sign of life for silent and returned; else nil.
    package var duration: Double? { (visit?.enteredAt ?? lastHeard).map { occurredAt - $0 } }
}
