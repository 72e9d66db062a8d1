import Model

/// The state of one device in one fence. A device without a state is outside.
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
/// In the uncertain zone between certainly inside and certainly outside, the state does not change.
package struct FenceState: Hashable, Sendable {
    /// The phase of a device in a fence. The raw values are stored.
    package enum Phase: Int, Sendable {
        /// The device has reported, but not precisely enough to decide for this fence.
        case unknown = 0
        /// Still outside; an enter is pending.
        case entering = 1
        case inside = 2
        /// Still inside; an exit is pending.
        case exiting = 3
        /// Outside again; an enter and an exit by a path through the fence are pending.
        case passing = 4
    }

    package var fence: FenceKey
    package var phase: Phase
    /// Present while entering, exiting or passing.
    package var pending: PendingTransition?
    /// Present while inside or exiting.
    package var visit: OpenVisit?

    package init(fence: FenceKey, phase: Phase, pending: PendingTransition? = nil, visit: OpenVisit? = nil) {
        self.fence = fence
        self.phase = phase
        self.pending = pending
        self.visit = visit
    }
}

extension FenceState {
    package typealias Pending = PendingTransition
}

/// A `FenceState` in memory: 24 bytes instead of about 200. A device with four of them takes 550 bytes instead of 1,250, and one
/// cache line holds two. Pending transitions, which are rare, are stored separately.
struct PackedFenceState: Sendable {
    var fence: FenceKey
    /// The fence's position in the set that last evaluated the device; −1 for none.
    var position: Int32
    /// Whether the fence is only a circle; see `FenceSet.isPlain(_:)`.
    var isPlain: Bool
    var phase: FenceState.Phase
    var cause: Cause
    var hasDwelt: Bool
    /// Index of the pending transition in `FenceStates`; −1 for none.
    var pendingIndex: Int32 = -1
    /// `Instant.earliest` while there is no visit.
    var enteredAt: Instant

    init(_ state: FenceState) {
        self.init(state.fence, phase: state.phase, visit: state.visit)
    }

    init(_ fence: FenceKey, at position: Int32 = -1, isPlain: Bool = false, phase: FenceState.Phase, visit: OpenVisit? = nil) {
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
