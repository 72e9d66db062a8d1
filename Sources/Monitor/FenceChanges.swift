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
    package func adopt(
        changed: Set<FenceKey>?, removed: Set<FenceKey> = [], _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        guard let fix = state.newest else { return }
        beginMoment(out)
        state.safeRegion.clear()
        let observations = observations(fix, state)
        let rules = state.rules
        for index in state.fenceStates.indices.reversed() {
            let presence = state.presence(at: index)
            guard let position = fences.position(of: presence.fence), applies(position, rules) else {
                leave(presence, removed.contains(presence.fence) ? .fenceRemoved : .fenceChanged, fix, &out)
                state.put(nil, of: presence.fence)
                continue
            }
            guard changed?.contains(presence.fence) ?? true else { continue }
            let isFirst = presence.visit == nil
            let policy = policy(position, state.policy)
            guard let observation = observations.first(where: { $0.concerns(policy) }) else { continue }
            let terms = EffectiveAccuracy(policy, accuracy: observation.accuracy)
            // A pending transition was seen against the old shape, so it is dropped.
            switch evaluator.reading(position, of: fences, observation, terms, isFirst: isFirst).verdict {
            case .inside where isFirst: state.put(enter(presence.fence, around: fix, state, &out), nil, at: index)
            case .outside:
                leave(presence, .fenceChanged, fix, &out)
                state.put(nil, of: presence.fence)
            case .inside, .unsure:
                state.put(
                    FenceState(fence: presence.fence, phase: isFirst ? .unknown : .inside, visit: presence.visit),
                    of: presence.fence)
            }
        }
        // As after a first fix, a coarse fix leaves the fences around it unknown.
        let known = state.crowd
        for observation in observations {
            for position in fences.index.numbers(meeting: observation.vector, reach(observation, state.policy)) {
                let key = fences.places[position].key
                guard changed?.contains(key) ?? true, applies(position, rules), !state.knows(key, among: known) else { continue }
                let terms = terms(position, state.policy, observation)
                guard observation.concerns(terms.policy) else { continue }
                switch evaluator.reading(position, of: fences, observation, terms, isFirst: true).verdict {
                case .inside: state.add(enter(key, around: fix, state, &out), nil)
                case .unsure: state.put(FenceState(fence: key, phase: .unknown), of: key)
                case .outside: break
                }
            }
        }
        renewDue(&state)
        fire(upTo: fix.time, &state, &out)
        order(&out)
    }

    /// Replaces the device's description. When its groups change, the fences for groups are evaluated again as in `adopt(changed:)`.
    ///
    /// - Parameter policy: The store's policy; the device's overrides are applied to it.
    package func adopt(_ device: Device, policy: DecisionPolicy, _ state: inout DeviceState, _ out: inout [Transition]) {
        let isRegrouped = device.groups != state.device.groups
        state = state.with(device, policy: policy)
        adopt(changed: isRegrouped ? fences.keysForGroups : [], &state, &out)
    }

    /// The device's newest fix as observations: at the stay point for a device that stays, and at the fix for fences that ignore stays.
    private func observations(_ fix: Fix, _ state: DeviceState) -> [Observation] {
        guard let stay = state.settled else { return [Observation(fix, after: nil, sure: fix.time)] }
        return [.byStay(fix, stay)] + (fences.hasPolicies ? [.despiteStay(fix, after: nil)] : [])
    }

    private func enter(_ fence: FenceKey, around fix: Fix, _ state: DeviceState, _ out: inout [Transition]) -> PackedFenceState {
        let moment = max(fix.time, state.reportedAt ?? fix.time)
        return enter(PackedFenceState(fence, .entering), fix, at: moment, nil, sure: moment, .fenceChanged, &out)
    }

    /// Applies what the phone's own system reports of a fence after the device's newest fix.
    ///
    /// Nothing happens when the state is known already, before the device's first fix, or for a fence that is inactive or does not apply to
    /// the device. The report supersedes a suspect fix, which is dropped.
    package func reconcile(
        _ key: FenceKey, isInside: Bool, at moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        guard let fix = state.newest, moment >= fix.time, let position = fences.position(of: key), applies(position, state.rules)
        else { return }
        let visit = state.presence(key)?.visit
        guard isInside != (visit != nil) else { return }
        // An earlier call may have applied a younger report.
        let moment = max(moment, state.reportedAt ?? .earliest)
        out.append(
            Transition(
                type: isInside ? .enter : .exit, fence: key, occurredAt: moment, confirmedAt: moment, cause: .reconciled,
                fix: fix, visit: visit))
        let entered = FenceState(fence: key, phase: .inside, visit: .init(enteredAt: moment, cause: .reconciled))
        state.put(isInside ? entered : nil, of: key)
        state.reportedAt = moment
        state.suspect = nil
        state.safeRegion.clear()
        renewDue(&state)
    }

    /// Ends all of a device's visits at its newest fix.
    package func leaveAll(_ cause: Cause, _ state: inout DeviceState, _ out: inout [Transition]) {
        guard let fix = state.newest else { return }
        beginMoment(out)
        for presence in state.presences {
            leave(presence, cause, fix, &out)
            state.put(nil, of: presence.fence)
        }
        order(&out)
        state.safeRegion.clear()
        state.due = nil
    }

    private func leave(_ presence: FenceState, _ cause: Cause, _ fix: Fix, _ out: inout [Transition]) {
        guard let visit = presence.visit else { return }
        // A visit that began with a phone's report may be younger than the newest fix.
        let moment = max(fix.time, visit.enteredAt)
        out.append(
            Transition(
                type: .exit, fence: presence.fence, occurredAt: moment, confirmedAt: moment, cause: cause, fix: fix,
                visit: visit))
    }
}
