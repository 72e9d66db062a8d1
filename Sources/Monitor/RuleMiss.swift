import Model

/// A violation of a presence rule: what the rule expects did not happen.
package struct RuleMiss: Hashable, Sendable {
    /// The moment of the violation: the deadline, or the exit that came too early.
    package var occurredAt: Instant
    /// When the violation is reported: `occurredAt` plus the rule's grace.
    package var dueAt: Instant
    /// When the visit that is too long or too short began; nil when there is no visit.
    package var enteredAt: Instant?

    package init(occurredAt: Instant, dueAt: Instant, enteredAt: Instant? = nil) {
        self.occurredAt = occurredAt
        self.dueAt = dueAt
        self.enteredAt = enteredAt
    }
}
