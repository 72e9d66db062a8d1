import Model

/// A change that has been seen and is not yet sure.
public struct PendingTransition: Hashable, Sendable {
    /// The first fix that showed it.
    public var fix: Fix
    /// How many fixes have shown it.
    public var count: Int
    /// When the boundary was met on the way to that fix.
    public var crossedAt: Instant?
    /// While passing: when the boundary was met on the way out.
    public var leftAt: Instant?
    /// While entering: the last fix before, where the way into the fence began.
    public var before: Fix?

    public init(fix: Fix, count: Int, crossedAt: Instant?, leftAt: Instant? = nil, before: Fix? = nil) {
        self.fix = fix
        self.count = count
        self.crossedAt = crossedAt
        self.leftAt = leftAt
        self.before = before
    }

    /// When it is settled if no fix confirms or contradicts it: sooner if nothing has come since.
    ///
    /// - Parameter newest: The time of the device's newest fix.
    func deadline(_ policy: borrowing DecisionPolicy, newest: Instant?) -> Instant {
        if count >= policy.confirmFixes { return fix.time + min(policy.confirmSeconds, DecisionPolicy.patience) }
        let isLast = newest.map { $0 <= fix.time } ?? true
        return fix.time + (isLast ? DecisionPolicy.patience : DecisionPolicy.longestDoubt)
    }

    /// Whether enough fixes have shown it for long enough at a moment.
    func isConfirmed(_ policy: DecisionPolicy, at now: Instant) -> Bool {
        count >= policy.confirmFixes && now - fix.time >= policy.confirmSeconds
    }
}
