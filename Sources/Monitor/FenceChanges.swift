import Geodesy
import Model

// Changes to a device that does not move: fences change around it, or its phone's system reports a region state.

extension TransitionEngine {
    /// Evaluates changed fences again by the device's newest fix. Visits to fences that are gone, or no longer apply to the device, end.
    ///
    /// The changes take effect in the device's own time: at its newest fix, or at the phone's later report.
    ///
    /// - Parameters:
    ///   - changed: The fences that are new or different; nil for all fences.
    ///   - removed: Fences that were deleted. Exits from them have the cause `fenceRemoved`.
    package func applyFenceChanges(
        changed: Set<FenceKey>?, removed: Set<FenceKey> = [], _ state: inout DeviceState, into out: inout [Transition]
    ) {
        guard let fix = state.newest else { return }
        beginMoment(out)
        state.safeRegion.clear()
        let observations = newestObservations(fix, state)
        let rules = state.sharedDevice
        for index in state.packedStates.indices.reversed() {
            let presence = state.fenceState(at: index)
            guard let position = fences.position(of: presence.fence), applies(position, rules) else {
                emitExit(presence, cause: removed.contains(presence.fence) ? .fenceRemoved : .fenceChanged, fix: fix, into: &out)
                state.setState(nil, of: presence.fence)
                continue
            }
            guard changed?.contains(presence.fence) ?? true else { continue }
            let isFirst = presence.visit == nil
            let policy = policy(position, state.policy)
            guard let observation = observations.first(where: { $0.applies(to: policy) }) else { continue }
            let terms = EffectiveAccuracy(policy, observation)
            // A pending transition was seen against the old shape, so it is dropped.
            switch evaluator.evaluate(position, of: fences, observation: observation, accuracy: terms, isFirst: isFirst).side {
            case .inside where isFirst:
                state.setState(emitFenceChangedEnter(presence.fence, around: fix, state, into: &out), pending: nil, at: index)
            case .outside:
                emitExit(presence, cause: .fenceChanged, fix: fix, into: &out)
                state.setState(nil, of: presence.fence)
            case .inside, .unsure:
                state.setState(
                    FenceState(fence: presence.fence, phase: isFirst ? .unknown : .inside, visit: presence.visit),
                    of: presence.fence)
            }
        }
        // As after a first fix, a coarse fix leaves the fences around it unknown.
        for observation in observations {
            for position in positions(near: observation.vector, radius: unknownRadius(observation, state.policy), of: changed) {
                let key = fences.packedFences[position].key
                guard changed?.contains(key) ?? true, applies(position, rules), !state.hasState(of: key) else {
                    continue
                }
                let terms = effectiveAccuracy(position: position, usual: state.policy, observation: observation)
                guard observation.applies(to: terms.policy) else { continue }
                switch evaluator.evaluate(position, of: fences, observation: observation, accuracy: terms, isFirst: true).side {
                case .inside: state.addState(emitFenceChangedEnter(key, around: fix, state, into: &out), pending: nil)
                case .unsure: state.setState(FenceState(fence: key, phase: .unknown), of: key)
                case .outside: break
                }
            }
        }
        updateFenceDeadline(&state)
        fireDeadlines(upTo: fix.time, &state, into: &out)
        sortTransitions(&out)
    }

    /// The indices of the fences that may reach into a sphere around a point.
    ///
    /// - Parameter changed: The fences to consider; nil for all. A few are considered one by one, because an edit of one fence concerns many
    ///   devices, and there may be many other fences around each.
    private func positions(near vector: EarthVector, radius: Double, of changed: Set<FenceKey>?) -> [Int] {
        guard let changed, changed.count <= Self.linearSearchLimit else {
            return fences.index.numbers(meeting: vector, radius: radius)
        }
        return changed.compactMap { fences.position(of: $0) }.filter { position in
            let fence = fences.packedFences[position]
            // One meter is more than all rounding errors.
            let reach = FenceSet.outsideChord(fence.radius) + radius + 1
            return vector.chordSquared(to: fence.center) <= reach * reach
        }
    }

    /// Replaces the device's description. When its groups change, the fences for groups are evaluated again as in `applyFenceChanges`.
    ///
    /// - Parameter policy: The store's policy; the device's overrides are applied to it.
    package func applyDeviceChange(
        _ device: Device, policy: DecisionPolicy, _ state: inout DeviceState, into out: inout [Transition]
    ) {
        let isRegrouped = device.groups != state.device.groups
        state = state.replacingDevice(device, policy: policy)
        applyFenceChanges(changed: isRegrouped ? fences.keysOfGroupFences : [], &state, into: &out)
    }

    /// The device's newest fix as observations. For a stationary device: one at its stay point, and one at the fix for fences whose policy
    /// ignores stay points.
    private func newestObservations(_ fix: Fix, _ state: DeviceState) -> [Observation] {
        guard let stay = state.settledStay else { return [Observation(fix, after: nil, confirmedAt: fix.time)] }
        return [.atStayPoint(fix, stay)] + (fences.hasPolicies ? [.ignoringStay(fix, after: nil)] : [])
    }

    private func emitFenceChangedEnter(_ fence: FenceKey, around fix: Fix, _ state: DeviceState, into out: inout [Transition])
        -> PackedFenceState
    {
        // An outlier candidate, which is newer, may already have caused enters.
        let moment = max(state.newestFixTime ?? fix.time, state.lastReport ?? fix.time)
        return emitEnter(
            PackedFenceState(fence, phase: .entering), shownBy: fix, at: moment, crossedAt: nil, confirmedAt: moment,
            cause: .fenceChanged, into: &out)
    }

    /// Applies what the phone's own system reports of a fence after the device's newest fix.
    ///
    /// Has no effect before the device's first fix, for a report older than the newest fix, if the state is already known, or for a fence
    /// that is inactive or does not apply to the device. Otherwise the report also drops an outlier candidate.
    package func reconcile(
        _ key: FenceKey, isInside: Bool, at moment: Instant, _ state: inout DeviceState, into out: inout [Transition]
    ) {
        guard let fix = state.newest, moment >= fix.time, let position = fences.position(of: key),
            applies(position, state.sharedDevice)
        else { return }
        let visit = state.fenceState(of: key)?.visit
        guard isInside != (visit != nil) else { return }
        // An earlier call may have applied a younger report.
        let moment = max(moment, state.lastReport ?? .earliest)
        out.append(
            Transition(
                type: isInside ? .enter : .exit, fence: key, occurredAt: moment, confirmedAt: moment, cause: .reconciled,
                fix: fix, visit: visit))
        let entered = FenceState(fence: key, phase: .inside, visit: .init(enteredAt: moment, cause: .reconciled))
        state.setState(isInside ? entered : nil, of: key)
        state.lastReport = moment
        state.outlierCandidate = nil
        state.safeRegion.clear()
        updateFenceDeadline(&state)
    }

    /// Ends all of a device's visits at its newest fix.
    package func endAllVisits(cause: Cause, _ state: inout DeviceState, into out: inout [Transition]) {
        guard let fix = state.newest else { return }
        beginMoment(out)
        for presence in state.fenceStates {
            emitExit(presence, cause: cause, fix: fix, into: &out)
            state.setState(nil, of: presence.fence)
        }
        sortTransitions(&out)
        state.safeRegion.clear()
        state.fenceDeadline = nil
    }

    private func emitExit(_ presence: FenceState, cause: Cause, fix: Fix, into out: inout [Transition]) {
        guard let visit = presence.visit else { return }
        // A visit that began with a phone's report may be younger than the newest fix.
        let moment = max(fix.time, visit.enteredAt)
        out.append(
            Transition(
                type: .exit, fence: presence.fence, occurredAt: moment, confirmedAt: moment, cause: cause, fix: fix,
                visit: visit))
    }
}
