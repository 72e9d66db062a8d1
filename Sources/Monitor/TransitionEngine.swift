import CPrefetch
import Geodesy
import Model

/// Decides who entered, left and stayed: `(state, fix) → transitions`.
///
/// It does no I/O and knows no clock and no chance: what it decides depends on fences, policies, states and fixes alone. It
/// belongs to one thread, as its geometry does; any number of engines may share the work by device.
public final class TransitionEngine {
    /// May change between fixes. What follows for devices that have to do with a changed fence, `adopt` tells.
    public let fences: FenceSet
    let evaluator = FenceEvaluator()
    /// The fences that may hold the fix at hand.
    let candidates = SharedBuffer<SphereIndex.Candidate>()
    /// The fences that the fix at hand has been judged by already, and that the device is outside of since.
    let ended = SharedBuffer<FenceKey>()
    /// Where each moment begins among the transitions of the call at hand, and room to put them in order: see `order`.
    let moments = SharedBuffer<Int32>()
    let ranks = SharedBuffer<Rank>()

    /// That of `fences`. A property of the engine's own, because each use of one that belongs to another object counts a reference up and
    /// down: 10 ns a fix that is judged.
    let spheres: SphereIndex

    public init(fences: FenceSet) {
        self.fences = fences
        spheres = fences.index
    }

    /// Judges a fix that is no older than the device's newest. Deadlines before it fire first.
    ///
    /// Transitions are appended to `out`: those of deadlines in order of time, then those of the fix; on one moment a return from
    /// silence, then ways through a fence, exits, enters, dwells, each by geofence id, then silence. Last comes what falls due at the
    /// fix's own time: after it, nothing is due that is not younger.
    public func observe(_ fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        if unsafe !state.staysInSafeRegion(fix, among: fences.stamp) { examine(fix, &state, &out) }
    }

    /// Judges a fix that may have something to tell.
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
            // The next one agrees.
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
        // What kept dwells waiting is over, whatever the fix says of the fences.
        if wasSilent { tellWaitingDwells(at: fix.time, &state, &out) }
        // Whether the fix that showed what is pending is the last word, says how long that waits.
        let isNewer = state.hasPending && state.newest?.time != seen
        if wasSilent || state.isDueStale || isNewer || wasLeaving != state.isLeaving { renewDue(&state) }
        fire(upTo: fix.time, &state, &out)
        order(&out)
    }

    /// Judges a fix that there is no doubt of, by where it lies or where the device stays.
    private func accept(_ fix: Fix, _ stayUpdate: DeviceState.StayUpdate, _ state: inout DeviceState, _ out: inout [Transition]) {
        beginMoment(out)
        // A fix that was believed with this one may have opened a zone.
        state.safeRegion.clear()
        state.stay = stayUpdate.stay
        if stayUpdate.isStaying {
            // How it moves about there is noise. Fences that do not ask for stays are asked by where the fix lies.
            if fences.hasPolicies { judge(.despiteStay(fix, after: state.newest), &state, &out) }
            judge(.byStay(fix, stayUpdate.stay), &state, &out)
        } else {
            judge(Observation(fix, vector: evaluator.vector(fix.coordinate), after: state.newest, sure: fix.time), &state, &out)
        }
        state.newest = fix
    }

    /// Judges a look at the world against every fence that it may concern.
    func judge(_ observation: Observation, _ state: inout DeviceState, _ out: inout [Transition]) {
        let isFirst = state.newest == nil
        let terms = EffectiveAccuracy(state.policy, accuracy: observation.accuracy)
        // How far the device may go before there is anything to tell.
        var room = unsafe min(terms.policy.maxSpeed, fences.leastSpeed) / 2
        state.locate(in: fences)
        // All that will be looked at is asked for at once, so that the processor waits for memory once, not each time.
        fetch(state)
        candidates.removeAll()
        ended.removeAll()
        let leg = passageLength(observation, state.policy)
        let around = spheres.search(observation.vector, nearby: leg, candidates)
        fetch(candidates)
        let crowd = candidates.count <= Self.few ? nil : hitsByNumber()
        // From the back, because a presence that ends is taken out.
        var index = state.fenceStates.count
        while index > 0 {
            index -= 1
            let standing = state.fenceStates[index]
            if standing.position < 0 { continue }
            let hit = strike(standing.position, crowd)
            // A circle that it was in, and is well inside of.
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

        // Beside a fence that it is so near to that the index takes it for inside.
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
            // A coarse first fix leaves the fences around it unknown, also those that it does not lie in.
            let known = state.crowd
            for position in spheres.numbers(meeting: observation.vector, reach(observation, state.policy)) {
                guard !state.knows(fences.places[position].key, among: known), applies(position, state.rules) else { continue }
                let terms = self.terms(position, state.policy, observation)
                room = min(room, consider(position, observation, terms, isFirst: true, &state, &out))
            }
        }
        // Where some fences are asked by another place than others, no zone is good for all.
        let isDivided = fences.hasPolicies && (observation.asksDoubters || state.settled != nil)
        guard !isDivided, observation.doubt.isNone || observation.asksDoubters && observation.doubt.jump == 0, !state.hasPending
        else { return }
        state.safeRegion.open(around: observation.place, observation.vector, radius: min(room, around.free), of: fences)
    }

    /// Removes a fence from the candidates, if it is among them.
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

    /// Where each of the candidates is, where they are too many to look through for each.
    private func hitsByNumber() -> [Int32: Int] {
        Dictionary(uniqueKeysWithValues: candidates.indices.lazy.map { [candidates] in (candidates[$0].number, $0) })
    }

    private static let few = 64

    /// Judges an observation against a fence that the device is not simply outside of, and gives how far it may go from there.
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

    /// Judges an observation against a fence that the device has so far been outside of, and gives how far it may go from there.
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

    func standing(_ position: Int, _ phase: FenceState.Phase) -> PackedFenceState {
        let place = fences.places[position]
        return PackedFenceState(place.key, at: Int32(position), isPlain: place.traits < 0, phase)
    }

    /// How far a device may go from where it was read until the answer may be another.
    private static func room(_ standing: PackedFenceState?, _ reading: FenceReading) -> Double {
        switch standing?.phase {
        case nil: max(0, reading.inwards)
        case .inside: max(0, reading.outwards)
        case .unknown, .entering, .exiting, .passing: 0
        }
    }

    /// Asks for all that a judgement will look at of what is known.
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

    /// What the policy of a fence makes of a fix.
    @inline(never)
    func terms(_ position: Int, _ usual: DecisionPolicy, _ observation: Observation) -> EffectiveAccuracy {
        EffectiveAccuracy(policy(position, usual), accuracy: observation.accuracy)
    }

    @inline(__always)
    func applies(_ position: Int, _ rules: DeviceState.Rules) -> Bool {
        if fences.isPlain(position) { return true }
        return fences.traits(position)?.applies(to: rules.device) ?? true
    }

    /// How far around a fix fences may be left unknown by it, in metres.
    func reach(_ observation: Observation, _ policy: DecisionPolicy) -> Double {
        guard observation.accuracy > 0 else { return 0 }
        return unsafe EffectiveAccuracy.beyondDoubt * observation.accuracy + max(policy.exitMargin.most, fences.widestMargin)
    }
}
