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
    /// The fix before: the path into the fence, or out of it, began there.
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
    /// - Parameters:
    ///   - hasNewer: Whether fixes have come since; see `DeviceState.hasNewer(than:)`.
    ///   - isExit: Whether the transition is an exit. Outliers seldom lie in a fence, but an exit by a single fix waits for the next one as
    ///     long as the device's reports are apart.
    func deadline(_ policy: borrowing DecisionPolicy, hasNewer: Bool, isExit: Bool) -> Instant {
        if count >= policy.confirmFixes { return fix.time + min(policy.confirmSeconds, DecisionPolicy.confirmationTimeout) }
        if hasNewer { return fix.time + DecisionPolicy.pendingTimeout }
        return fix.time + (isExit ? Self.wait(after: before?.time, until: fix.time) : DecisionPolicy.confirmationTimeout)
    }

    /// Seconds after which a single fix counts that may be an outlier: as long as it takes until the next one usually comes, evaluated by
    /// the time since the fix before it.
    static func wait(after before: Instant?, until moment: Instant) -> Double {
        guard let before else { return DecisionPolicy.confirmationTimeout }
        return max(DecisionPolicy.confirmationTimeout, min(reportsWaitedFor * (moment - before), longestWait))
    }

    /// A single fix that shows an exit waits for the next one this many times as long as the fix before it was ago.
    private static let reportsWaitedFor = 1.5
    /// The longest such wait in seconds.
    private static let longestWait = 5400.0

    /// Whether enough fixes have shown the transition for long enough.
    func isConfirmed(_ policy: DecisionPolicy, at now: Instant) -> Bool {
        count >= policy.confirmFixes && now - fix.time >= policy.confirmSeconds
    }
}
