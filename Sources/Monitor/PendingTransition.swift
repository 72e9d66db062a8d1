import Model

/// A transition that fixes have shown but not yet confirmed.
package struct PendingTransition: Hashable, Sendable {
    /// The first fix that showed it.
    package var fix: Fix
    /// The number of fixes that have shown it.
    package var count: Int
    /// When the path to that fix crossed the boundary.
    package var crossedAt: Instant?
    /// While passing: when the path crossed the boundary on the way out.
    package var leftAt: Instant?
    /// While entering: the fix before, from which the path into the fence began.
    package var before: Fix?

    package init(fix: Fix, count: Int, crossedAt: Instant?, leftAt: Instant? = nil, before: Fix? = nil) {
        self.fix = fix
        self.count = count
        self.crossedAt = crossedAt
        self.leftAt = leftAt
        self.before = before
    }

    /// When the transition is settled if no fix confirms or contradicts it. It waits longer when fixes have come since that neither confirm
    /// nor contradict it.
    ///
    /// - Parameter newest: The time of the device's newest fix.
    func deadline(_ policy: borrowing DecisionPolicy, newest: Instant?) -> Instant {
        if count >= policy.confirmFixes { return fix.time + min(policy.confirmSeconds, DecisionPolicy.confirmationTimeout) }
        let isLast = newest.map { $0 <= fix.time } ?? true
        return fix.time + (isLast ? DecisionPolicy.confirmationTimeout : DecisionPolicy.pendingTimeout)
    }

    /// Whether enough fixes have shown the transition for long enough.
    func isConfirmed(_ policy: DecisionPolicy, at now: Instant) -> Bool {
        count >= policy.confirmFixes && now - fix.time >= policy.confirmSeconds
    }
}
