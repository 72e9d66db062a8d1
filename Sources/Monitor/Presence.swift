import Model

/// What is known of one device and one fence. No presence at all means outside.
///
/// ```
///                  inside                 confirmed
///        ┌──────────────────▶ entering ─────────────────▶ inside ◀────────┐
///        │                       │ ▲                        │             │ inside
///        │          outside      │ │ inside         outside │             │
///     outside ◀──────────────────┤ │                        ▼             │
///      │ ▲ ▲                     ▼ │                     exiting ─────────┘
///      │ │ └── outside again ── passing                     │
///      │ │     or confirmed        ▲                        │
///      │ └─────────────────────────┼─────── confirmed ──────┘
///      └───────── through it ──────┘
///
///     unknown ── first deciding fix ──▶ inside or outside
/// ```
///
/// In the band between certainly inside and certainly outside, nothing changes.
public struct Presence: Hashable, Sendable {
    public enum Phase: Int, Sendable {
        /// The device has reported, but not yet precisely enough for this fence.
        case unknown = 0
        /// Outside still; an enter is pending.
        case entering = 1
        case inside = 2
        /// Inside still; an exit is pending.
        case exiting = 3
        /// Outside again; the way led through, which is pending.
        case passing = 4
    }

    /// A change that has been seen and is not yet sure.
    public struct Pending: Hashable, Sendable {
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

    public var fence: FenceKey
    public var phase: Phase
    /// Present while entering, exiting or passing.
    public var pending: Pending?
    /// Present while inside or exiting.
    public var visit: OpenVisit?

    public init(fence: FenceKey, phase: Phase, pending: Pending? = nil, visit: OpenVisit? = nil) {
        self.fence = fence
        self.phase = phase
        self.pending = pending
        self.visit = visit
    }
}

/// A presence as it is kept in memory: 24 bytes; what is pending, which is little and seldom, lies apart.
struct Standing: Sendable {
    var fence: FenceKey
    /// Where the fence stands in the set that the device was last judged by; −1 if nowhere.
    var position: Int32
    /// Whether the fence is a circle for everyone that has no policy of its own.
    var isPlain: Bool
    var phase: Presence.Phase
    var cause: Cause
    var hasDwelt: Bool
    /// Where what is pending is in the device's `Pendings`.
    var pending = Pendings.none
    /// `Instant.earliest` when there is no visit.
    var enteredAt: Instant

    init(_ presence: Presence) {
        self.init(presence.fence, presence.phase, presence.visit)
    }

    init(_ fence: FenceKey, at position: Int32 = -1, isPlain: Bool = false, _ phase: Presence.Phase, _ visit: OpenVisit? = nil) {
        self.fence = fence
        self.position = position
        self.isPlain = isPlain
        self.phase = phase
        cause = visit?.cause ?? .moved
        hasDwelt = visit?.hasDwelt ?? false
        enteredAt = visit?.enteredAt ?? .earliest
    }

    var visit: OpenVisit? {
        switch phase {
        case .inside, .exiting: OpenVisit(enteredAt: enteredAt, cause: cause, hasDwelt: hasDwelt)
        case .unknown, .entering, .passing: nil
        }
    }
}
