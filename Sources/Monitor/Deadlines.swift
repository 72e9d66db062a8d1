import Model

// What happens to a device though no fix comes: confirmations and dwells fall due, and it falls silent.

extension TransitionEngine {
    /// Lets a device's time pass up to a moment (not included): pending changes that were seen too seldom are settled, dwells
    /// fall due, and a device that was not heard of for its `silentAfter` is silent. What fires is stamped with its deadline.
    ///
    /// It makes no difference in how many steps time passes.
    public func advance(before now: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
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

    /// Lets a device be alive at a moment at which it said nothing of where it is. Deadlines before it fire first.
    ///
    /// A device that was silent is back; dwells that its silence has kept waiting are told. Before the device's first fix nothing
    /// follows. A sign that is older than a deadline that has fired counts from there.
    public func heard(at moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        guard state.newest != nil else { return }
        advance(before: moment, &state, &out)
        let moment = max(moment, state.reached ?? moment)
        guard let heardAt = state.heardAt, let seen = state.newest, moment > heardAt else { return }
        note(lifeAt: moment, showedBy: seen, &state, &out)
        tellWaitingDwells(at: moment, &state, &out)
        renewDue(&state)
        order(&out)
    }

    /// Tells the dwells that a silence has kept waiting.
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

    /// Reckons anew when something happens to a device without a fix: after its policy, its patience with silence or a fence's
    /// dwell has changed.
    public func renewDeadline(_ state: inout DeviceState) {
        state.safeRegion.clear()
        renewDue(&state)
    }

    // MARK: - Silence

    /// Takes note that the device was alive; one that was silent is back.
    ///
    /// - Parameter fix: The last that was seen of it.
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
        // It has left where it stayed, and this was the last that it said. A jump is never believed alone.
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
        // Dwells wait: a device that has long been silent may be anywhere.
        renewDue(&state)
    }

    // MARK: - Confirmation and dwell

    /// Lets happen what is due at a device's own time or before: nothing can come between.
    func fire(upTo moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]) {
        while let due = state.due, due <= moment {
            beginMoment(out)
            fire(due, sure: moment, &state, &out)
        }
    }

    /// Lets happen what falls due at a moment.
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

    /// Reckons anew when something happens between the device and any fence though no fix comes.
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

    /// When something happens between the device and a fence though no fix comes.
    @inline(__always)
    private func due(_ standing: PackedFenceState, _ state: borrowing DeviceState) -> Instant? {
        guard standing.pending >= 0 || fences.hasDwells, let position = fences.position(of: standing.fence) else { return nil }
        if let pending = state.fenceStates.pending(standing) {
            return pending.deadline(policy(position, state.policy), newest: state.newest?.time)
        }
        return state.isUncertain ? nil : dwellDue(standing, position)
    }
}
