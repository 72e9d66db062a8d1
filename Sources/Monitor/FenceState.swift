import Model

/// What is known of one device and one fence. No state at all means outside.
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
public struct FenceState: Hashable, Sendable {
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

    public var fence: FenceKey
    public var phase: Phase
    /// Present while entering, exiting or passing.
    public var pending: PendingTransition?
    /// Present while inside or exiting.
    public var visit: OpenVisit?

    public init(fence: FenceKey, phase: Phase, pending: PendingTransition? = nil, visit: OpenVisit? = nil) {
        self.fence = fence
        self.phase = phase
        self.pending = pending
        self.visit = visit
    }
}

extension FenceState {
    public typealias Pending = PendingTransition
}

/// A `FenceState` as it is kept in memory, in 24 bytes instead of some 200: so a device with four of them takes 550 bytes and not 1,250, and
/// judging a fix reads one line of the processor's cache for two of them. What is pending, which is little and seldom, lies apart.
struct PackedFenceState: Sendable {
    var fence: FenceKey
    /// Where the fence stands in the set that the device was last judged by; −1 if nowhere.
    var position: Int32
    /// Whether the fence is a circle for everyone that has no policy of its own.
    var isPlain: Bool
    var phase: FenceState.Phase
    var cause: Cause
    var hasDwelt: Bool
    /// Where the transition that is pending is kept in `FenceStates`; −1 for none.
    var pending: Int32 = -1
    /// `Instant.earliest` when there is no visit.
    var enteredAt: Instant

    init(_ state: FenceState) {
        self.init(state.fence, state.phase, state.visit)
    }

    init(_ fence: FenceKey, at position: Int32 = -1, isPlain: Bool = false, _ phase: FenceState.Phase, _ visit: OpenVisit? = nil)
    {
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
