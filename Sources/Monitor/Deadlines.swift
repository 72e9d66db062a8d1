import Model

// What happens to a device without a fix: pending transitions are settled, dwells fall due, and the device becomes silent.

extension TransitionEngine {
    /// Fires every deadline of a device before a moment: settles pending transitions, emits dwells that fall due, and marks the device
    /// silent once its `silentAfter` has passed. Each transition is stamped with its deadline.
    ///
    /// The result does not depend on the number of steps in which time passes.
    ///
    /// - Parameter now: Deadlines at this moment do not fire yet.
    package func advance(before now: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        var latest = Instant.earliest
        while let next = state.deadline, next < now {
            latest = max(latest, next)
            beginMoment(out)
            if state.due == next { fire(next, sure: latest, &state, &out) }
            if state.silenceAt == next { fallSilent(at: next, &state, &out) }
            let passed = Instant(milliseconds: next.milliseconds + 1)
            state.reached = max(state.reached ?? passed, passed)
        }
        order(&out)
    }

    /// Records a sign of life that carries no position. Deadlines before it fire first.
    ///
    /// A silent device returns, and dwells that its silence held back are emitted. Nothing happens before the device's first fix. A sign
    /// that is older than a deadline that has fired is treated as if it came right after that deadline.
    package func heard(at moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        guard state.newest != nil else { return }
        advance(before: moment, &state, &out)
        let moment = max(moment, state.reached ?? moment)
        guard let heardAt = state.heardAt, let seen = state.newest, moment > heardAt else { return }
        note(lifeAt: moment, showedBy: seen, &state, &out)
        tellWaitingDwells(at: moment, &state, &out)
        renewDue(&state)
        order(&out)
    }

    /// Emits the dwells that came due during a silence that has now ended.
    func tellWaitingDwells(at moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        guard fences.hasDwells, !state.isUncertain, let seen = state.newest else { return }
        beginMoment(out)
        state.locate(in: fences)
        for index in state.fenceStates.indices {
            let standing = state.fenceStates[index]
            guard standing.phase == .inside, let position = fences.position(of: standing.fence),
                isDwellDue(standing, position, at: moment)
            else { continue }
            state.put(dwell(standing, at: moment, sure: moment, seen, inferred: true, &out), nil, at: index)
        }
    }

    // MARK: - Silence

    /// Records that the device was alive. A silent device returns.
    ///
    /// - Parameter fix: The device's newest fix, which the transition carries.
    func note(lifeAt moment: Instant, showedBy fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        if state.isSilent {
            state.isSilent = false
            out.append(
                Transition(
                    type: .returned, fence: nil, occurredAt: moment, confirmedAt: moment, cause: .silence, fix: fix,
                    lastHeard: state.heardAt))
        }
        state.heardAt = state.heardAt.map { max($0, moment) } ?? moment
    }

    private func fallSilent(at moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        // A device that was leaving its stay point and then sent nothing more has left. A jump needs a second fix in any case.
        if let suspect = state.suspect {
            let doubt = doubt(of: suspect, state.stayUpdate(of: suspect), state)
            if doubt.isStaying, doubt.jump == 0 { believe(suspect, doubt, sure: moment, &state, &out) }
        }
        guard let seen = state.newest else { return }
        state.isSilent = true
        state.safeRegion.clear()
        out.append(
            Transition(
                type: .silent, fence: nil, occurredAt: moment, confirmedAt: moment, cause: .silence, inferred: true, fix: seen,
                lastHeard: state.heardAt))
        // Dwells wait during a silence, because a silent device may be anywhere.
        renewDue(&state)
    }

    // MARK: - Confirmation and dwell

    /// Fires every deadline between the device and its fences up to and including `moment`, which is the device's own time.
    func fire(upTo moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        while let due = state.due, due <= moment {
            beginMoment(out)
            fire(due, sure: moment, &state, &out)
        }
    }

    /// Fires the deadlines that fall due exactly at `next`.
    ///
    /// - Parameter sure: The moment at which the transitions count as confirmed.
    private func fire(_ next: Instant, sure: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        state.locate(in: fences)
        for index in state.fenceStates.indices.reversed() where due(state.fenceStates[index], state) == next {
            let standing = state.fenceStates[index]
            if let pending = state.fenceStates.pending(standing) {
                state.put(expire(standing, pending, sure: sure, state, &out), nil, at: index)
            } else if let seen = state.newest {
                state.put(dwell(standing, at: next, sure: sure, seen, inferred: true, &out), nil, at: index)
            }
        }
        state.safeRegion.clear()
        renewDue(&state)
    }

    /// Recomputes the earliest moment at which a pending transition or a dwell falls due.
    func renewDue(_ state: inout DeviceState) {
        guard state.hasPending || fences.hasDwells else {
            state.due = nil
            return
        }
        var next: Instant?
        for index in state.fenceStates.indices {
            if let due = due(state.fenceStates[index], state) { next = next.map { min($0, due) } ?? due }
        }
        state.due = next
    }

    /// When the fence's pending transition or dwell falls due; nil when neither will.
    @inline(__always)
    private func due(_ standing: PackedFenceState, _ state: borrowing DeviceState) -> Instant? {
        guard standing.pending >= 0 || fences.hasDwells, let position = fences.position(of: standing.fence) else { return nil }
        if let pending = state.fenceStates.pending(standing) {
            return pending.deadline(policy(position, state.policy), newest: state.newest?.time)
        }
        return state.isUncertain ? nil : dwellDue(standing, position)
    }
}
