import Model

// What happens to a device without a fix: pending transitions are settled, dwells become due, and the device becomes silent.

extension TransitionEngine {
    /// Fires every deadline of a device before a moment: settles pending transitions, emits dwells that become due, and marks the
    /// device silent once its `silentAfter` has passed. Each transition is stamped with its deadline.
    ///
    /// The result does not depend on the number of steps in which time passes.
    ///
    /// - Parameter now: Deadlines at this moment do not fire yet.
    package func advance(before now: Instant, _ state: inout DeviceState, into out: inout [Transition]) {
        var latest = Instant.earliest
        while let next = state.deadline, next < now {
            latest = max(latest, next)
            beginMoment(out)
            let (isFence, isSilence) = (state.fenceDeadline == next, state.silenceAt == next)
            let passed = Instant(milliseconds: next.milliseconds + 1)
            state.deadlinesFiredBefore = max(state.deadlinesFiredBefore ?? passed, passed)
            if isFence { fireDeadlines(at: next, confirmedAt: latest, &state, into: &out) }
            if isSilence { becomeSilent(at: next, &state, into: &out) }
        }
        sortTransitions(&out)
    }

    /// The moment right after the last deadline that fires before a moment if no input comes; nil when none does.
    package func momentAfterDeadlines(before now: Instant, of state: DeviceState) -> Instant? {
        guard let first = state.deadline, first < now else { return nil }
        var state = state
        var transitions: [Transition] = []
        advance(before: now, &state, into: &transitions)
        return state.deadlinesFiredBefore
    }

    /// Records a sign of life that carries no position. Deadlines before it fire first.
    ///
    /// A silent device returns, and dwells that its silence held back are emitted. Nothing happens before the device's first fix. A sign
    /// that is older than a deadline that has fired is treated as if it came right after that deadline.
    package func recordSignOfLife(at moment: Instant, _ state: inout DeviceState, into out: inout [Transition]) {
        guard state.newest != nil else { return }
        advance(before: moment, &state, into: &out)
        let moment = max(moment, state.deadlinesFiredBefore ?? moment)
        guard let heardAt = state.lastHeard, let seen = state.newest, moment > heardAt else { return }
        recordLife(at: moment, fix: seen, &state, into: &out)
        emitOverdueDwells(at: moment, &state, into: &out)
        updateFenceDeadline(&state)
        sortTransitions(&out)
    }

    /// Emits the dwells that came due during a silence that has now ended.
    func emitOverdueDwells(at moment: Instant, _ state: inout DeviceState, into out: inout [Transition]) {
        guard fences.hasDwells, let seen = state.newest else { return }
        beginMoment(out)
        state.updatePositions(in: fences)
        for index in state.packedStates.indices {
            let standing = state.packedStates[index]
            guard standing.phase == .inside, !state.isUncertain(about: standing),
                let position = fences.position(of: standing.fence), isDwellDue(standing, position: position, at: moment)
            else { continue }
            state.setState(
                emitDwell(standing, at: moment, confirmedAt: moment, fix: seen, inferred: true, into: &out), pending: nil,
                at: index)
        }
    }

    // MARK: - Silence

    /// Records that the device was alive. A silent device returns.
    ///
    /// - Parameter fix: The device's newest fix, which the transition carries.
    func recordLife(at moment: Instant, fix: Fix, _ state: inout DeviceState, into out: inout [Transition]) {
        if state.isSilent {
            state.isSilent = false
            out.append(
                Transition(
                    type: .returned, fence: nil, occurredAt: moment, confirmedAt: moment, cause: .silence, fix: fix,
                    lastHeard: state.lastHeard))
        }
        state.lastHeard = state.lastHeard.map { max($0, moment) } ?? moment
    }

    private func becomeSilent(at moment: Instant, _ state: inout DeviceState, into out: inout [Transition]) {
        guard let seen = state.newest else { return }
        state.isSilent = true
        state.safeRegion.clear()
        out.append(
            Transition(
                type: .silent, fence: nil, occurredAt: moment, confirmedAt: moment, cause: .silence, inferred: true, fix: seen,
                lastHeard: state.lastHeard))
        // Dwells wait during a silence, because a silent device may be anywhere.
        updateFenceDeadline(&state)
    }

    // MARK: - Confirmation and dwell

    /// Fires every deadline between the device and its fences up to and including `moment`, which is the device's own time.
    func fireDeadlines(upTo moment: Instant, _ state: inout DeviceState, into out: inout [Transition]) {
        while let due = state.fenceDeadline, due <= moment {
            beginMoment(out)
            fireDeadlines(at: due, confirmedAt: moment, &state, into: &out)
        }
    }

    /// Fires the deadlines that become due exactly at `next`.
    ///
    /// - Parameter sure: The moment at which the transitions count as confirmed.
    private func fireDeadlines(
        at next: Instant, confirmedAt sure: Instant, _ state: inout DeviceState, into out: inout [Transition]
    ) {
        evaluateCandidate(at: next, confirmedAt: sure, &state, into: &out)
        state.updatePositions(in: fences)
        for index in state.packedStates.indices.reversed() where deadline(of: state.packedStates[index], in: state) == next {
            let standing = state.packedStates[index]
            if let pending = state.packedStates.pending(standing) {
                state.setState(
                    expire(standing, pending: pending, confirmedAt: sure, state: state, into: &out), pending: nil, at: index)
            } else if let seen = state.newest {
                state.setState(
                    emitDwell(standing, at: next, confirmedAt: sure, fix: seen, inferred: true, into: &out), pending: nil,
                    at: index)
            }
        }
        state.safeRegion.clear()
        updateFenceDeadline(&state)
    }

    /// Recomputes the earliest moment at which a pending transition or a dwell becomes due.
    package func updateFenceDeadline(_ state: inout DeviceState) {
        var next = candidateDeadline(state)
        guard state.hasPending || fences.hasDwells else {
            state.fenceDeadline = next
            return
        }
        for index in state.packedStates.indices {
            if let due = deadline(of: state.packedStates[index], in: state) { next = next.map { min($0, due) } ?? due }
        }
        state.fenceDeadline = next
    }

    /// Updates the earliest deadline when the newest fix is doubted, and nothing else has changed.
    ///
    /// - Parameter before: The time of the fix that was doubted before it.
    @inline(__always)
    func addCandidateDeadline(_ suspect: Fix, before: Instant?, _ state: inout DeviceState) {
        let next = suspect.time + DecisionPolicy.confirmationTimeout
        guard let due = state.fenceDeadline else {
            state.fenceDeadline = next
            return
        }
        // The deadline until now was that of a fence, unless it was that of the fix that was doubted before.
        if let before, due >= before + DecisionPolicy.confirmationTimeout { return updateFenceDeadline(&state) }
        state.fenceDeadline = min(due, next)
    }

    /// When the fence's pending transition or dwell becomes due; nil when neither will.
    @inline(__always)
    private func deadline(of standing: PackedFenceState, in state: borrowing DeviceState) -> Instant? {
        guard standing.pendingIndex >= 0 || fences.hasDwells, let position = fences.position(of: standing.fence) else {
            return nil
        }
        if let pending = state.packedStates.pending(standing) {
            return pending.deadline(
                policy(position, state.policy), hasNewer: state.hasNewer(than: pending), isExit: standing.phase == .exiting)
        }
        return state.isUncertain(about: standing) ? nil : dwellDeadline(standing, position: position)
    }
}
