import Model

/// One input of the engine about one device.
///
/// A device's state is a function of its inputs in order: the same inputs give the same state and the same transitions.
package enum Input: Sendable {
    /// A position that is not older than the device's newest.
    case fix(Fix)
    /// Geofences that are new or different, and those that were deleted. The engine's fence set must contain the changes already.
    case fences(changed: Set<FenceKey>, removed: Set<FenceKey>)
    /// The device's new description (groups, policy, silence), and the store's policy.
    case settings(Device, DecisionPolicy)
    /// A clock has reached a moment of the device's own time. Deadlines before the moment fire, those at the moment do not.
    case clock(Instant)
    /// A sign of life without a position.
    case signOfLife(Instant)
    /// The phone's own system reports that the device is inside or outside a geofence since a moment.
    case report(FenceKey, isInside: Bool, at: Instant)
}

extension TransitionEngine {
    /// Applies an input to a state and appends the transitions that follow. All changes to a device pass through here: live, in recovery
    /// after a crash, and in replays.
    package func apply(_ input: Input, to state: inout DeviceState, into out: inout [Transition]) {
        switch input {
        case .fix(let fix): observe(fix, &state, into: &out)
        case .fences(let changed, let removed): applyFenceChanges(changed: changed, removed: removed, &state, into: &out)
        case .settings(let device, let policy): applyDeviceChange(device, policy: policy, &state, into: &out)
        case .clock(let moment): advance(before: moment, &state, into: &out)
        case .signOfLife(let moment): recordSignOfLife(at: moment, &state, into: &out)
        case .report(let fence, let isInside, let moment):
            // Deadlines before the report fire first.
            advance(before: moment, &state, into: &out)
            reconcile(fence, isInside: isInside, at: moment, &state, into: &out)
        }
    }
}
