import CPrefetch
import Geodesy
import Model

/// Decides who entered, left and stayed: `(state, fix) → transitions`.
///
/// The engine does no I/O and has no clock and no randomness: decisions depend only on fences, policies, states and inputs. An engine
/// belongs to one thread, because its GEOS context does. Several engines can share the work by device.
package final class TransitionEngine {
    /// The caller may change the set between calls. Then it calls `adopt` for the devices that a changed fence concerns.
    package let fences: FenceSet
    let evaluator = FenceEvaluator()
    /// The fences that may contain the current observation.
    let candidates = SharedBuffer<SphereIndex.Candidate>()
    /// The fences that the device has left with the current observation.
    let ended = SharedBuffer<FenceKey>()
    /// Where each moment begins among the transitions of the current call; see `order`.
    let moments = SharedBuffer<Int32>()
    /// Storage for sorting; see `order`.
    let ranks = SharedBuffer<Rank>()

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
    package func observe(_ fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        if unsafe !state.staysInSafeRegion(fix, among: fences.stamp) { examine(fix, &state, &out) }
    }

    /// Evaluates a fix outside the safe region.
    @inline(never)
    private func examine(_ fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        if state.isDue(before: fix.time) { advance(before: fix.time, &state, &out) }
        beginMoment(out)
        let wasSilent = state.isSilent
        let wasLeaving = state.isLeaving
        let seen = state.newest?.time
        note(lifeAt: fix.time, showedBy: fix, &state, &out)
        state.safeRegion.clear()

        let stayUpdate = state.stayUpdate(of: fix)
        let doubt = doubt(of: fix, stayUpdate, state)
        if doubt.isNone {
            state.suspect = nil
            accept(fix, stayUpdate, &state, &out)
        } else if let suspect = state.suspect, agree(suspect, fix, doubt, state) {
            // This fix agrees with the suspect one.
            beginMoment(out)
            let first = self.doubt(of: suspect, state.stayUpdate(of: suspect), state)
            believe(suspect, first, sure: fix.time, &state, &out)
            accept(fix, state.stayUpdate(of: fix), &state, &out)
        } else {
            if fences.hasPolicies {
                beginMoment(out)
                judge(Observation(fix, after: state.newest, sure: fix.time, doubt), &state, &out)
            }
            state.suspect = fix
        }
        // The silence has ended: emit dwells that came due during it.
        if wasSilent { tellWaitingDwells(at: fix.time, &state, &out) }
        // A pending transition waits longer once newer fixes have come.
        let isNewer = state.hasPending && state.newest?.time != seen
        if wasSilent || state.isDueStale || isNewer || wasLeaving != state.isLeaving { renewDue(&state) }
        fire(upTo: fix.time, &state, &out)
        order(&out)
    }

    /// Evaluates a fix that is believed, at its own position or at the stay point.
    private func accept(_ fix: Fix, _ stayUpdate: DeviceState.StayUpdate, _ state: inout DeviceState, _ out: inout [Transition]) {
        beginMoment(out)
        // Evaluating the suspect fix just before may have set a safe region.
        state.safeRegion.clear()
        state.stay = stayUpdate.stay
        if stayUpdate.isStaying {
            // Movement around the stay point is noise. Fences that do not use stays are evaluated at the fix's own position.
            if fences.hasPolicies { judge(.despiteStay(fix, after: state.newest), &state, &out) }
            judge(.byStay(fix, stayUpdate.stay), &state, &out)
        } else {
            judge(Observation(fix, vector: evaluator.vector(fix.coordinate), after: state.newest, sure: fix.time), &state, &out)
        }
        state.newest = fix
    }

    /// Evaluates an observation against every fence that it may concern.
    func judge(_ observation: Observation, _ state: inout DeviceState, _ out: inout [Transition]) {
        let isFirst = state.newest == nil
        let terms = EffectiveAccuracy(state.policy, accuracy: observation.accuracy)
        // Meters that the device may move before any state can change.
        var room = unsafe min(terms.policy.maxSpeed, fences.leastSpeed) / 2
        state.locate(in: fences)
        // Prefetch everything at once, so that memory latencies overlap.
        fetch(state)
        candidates.removeAll()
        ended.removeAll()
        let leg = passageLength(observation, state.policy)
        let around = spheres.search(observation.vector, nearby: leg, candidates)
        fetch(candidates)
        let crowd = candidates.count <= Self.few ? nil : hitsByNumber()
        // Backward, because the last state takes the index of a removed one.
        var index = state.fenceStates.count
        while index > 0 {
            index -= 1
            let standing = state.fenceStates[index]
            if standing.position < 0 { continue }
            let hit = strike(standing.position, crowd)
            // The device was in this circle and is certainly still inside: nothing to evaluate.
            if standing.phase == .inside, let hit, hit.beyond < 0, standing.isPlain, !fences.hasDwells {
                room = min(room, Double(-hit.beyond))
                continue
            }
            let position = Int(standing.position)
            if standing.isPlain {
                room = min(room, review(index, position, observation, terms, &state, &out))
            } else {
                room = min(
                    room, review(index, position, observation, self.terms(position, state.policy, observation), &state, &out))
            }
        }

        // Whether a candidate is left whose sphere may contain the position, although the device was outside that fence.
        var isBeside = false
        for index in candidates.indices where candidates[index].number >= 0 && !candidates[index].isNear {
            let position = Int(candidates[index].number)
            isBeside = true
            if fences.isPlain(position) {
                room = min(room, consider(position, observation, terms, isFirst: isFirst, &state, &out))
            } else if applies(position, state.rules) {
                let terms = self.terms(position, state.policy, observation)
                room = min(room, consider(position, observation, terms, isFirst: isFirst, &state, &out))
            }
        }
        if let before = observation.before {
            if leg > 0, isBeside || leg > around.free {
                findPassages(observation, since: before, leg, around.known, &state, &out)
            }
        } else if isFirst, observation.accuracy > 0 {
            // A coarse first fix leaves the fences around it unknown, also those that do not contain it.
            let known = state.crowd
            for position in spheres.numbers(meeting: observation.vector, reach(observation, state.policy)) {
                guard !state.knows(fences.places[position].key, among: known), applies(position, state.rules) else { continue }
                let terms = self.terms(position, state.policy, observation)
                room = min(room, consider(position, observation, terms, isFirst: true, &state, &out))
            }
        }
        // When fences are evaluated at two different positions, no safe region holds for both.
        let isDivided = fences.hasPolicies && (observation.asksDoubters || state.settled != nil)
        guard !isDivided, observation.doubt.isNone || observation.asksDoubters && observation.doubt.jump == 0, !state.hasPending
        else { return }
        state.safeRegion.open(around: observation.place, observation.vector, radius: min(room, around.free), of: fences)
    }

    /// Removes a fence from the candidates and returns its candidate, if there is one.
    @inline(__always)
    private func strike(_ position: Int32, _ crowd: [Int32: Int]?) -> SphereIndex.Candidate? {
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
    private func hitsByNumber() -> [Int32: Int] {
        Dictionary(uniqueKeysWithValues: candidates.indices.lazy.map { [candidates] in (candidates[$0].number, $0) })
    }

    private static let few = 64

    /// Evaluates an observation against a fence that has a state.
    ///
    /// - Returns: Meters that the device may move before the fence's state can change.
    private func review(
        _ index: Int, _ position: Int, _ observation: Observation, _ terms: EffectiveAccuracy, _ state: inout DeviceState,
        _ out: inout [Transition]
    ) -> Double {
        guard observation.concerns(terms.policy) else { return .infinity }
        let standing = state.fenceStates[index]
        let reading = evaluator.reading(position, of: fences, observation, terms, isFirst: standing.phase == .unknown)
        if standing.phase == .inside, reading.verdict != .outside, !isDwellDue(standing, position, at: observation.fix.time) {
            return reading.outwards
        }
        var pending = state.fenceStates.pending(standing)
        let decided = decide(standing, &pending, reading.verdict, position, observation, terms.policy, &out)
        if decided == nil { ended.append(standing.fence) }
        state.put(decided, pending, at: index)
        return Self.room(decided, reading)
    }

    /// Evaluates an observation against a fence that the device has been outside of.
    ///
    /// - Returns: Meters that the device may move before the fence's state can change.
    private func consider(
        _ position: Int, _ observation: Observation, _ terms: EffectiveAccuracy, isFirst: Bool, _ state: inout DeviceState,
        _ out: inout [Transition]
    ) -> Double {
        guard observation.concerns(terms.policy) else { return 0 }
        let reading = evaluator.reading(position, of: fences, observation, terms, isFirst: isFirst)
        if reading.verdict == .outside || reading.verdict == .unsure && !isFirst { return max(0, reading.inwards) }
        var pending: PendingTransition?
        let known = isFirst ? standing(position, .unknown) : nil
        let decided = decide(known, &pending, reading.verdict, position, observation, terms.policy, &out)
        if let decided { state.add(decided, pending) }
        return Self.room(decided, reading)
    }

    /// A new state of the fence at a position.
    func standing(_ position: Int, _ phase: FenceState.Phase) -> PackedFenceState {
        let place = fences.places[position]
        return PackedFenceState(place.key, at: Int32(position), isPlain: place.traits < 0, phase)
    }

    /// Meters that the device may move before the fence's state can change.
    private static func room(_ standing: PackedFenceState?, _ reading: FenceReading) -> Double {
        switch standing?.phase {
        case nil: max(0, reading.inwards)
        case .inside: max(0, reading.outwards)
        case .unknown, .entering, .exiting, .passing: 0
        }
    }

    /// Prefetches what an evaluation reads of the fences that have a state.
    @inline(__always)
    private func fetch(_ state: borrowing DeviceState) {
        for index in state.fenceStates.indices where state.fenceStates[index].position >= 0 {
            unsafe prefetch(fences.places.address(of: Int(state.fenceStates[index].position)))
        }
    }

    @inline(__always)
    private func fetch(_ candidates: SharedBuffer<SphereIndex.Candidate>) {
        for index in candidates.indices { unsafe prefetch(fences.places.address(of: Int(candidates[index].number))) }
    }

    // MARK: - Policies

    @inline(__always)
    func policy(_ position: Int, _ usual: DecisionPolicy) -> DecisionPolicy {
        if fences.isPlain(position) { return usual }
        return fences.traits(position)?.policy.applied(to: usual) ?? usual
    }

    /// The effective accuracy of an observation under a fence's policy.
    @inline(never)
    func terms(_ position: Int, _ usual: DecisionPolicy, _ observation: Observation) -> EffectiveAccuracy {
        EffectiveAccuracy(policy(position, usual), accuracy: observation.accuracy)
    }

    @inline(__always)
    func applies(_ position: Int, _ rules: DeviceState.Rules) -> Bool {
        if fences.isPlain(position) { return true }
        return fences.traits(position)?.applies(to: rules.device) ?? true
    }

    /// Radius in meters around an observation within which a fence may be left unknown.
    func reach(_ observation: Observation, _ policy: DecisionPolicy) -> Double {
        guard observation.accuracy > 0 else { return 0 }
        return unsafe EffectiveAccuracy.beyondDoubt * observation.accuracy + max(policy.exitMargin.most, fences.widestMargin)
    }
}
