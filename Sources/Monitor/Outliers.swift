import Model

// Fixes that are believed only when a second fix agrees with them: fixes that imply too high a speed, and fixes away from the point where a
// device stays.

extension TransitionEngine {
    /// Evaluates a suspect fix that has turned out to be right.
    func acceptCandidate(
        _ suspect: Fix, reason doubt: Observation.OutlierReason, confirmedAt sure: Instant, _ state: inout DeviceState,
        into out: inout [Transition]
    ) {
        state.stay = nil
        state.stay = state.stayUpdate(of: suspect).stay
        state.outlierCandidate = nil
        // The path to an outlier is unknown, so no crossing is inferred.
        let before = doubt.impliedSpeed == 0 ? state.newest.flatMap { $0.time <= suspect.time ? $0 : nil } : nil
        evaluate(
            Observation(suspect, after: before, confirmedAt: sure, reason: doubt, isForDoubtingFences: true), &state, into: &out)
        // A coarse fix may have come since.
        if state.newest.map({ $0.time <= suspect.time }) ?? true { state.newest = suspect }
    }

    /// When a doubted fix may count although no other has come: after a minute in fences that the device has not entered, where outliers
    /// seldom lie, and for all fences after the wait for a single fix; nil when no fix is doubted. An outlier by its speed needs a second
    /// fix for the other fences.
    func candidateDeadline(_ state: borrowing DeviceState) -> Instant? {
        guard let suspect = state.outlierCandidate else { return nil }
        let first = suspect.time + DecisionPolicy.confirmationTimeout
        // A coarse fix may have come since.
        let isPast = state.deadlinesFiredBefore.map { $0 > first } ?? false || state.newest.map { $0.time >= first } ?? false
        if !isPast { return first }
        return endOfDoubt(about: suspect, state)
    }

    /// When a doubted fix counts wherever it lies; nil for an outlier by its speed, which needs a second fix.
    private func endOfDoubt(about suspect: Fix, _ state: borrowing DeviceState) -> Instant? {
        if outlierReason(of: suspect, state.stayUpdate(of: suspect), state).impliedSpeed > 0 { return nil }
        return suspect.time + PendingTransition.wait(after: state.stay?.last ?? state.newest?.time, until: suspect.time)
    }

    /// Evaluates the doubted fix at a deadline, when no fix has come that agrees with it or contradicts it.
    func evaluateCandidate(
        at deadline: Instant, confirmedAt sure: Instant, _ state: inout DeviceState, into out: inout [Transition]
    ) {
        guard let suspect = state.outlierCandidate else { return }
        let doubt = outlierReason(of: suspect, state.stayUpdate(of: suspect), state)
        if let end = endOfDoubt(about: suspect, state), end <= deadline {
            acceptCandidate(suspect, reason: doubt, confirmedAt: sure, &state, into: &out)
        } else if deadline == suspect.time + DecisionPolicy.confirmationTimeout {
            evaluateArrivals(
                Observation(suspect, after: nil, confirmedAt: sure, reason: doubt, isForDoubtingFences: true), &state, into: &out)
        }
    }

    /// Evaluates the doubted fix against the fences that the device has not entered. One that it lies certainly inside is entered.
    /// Each fence is decided alone, so that a replay of some fences gives the same.
    private func evaluateArrivals(_ observation: Observation, _ state: inout DeviceState, into out: inout [Transition]) {
        state.updatePositions(in: fences)
        for position in spheres.numbers(meeting: observation.vector, radius: 0) where applies(position, state.sharedDevice) {
            let terms = effectiveAccuracy(position: position, usual: state.policy, observation: observation)
            let side = evaluator.evaluate(position, of: fences, observation: observation, accuracy: terms, isFirst: false).side
            guard side == .inside, observation.applies(to: terms.policy) else { continue }
            let index = state.index(of: fences.packedFences[position].key)
            let known = index.map { state.packedStates[$0] }
            if known?.visit != nil { continue }
            var pending = known.flatMap { state.packedStates.pending($0) }
            let decided = decide(
                from: known, pending: &pending, side: side, at: position, observation: observation, policy: terms.policy,
                into: &out)
            if let index {
                state.setState(decided, pending: pending, at: index)
            } else if let decided {
                state.addState(decided, pending: pending)
            }
        }
    }

    /// The reasons why a fix is not believed before another fix agrees.
    @inline(__always)
    func outlierReason(of fix: Fix, _ stayUpdate: DeviceState.StayUpdate, _ state: borrowing DeviceState)
        -> Observation.OutlierReason
    {
        if stayUpdate.isStaying { return Observation.OutlierReason() }
        let speed = FixSpeed.withoutCoarse(
            impliedSpeed(from: state.newest, to: fix, over: state.policy.maxSpeed), from: state.newest, to: fix, state.policy)
        return Observation.OutlierReason(impliedSpeed: speed, isStaying: stayUpdate.isLeaving)
    }

    /// Whether a believed fix leaves open whether the device has left its stay point, as the doubted fix suggests. A coarse fix does, unless
    /// fixes come so often, before and after the doubted one, that a precise one will follow soon.
    @inline(never)
    func keepsCandidate(_ fix: Fix, _ state: borrowing DeviceState) -> Bool {
        guard state.isLeaving, fix.accuracyOrZero > state.policy.maxAccuracy, let suspect = state.outlierCandidate else {
            return false
        }
        guard let before = state.newest, before.time <= suspect.time else { return true }
        return max(suspect.time - before.time, fix.time - suspect.time) > DeviceState.frequent
    }

    /// Whether a second doubted fix agrees with the suspect one. Two outliers lie far apart from each other; a device that has
    /// left its stay point is still near after a few seconds. Without a fix from the stay point for `DecisionPolicy.patience`
    /// seconds, the device may have moved as fast as its policy allows.
    func confirms(candidate suspect: Fix, fix: Fix, reason doubt: Observation.OutlierReason, state: borrowing DeviceState) -> Bool
    {
        let isRecent = state.newest.map { fix.time - $0.time <= DecisionPolicy.confirmationTimeout } ?? false
        let most = state.policy.maxSpeed
        return impliedSpeed(
            from: suspect, to: fix, over: doubt.isStaying && isRecent ? min(most, DecisionPolicy.groundSpeed) : most)
            == 0
    }

    /// The lowest speed that two fixes imply, in meters per second over at least one second, if it exceeds a limit; else 0. See `FixSpeed`.
    func impliedSpeed(from before: Fix?, to fix: Fix, over limit: Double) -> Double {
        guard let before else { return 0 }
        // The exact speed matters only to fences' own policies.
        return FixSpeed.implied(from: before, to: fix, over: limit, isExact: fences.hasPolicies) { evaluator.vector($0) }
    }
}
