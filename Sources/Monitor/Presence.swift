import Model

/// What is known of one device and one fence. No presence at all means outside.
///
/// ```
///              certainly inside                 confirmed
///   outside ───────────────────▶ entering ───────────────────▶ inside
///      ▲ ▲                          │                          ▲   │
///      │ └──── certainly outside ───┘      certainly inside    │   │ certainly outside
///      │                                ┌──────────────────────┘   ▼
///      └──────────── confirmed ─────── exiting ◀───────────────────┘
///
///   unknown ── first deciding fix ──▶ inside or outside
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
    }

    /// A change that has been seen and is not yet sure.
    public struct Pending: Hashable, Sendable {
        /// The first fix that showed it.
        public var fix: Fix
        /// How many fixes have shown it.
        public var count: Int
        public var crossedAt: Instant?

        public init(fix: Fix, count: Int, crossedAt: Instant?) {
            self.fix = fix
            self.count = count
            self.crossedAt = crossedAt
        }

        /// When it is confirmed if nothing contradicts it.
        func deadline(_ policy: DecisionPolicy) -> Instant {
            let wait =
                count >= policy.confirmFixes ? min(policy.confirmSeconds, DecisionPolicy.patience) : DecisionPolicy.patience
            return fix.time + wait
        }

        /// Whether enough fixes have shown it for long enough at a moment.
        func isConfirmed(_ policy: DecisionPolicy, at now: Instant) -> Bool {
            count >= policy.confirmFixes && now - fix.time >= policy.confirmSeconds
        }
    }

    public var fence: FenceKey
    public var phase: Phase
    /// Present while entering or exiting.
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
