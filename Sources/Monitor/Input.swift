import Model

/// Something that the engine is told about one device.
///
/// Whatever a device's state is, it has come of inputs alone, one after the other: the same inputs give the same state and the same
/// transitions.
public enum Input: Sendable {
    /// A position that is no older than the device's newest.
    case fix(Fix)
    /// Geofences that are new or different, and those that were deleted; the engine's set has changed already.
    case fences(changed: Set<FenceKey>, removed: Set<FenceKey>)
    /// The device's groups, policy or patience with silence are others now, over the store's policy.
    case rules(Device, DecisionPolicy)
    /// Time has passed up to a moment (not included), by a clock, in the device's own time.
    case clock(Instant)
    /// The device was alive at a moment, and said nothing of where it was.
    case life(Instant)
    /// The phone itself knows since a moment whether it is in a geofence.
    case report(FenceKey, isInside: Bool, at: Instant)
}

extension TransitionEngine {
    /// Lets a state become what an input makes of it. Everything that happens to a device comes through here: live, after a crash and in
    /// every replay.
    public func apply(_ input: Input, _ state: inout DeviceState, _ out: inout [Transition]) {
        switch input {
        case .fix(let fix): observe(fix, &state, &out)
        case .fences(let changed, let removed): adopt(changed: changed, removed: removed, &state, &out)
        case .rules(let device, let policy): adopt(device, policy: policy, &state, &out)
        case .clock(let moment): advance(before: moment, &state, &out)
        case .life(let moment): heard(at: moment, &state, &out)
        case .report(let fence, let isInside, let moment):
            // What fell due before comes first.
            advance(before: moment, &state, &out)
            reconcile(fence, isInside: isInside, at: moment, &state, &out)
        }
    }
}
