import CPrefetch
import Geodesy
import Model

/// Decides who entered, left and stayed: `(state, fix) → transitions`.
///
/// The engine does no I/O and has no clock and no randomness: decisions depend only on fences, policies, states and inputs. An engine
/// belongs to one thread, because its GEOS context does. Several engines can share the work by device.
package final class TransitionEngine {
    /// The caller may change the set between calls. Then it calls `applyFenceChanges` for the devices that a changed fence concerns.
    package let fences: FenceSet
    let evaluator = FenceEvaluator()
    /// The fences that may contain the current observation.
    let candidates = SharedBuffer<SphereIndex.Candidate>()
    /// The fences that the device has left with the current observation.
    let endedFences = SharedBuffer<FenceKey>()
    /// Where each moment begins among the transitions of the current call; see `order`.
    let moments = SharedBuffer<Int32>()
    /// Storage for sorting; see `order`.
    let sortKeys = SharedBuffer<SortKey>()

    /// The index of `fences`. Kept here because access through another object retains and releases it, which costs 10 ns per evaluated fix.
    let spheres: SphereIndex

    package init(fences: FenceSet) {
        self.fences = fences
        spheres = fences.index
    }

    /// Evaluates a fix that is not older than the device's newest. Deadlines before the fix fire first.
    ///
    /// Transitions are appended to `out`: first those of deadlines in order of time, then those of the fix, then those of deadlines at the
    /// fix's own time. At one moment the order is: return from silence, passes through fences, exits, enters, dwells, silence; each by
    /// geofence id. After the call no deadline at or before the fix's time is left.
    package func observe(_ fix: Fix, _ state: inout DeviceState, into out: inout [Transition]) {
        if unsafe !state.staysInSafeRegion(fix, among: fences.stamp) { evaluateFix(fix, &state, into: &out) }
    }

    /// Evaluates a fix outside the safe region.
    @inline(never)
    private func evaluateFix(_ fix: Fix, _ state: inout DeviceState, into out: inout [Transition]) {
        if state.hasDeadline(before: fix.time) { advance(before: fix.time, &state, into: &out) }
        beginMoment(out)
        let wasSilent = state.isSilent
        let suspectBefore = state.outlierCandidate?.time
        let wasLeaving = state.isLeaving
        let seen = state.newest?.time
        recordLife(at: fix.time, fix: fix, &state, into: &out)
        state.safeRegion.clear()

        let stayUpdate = state.stayUpdate(of: fix)
        let doubt = outlierReason(of: fix, stayUpdate, state)
        if doubt.isNone {
            if suspectBefore != nil, keepsCandidate(fix, state) {
                // Nothing is decided after the doubted fix before its doubt ends, because what that fix shows is dated back to it.
                evaluateUndoubting(fix, &state, into: &out)
            } else {
                state.outlierCandidate = nil
                evaluateBelieved(fix, stay: stayUpdate, &state, into: &out)
            }
        } else if let suspect = state.outlierCandidate, confirms(candidate: suspect, fix: fix, reason: doubt, state: state) {
            // This fix agrees with the suspect one.
            beginMoment(out)
            let first = self.outlierReason(of: suspect, state.stayUpdate(of: suspect), state)
            acceptCandidate(suspect, reason: first, confirmedAt: fix.time, &state, into: &out)
            evaluateBelieved(fix, stay: state.stayUpdate(of: fix), &state, into: &out)
        } else {
            if fences.hasPolicies {
                beginMoment(out)
                evaluate(Observation(fix, after: state.newest, confirmedAt: fix.time, reason: doubt), &state, into: &out)
            }
            state.outlierCandidate = fix
        }
        // The silence has ended: emit dwells that came due during it.
        if wasSilent { emitOverdueDwells(at: fix.time, &state, into: &out) }
        // A pending transition waits longer once newer fixes have come.
        let isNewer = state.hasPending && state.newest?.time != seen
        if wasSilent || state.isFenceDeadlineStale || isNewer || wasLeaving != state.isLeaving {
            updateFenceDeadline(&state)
        } else if suspectBefore != state.outlierCandidate?.time {
            if state.outlierCandidate != nil {
                addCandidateDeadline(fix, before: suspectBefore, &state)
            } else {
                updateFenceDeadline(&state)
            }
        }
        fireDeadlines(upTo: fix.time, &state, into: &out)
        sortTransitions(&out)
    }

    /// Evaluates a coarse fix that leaves a doubt open, against the fences that do not share the doubt.
    @inline(never)
    private func evaluateUndoubting(_ fix: Fix, _ state: inout DeviceState, into out: inout [Transition]) {
        if fences.hasPolicies {
            beginMoment(out)
            evaluate(.ignoringStay(fix, after: state.newest), &state, into: &out)
        }
        state.newest = fix
    }

    /// Evaluates a fix that is believed, at its own position or at the stay point.
    @inline(__always)
    private func evaluateBelieved(
        _ fix: Fix, stay stayUpdate: DeviceState.StayUpdate, _ state: inout DeviceState, into out: inout [Transition]
    ) {
        beginMoment(out)
        // Evaluating the suspect fix just before may have set a safe region.
        state.safeRegion.clear()
        state.stay = stayUpdate.stay
        if stayUpdate.isStaying {
            // Movement around the stay point is noise. Fences that do not use stays are evaluated at the fix's own position.
            if fences.hasPolicies { evaluate(.ignoringStay(fix, after: state.newest), &state, into: &out) }
            evaluate(.atStayPoint(fix, stayUpdate.stay), &state, into: &out)
        } else {
            evaluate(
                Observation(fix, vector: evaluator.vector(fix.coordinate), after: state.newest, confirmedAt: fix.time), &state,
                into: &out)
        }
        state.newest = fix
    }

    /// Evaluates an observation against every fence that it may concern.
    func evaluate(_ observation: Observation, _ state: inout DeviceState, into out: inout [Transition]) {
        let isFirst = state.newest == nil
        let terms = EffectiveAccuracy(state.policy, observation)
        // Meters that the device may move before any state can change.
        var room = unsafe min(terms.policy.maxSpeed, fences.lowestMaxSpeed) / 2
        state.updatePositions(in: fences)
        // Prefetch everything at once, so that memory latencies overlap.
        prefetchFences(of: state)
        candidates.removeAll()
        endedFences.removeAll()
        let leg = pathLength(observation, state.policy)
        let around = spheres.search(observation.vector, nearby: leg, into: candidates)
        prefetchFences(candidates: candidates)
        let crowd = candidates.count <= Self.linearSearchLimit ? nil : candidateIndices()
        // Backward, because the last state takes the index of a removed one.
        var index = state.packedStates.count
        while index > 0 {
            index -= 1
            let standing = state.packedStates[index]
            if standing.position < 0 { continue }
            let hit = removeCandidate(standing.position, crowd)
            // The device was in this circle and is certainly still inside: nothing to evaluate.
            if standing.phase == .inside, let hit, hit.beyond < 0, standing.isPlain, !fences.hasDwells {
                room = min(room, Double(-hit.beyond))
                continue
            }
            let position = Int(standing.position)
            if standing.isPlain {
                room = min(
                    room,
                    evaluateKnown(index: index, position: position, observation: observation, accuracy: terms, &state, into: &out)
                )
            } else {
                room = min(
                    room,
                    evaluateKnown(
                        index: index, position: position, observation: observation,
                        accuracy: self.effectiveAccuracy(position: position, usual: state.policy, observation: observation),
                        &state, into: &out))
            }
        }

        // Whether a candidate is left whose sphere may contain the position, although the device was outside that fence.
        var isBeside = false
        for index in candidates.indices where candidates[index].number >= 0 && !candidates[index].isOutside {
            let position = Int(candidates[index].number)
            isBeside = true
            if fences.isPlain(position) {
                room = min(
                    room,
                    evaluateNew(
                        position: position, observation: observation, accuracy: terms, isFirst: isFirst, &state, into: &out))
            } else if applies(position, state.sharedDevice) {
                let terms = self.effectiveAccuracy(position: position, usual: state.policy, observation: observation)
                room = min(
                    room,
                    evaluateNew(
                        position: position, observation: observation, accuracy: terms, isFirst: isFirst, &state, into: &out))
            }
        }
        if let before = observation.previousFix {
            if leg > 0, isBeside || leg > around.freeDistance {
                findPassThroughs(observation, since: before, length: leg, known: around.searchedDistance, &state, into: &out)
            }
        } else if isFirst, observation.accuracy > 0 {
            // A coarse first fix leaves the fences around it unknown, including those that do not contain it.
            for position in spheres.numbers(meeting: observation.vector, radius: unknownRadius(observation, state.policy)) {
                guard !state.hasState(of: fences.packedFences[position].key), applies(position, state.sharedDevice)
                else { continue }
                let terms = self.effectiveAccuracy(position: position, usual: state.policy, observation: observation)
                room = min(
                    room,
                    evaluateNew(position: position, observation: observation, accuracy: terms, isFirst: true, &state, into: &out))
            }
        }
        // When fences are evaluated at two different positions, no safe region is valid for both.
        let isDivided = fences.hasPolicies && (observation.isForDoubtingFences || state.settledStay != nil)
        // A coarse fix leaves a stay as it is. The next precise one is evaluated at the stay point, which needs less of an exit margin.
        guard !isDivided, observation.isMean == (state.settledStay != nil),
            observation.outlierReason.isNone || observation.isForDoubtingFences && observation.outlierReason.impliedSpeed == 0,
            !state.hasPending
        else { return }
        state.safeRegion.set(around: observation.place, observation.vector, radius: min(room, around.freeDistance), of: fences)
    }

    /// Removes a fence from the candidates and returns its candidate, if there is one.
    @inline(__always)
    private func removeCandidate(_ position: Int32, _ crowd: [Int32: Int]?) -> SphereIndex.Candidate? {
        if let crowd {
            guard let index = crowd[position] else { return nil }
            defer { candidates[index].number = -1 }
            return candidates[index]
        }
        for index in candidates.indices where candidates[index].number == position {
            defer { candidates[index].number = -1 }
            return candidates[index]
        }
        return nil
    }

    /// The index of each candidate by its number, for when a linear search would be slow.
    private func candidateIndices() -> [Int32: Int] {
        Dictionary(uniqueKeysWithValues: candidates.indices.lazy.map { [candidates] in (candidates[$0].number, $0) })
    }

    static let linearSearchLimit = 64

    /// Evaluates an observation against a fence that has a state.
    ///
    /// - Returns: Meters that the device may move before the fence's state can change.
    private func evaluateKnown(
        index: Int, position: Int, observation: Observation, accuracy terms: EffectiveAccuracy, _ state: inout DeviceState,
        into out: inout [Transition]
    ) -> Double {
        guard observation.applies(to: terms.policy) else { return .infinity }
        let standing = state.packedStates[index]
        let reading = evaluator.evaluate(
            position, of: fences, observation: observation, accuracy: terms, isFirst: standing.phase == .unknown)
        if standing.phase == .inside, reading.side != .outside,
            !isDwellDue(standing, position: position, at: observation.fix.time)
        {
            return reading.distanceBeforeExit
        }
        var pending = state.packedStates.pending(standing)
        let decided = decide(
            from: standing, pending: &pending, side: reading.side, at: position, observation: observation, policy: terms.policy,
            into: &out)
        if decided == nil { endedFences.append(standing.fence) }
        state.setState(decided, pending: pending, at: index)
        return Self.distanceBeforeChange(decided, reading)
    }

    /// Evaluates an observation against a fence that the device has been outside of.
    ///
    /// - Returns: Meters that the device may move before the fence's state can change.
    @inline(__always)
    private func evaluateNew(
        position: Int, observation: Observation, accuracy terms: EffectiveAccuracy, isFirst: Bool, _ state: inout DeviceState,
        into out: inout [Transition]
    ) -> Double {
        guard observation.applies(to: terms.policy) else { return 0 }
        let reading = evaluator.evaluate(position, of: fences, observation: observation, accuracy: terms, isFirst: isFirst)
        if reading.side == .outside || reading.side == .unsure && !isFirst { return max(0, reading.distanceBeforeEnter) }
        var pending: PendingTransition?
        let known = isFirst ? newState(position, .unknown) : nil
        let decided = decide(
            from: known, pending: &pending, side: reading.side, at: position, observation: observation, policy: terms.policy,
            into: &out)
        if let decided { state.addState(decided, pending: pending) }
        return Self.distanceBeforeChange(decided, reading)
    }

    /// A new state of the fence at a position.
    func newState(_ position: Int, _ phase: FenceState.Phase) -> PackedFenceState {
        let place = fences.packedFences[position]
        return PackedFenceState(place.key, at: Int32(position), isPlain: place.traits < 0, phase: phase)
    }

    /// Meters that the device may move before the fence's state can change.
    private static func distanceBeforeChange(_ standing: PackedFenceState?, _ reading: FenceReading) -> Double {
        switch standing?.phase {
        case nil: max(0, reading.distanceBeforeEnter)
        case .inside: max(0, reading.distanceBeforeExit)
        case .unknown, .entering, .exiting, .passing: 0
        }
    }

    /// Prefetches what an evaluation reads of the fences that have a state.
    @inline(__always)
    private func prefetchFences(of state: borrowing DeviceState) {
        for index in state.packedStates.indices where state.packedStates[index].position >= 0 {
            unsafe prefetch(fences.packedFences.address(of: Int(state.packedStates[index].position)))
        }
    }

    @inline(__always)
    private func prefetchFences(candidates: SharedBuffer<SphereIndex.Candidate>) {
        for index in candidates.indices { unsafe prefetch(fences.packedFences.address(of: Int(candidates[index].number))) }
    }

    // MARK: - Policies

    @inline(__always)
    func policy(_ position: Int, _ usual: DecisionPolicy) -> DecisionPolicy {
        if fences.isPlain(position) { return usual }
        return fences.traits(position)?.policy.applied(to: usual) ?? usual
    }

    /// The effective accuracy of an observation under a fence's policy.
    @inline(never)
    func effectiveAccuracy(position: Int, usual: DecisionPolicy, observation: Observation) -> EffectiveAccuracy {
        EffectiveAccuracy(policy(position, usual), observation)
    }

    @inline(__always)
    func applies(_ position: Int, _ rules: DeviceState.SharedDevice) -> Bool {
        if fences.isPlain(position) { return true }
        return fences.traits(position)?.applies(to: rules.device) ?? true
    }

    /// Radius in meters around an observation within which a fence may be left unknown.
    func unknownRadius(_ observation: Observation, _ policy: DecisionPolicy) -> Double {
        guard observation.accuracy > 0 else { return 0 }
        return unsafe EffectiveAccuracy.unconfirmedFactor * observation.accuracy
            + max(policy.exitMargin.maximum, fences.widestExitMargin)
    }
}
