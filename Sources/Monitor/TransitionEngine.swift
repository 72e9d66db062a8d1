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
    let ruler = Ruler()
    /// The fences that may hold the fix at hand.
    let hits = FlatArray<BallIndex.Hit>()
    /// The fences that the fix at hand has been judged by already, and that the device is outside of since.
    let ended = FlatArray<FenceKey>()
    /// The order of the transitions at hand.
    let ranks = FlatArray<Rank>()

    public init(fences: FenceSet) { self.fences = fences }

    /// Judges a fix that is no older than the device's newest. Deadlines before it fire first.
    ///
    /// Transitions are appended to `out`: those of deadlines in order of time, then those of the fix; on one moment a return from
    /// silence, then ways through a fence, exits, enters, dwells, each by geofence id, then silence. Last comes what falls due at the
    /// fix's own time: after it, nothing is due that is not younger.
    public func observe(_ fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        if !state.passes(fix, among: fences.stamp) { examine(fix, &state, &out) }
    }

    /// Judges a fix that may have something to tell.
    @inline(never)
    private func examine(_ fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        if state.isDue(before: fix.time) { advance(before: fix.time, &state, &out) }
        let start = begin(out)
        let wasSilent = state.isSilent
        let wasLeaving = state.isLeaving
        let seen = state.newest?.time
        note(lifeAt: fix.time, showedBy: fix, &state, &out)
        order(&out, from: start)
        state.quiet.clear()

        let sight = state.sight(of: fix)
        let doubt = doubt(of: fix, sight, state)
        if doubt.isNone {
            state.suspect = nil
            accept(fix, sight, &state, &out)
        } else if let suspect = state.suspect, agree(suspect, fix, doubt, state) {
            // The next one agrees.
            let start = begin(out)
            let first = self.doubt(of: suspect, state.sight(of: suspect), state)
            believe(suspect, first, sure: fix.time, &state, &out)
            order(&out, from: start)
            accept(fix, state.sight(of: fix), &state, &out)
        } else {
            if fences.hasPolicies {
                let start = begin(out)
                judge(Look(fix, after: state.newest, sure: fix.time, doubt), &state, &out)
                order(&out, from: start)
            }
            state.suspect = fix
        }
        // What kept dwells waiting is over, whatever the fix says of the fences.
        if wasSilent { tellWaitingDwells(at: fix.time, &state, &out) }
        // Whether the fix that showed what is pending is the last word, says how long that waits.
        let isNewer = state.hasPending && state.newest?.time != seen
        if wasSilent || state.isDueStale || isNewer || wasLeaving != state.isLeaving { renewDue(&state) }
        fire(upTo: fix.time, &state, &out)
    }

    /// Judges a fix that there is no doubt of, by where it lies or where the device stays.
    private func accept(_ fix: Fix, _ sight: DeviceState.Sight, _ state: inout DeviceState, _ out: inout [Transition]) {
        let start = begin(out)
        // A fix that was believed with this one may have opened a zone.
        state.quiet.clear()
        state.stay = sight.stay
        if sight.isStaying {
            // How it moves about there is noise. Fences that do not ask for stays are asked by where the fix lies.
            if fences.hasPolicies { judge(.despiteStay(fix, after: state.newest), &state, &out) }
            judge(.byStay(fix, sight.stay), &state, &out)
        } else {
            judge(Look(fix, after: state.newest, sure: fix.time), &state, &out)
        }
        order(&out, from: start)
        state.newest = fix
    }

    /// Judges a look at the world against every fence that it may concern.
    func judge(_ look: Look, _ state: inout DeviceState, _ out: inout [Transition]) {
        let isFirst = state.newest == nil
        let terms = Terms(state.policy, accuracy: look.accuracy)
        // How far the device may go before there is anything to tell.
        var room = min(terms.policy.maxSpeed, fences.leastSpeed) / 2
        state.locate(in: fences)
        // All that will be looked at is asked for at once, so that the processor waits for memory once, not each time.
        fetch(state)
        hits.removeAll()
        ended.removeAll()
        let leg = passageLength(look, state.policy)
        let around = fences.index.search(look.vector, nearby: leg, hits)
        fetch(hits)
        let crowd = hits.count <= Self.few ? nil : hitsByNumber()
        // From the back, because a presence that ends is taken out.
        var index = state.standings.count
        while index > 0 {
            index -= 1
            let standing = state.standings[index]
            if standing.position < 0 { continue }
            let hit = strike(standing.position, crowd)
            // A circle that it was in, and is well inside of.
            if standing.phase == .inside, let hit, hit.beyond < 0, standing.isPlain, !fences.hasDwells {
                room = min(room, Double(-hit.beyond))
                continue
            }
            let position = Int(standing.position)
            if standing.isPlain {
                room = min(room, review(index, position, look, terms, &state, &out))
            } else {
                room = min(room, review(index, position, look, self.terms(position, state.policy, look), &state, &out))
            }
        }

        // Beside a fence that it is so near to that the index takes it for inside.
        var isBeside = false
        for index in hits.indices where hits[index].number >= 0 && !hits[index].isNear {
            let position = Int(hits[index].number)
            isBeside = true
            if fences.isPlain(position) {
                room = min(room, consider(position, look, terms, isFirst: isFirst, &state, &out))
            } else if applies(position, state.rules) {
                let terms = self.terms(position, state.policy, look)
                room = min(room, consider(position, look, terms, isFirst: isFirst, &state, &out))
            }
        }
        if let before = look.before {
            if leg > 0, isBeside || leg > around.free { findPassages(look, since: before, leg, around.known, &state, &out) }
        } else if isFirst, look.accuracy > 0 {
            // A coarse first fix leaves the fences around it unknown, also those that it does not lie in.
            let known = state.crowd
            for position in fences.index.numbers(meeting: look.vector, reach(look, state.policy)) {
                guard !state.knows(fences.places[position].key, among: known), applies(position, state.rules) else { continue }
                let terms = self.terms(position, state.policy, look)
                room = min(room, consider(position, look, terms, isFirst: true, &state, &out))
            }
        }
        // Where some fences are asked by another place than others, no zone is good for all.
        let isDivided = fences.hasPolicies && (look.asksDoubters || state.settled != nil)
        guard !isDivided, look.doubt.isNone || look.asksDoubters && look.doubt.jump == 0, !state.hasPending else { return }
        state.quiet.open(around: look.place, look.vector, radius: min(room, around.free), of: fences)
    }

    /// Strikes a fence from the hits, if it is among them.
    @inline(__always)
    private func strike(_ position: Int32, _ crowd: [Int32: Int]?) -> BallIndex.Hit? {
        if let crowd {
            guard let index = crowd[position] else { return nil }
            defer { hits[index].number = -1 }
            return hits[index]
        }
        for index in hits.indices where hits[index].number == position {
            defer { hits[index].number = -1 }
            return hits[index]
        }
        return nil
    }

    /// Where each of the hits is, where they are too many to look through for each.
    private func hitsByNumber() -> [Int32: Int] {
        Dictionary(uniqueKeysWithValues: hits.indices.lazy.map { [hits] in (hits[$0].number, $0) })
    }

    private static let few = 64

    /// Judges a look against a fence that the device is not simply outside of, and gives how far it may go from there.
    private func review(
        _ index: Int, _ position: Int, _ look: Look, _ terms: Terms, _ state: inout DeviceState, _ out: inout [Transition]
    ) -> Double {
        guard look.concerns(terms.policy) else { return .infinity }
        let standing = state.standings[index]
        let reading = ruler.reading(position, of: fences, look, terms, isFirst: standing.phase == .unknown)
        if standing.phase == .inside, reading.verdict != .outside, !isDwellDue(standing, position, at: look.fix.time) {
            return reading.outwards
        }
        var pending = state.pending(standing)
        let decided = decide(standing, &pending, reading.verdict, position, look, terms.policy, &out)
        if decided == nil { ended.append(standing.fence) }
        state.put(decided, pending, at: index)
        return Self.room(decided, reading)
    }

    /// Judges a look against a fence that the device has so far been outside of, and gives how far it may go from there.
    private func consider(
        _ position: Int, _ look: Look, _ terms: Terms, isFirst: Bool, _ state: inout DeviceState, _ out: inout [Transition]
    ) -> Double {
        guard look.concerns(terms.policy) else { return 0 }
        let reading = ruler.reading(position, of: fences, look, terms, isFirst: isFirst)
        if reading.verdict == .outside || reading.verdict == .unsure && !isFirst { return max(0, reading.inwards) }
        var pending: Presence.Pending?
        let known = isFirst ? standing(position, .unknown) : nil
        let decided = decide(known, &pending, reading.verdict, position, look, terms.policy, &out)
        if let decided { state.add(decided, pending) }
        return Self.room(decided, reading)
    }

    private func standing(_ position: Int, _ phase: Presence.Phase) -> Standing {
        let place = fences.places[position]
        return Standing(place.key, at: Int32(position), isPlain: place.traits < 0, phase)
    }

    /// How far a device may go from where it was read until the answer may be another.
    private static func room(_ standing: Standing?, _ reading: Ruler.Reading) -> Double {
        switch standing?.phase {
        case nil: max(0, reading.inwards)
        case .inside: max(0, reading.outwards)
        case .unknown, .entering, .exiting, .passing: 0
        }
    }

    /// Asks for all that a judgement will look at of what is known.
    @inline(__always)
    private func fetch(_ state: borrowing DeviceState) {
        state.fetchChanges()
        for index in state.standings.indices where state.standings[index].position >= 0 {
            prefetch(fences.places.address(of: Int(state.standings[index].position)))
        }
    }

    @inline(__always)
    private func fetch(_ hits: FlatArray<BallIndex.Hit>) {
        for index in hits.indices { prefetch(fences.places.address(of: Int(hits[index].number))) }
    }

    // MARK: - The decision

    /// What a look makes of what was known of a fence (nil: outside). Every transition by a fix is decided here.
    func decide(
        _ known: Standing?, _ pending: inout Presence.Pending?, _ seen: Ruler.Reading.Verdict, _ position: Int, _ look: Look,
        _ policy: DecisionPolicy, _ out: inout [Transition]
    ) -> Standing? {
        var next = known ?? standing(position, .entering)
        switch (known?.phase, seen) {
        case (_?, .unsure): return known
        case (.unknown, .outside): return nil
        case (.unknown, .inside): return enter(next, look.fix, at: look.fix.time, nil, sure: look.sure, .initial, &out)
        case (nil, .inside), (.passing, .inside), (.inside, .outside):
            next.phase = known?.phase == .inside ? .exiting : .entering
            let crossedAt = look.before == nil ? nil : ruler.crossing(position, of: fences, look)
            if policy.isImmediate {
                guard let settled = settle(next, look.fix, crossedAt, nil, sure: look.sure, &out) else { return nil }
                return dwelling(settled, known, position, look, &out)
            }
            pending = .init(
                fix: look.fix, count: 1, crossedAt: crossedAt, before: next.phase == .entering ? look.before : nil)
        case (.entering, .inside), (.exiting, .outside): pending?.count += 1
        case (.exiting, .inside), (.inside, .inside):
            next.phase = .inside
            pending = nil
        case (nil, .outside), (nil, .unsure), (.entering, .outside):
            pending = passage(position, pending, look, policy)
            if pending == nil { return nil }
            next.phase = .passing
        case (.passing, .outside):
            if isWayBack(position, pending, look) { pending = nil }
            if pending == nil { return nil }
            pending?.count += 1
        }
        if let showed = pending {
            guard showed.isConfirmed(policy, at: look.sure) else { return next }
            pending = nil
            let settled = settle(next, showed.fix, showed.crossedAt, showed.leftAt, sure: look.sure, &out)
            guard let settled else { return nil }
            next = settled
        }
        return dwelling(next, known, position, look, &out)
    }

    /// A standing, its dwell told if that is due. An enter that is dated back may have its dwell behind it already.
    @inline(__always)
    private func dwelling(
        _ standing: Standing, _ known: Standing?, _ position: Int, _ look: Look, _ out: inout [Transition]
    ) -> Standing {
        guard fences.hasDwells, let wait = fences.dwell(position), isDwellDue(standing, position, at: look.fix.time) else {
            return standing
        }
        let isBehind = known?.visit == nil
        return dwell(
            standing, at: isBehind ? standing.enteredAt + wait : look.fix.time, sure: look.sure, look.fix, inferred: isBehind,
            &out)
    }

    /// A pending change becomes a fact.
    func settle(
        _ standing: Standing, _ showed: Fix, _ crossedAt: Instant?, _ leftAt: Instant?, sure now: Instant,
        _ out: inout [Transition]
    ) -> Standing? {
        switch standing.phase {
        case .entering: return enter(standing, showed, at: showed.time, crossedAt, sure: now, .moved, &out)
        case .passing:
            // Both follow from the way, which no fix has seen.
            guard let crossedAt, let leftAt else { return nil }
            let visit = OpenVisit(enteredAt: crossedAt, cause: .moved)
            for (type, moment) in [(EventType.enter, crossedAt), (.exit, leftAt)] {
                tell(
                    Transition(
                        type: type, fence: standing.fence, occurredAt: moment, confirmedAt: now, crossedAt: moment, cause: .moved,
                        inferred: true, fix: showed, visit: type == .exit ? visit : nil), standing.position, &out)
            }
            return nil
        case .unknown, .inside, .exiting:
            // Not before what was told of the visit already.
            var earliest = standing.enteredAt
            if standing.hasDwelt, let position = fences.position(of: standing.fence), let wait = fences.dwell(position) {
                earliest = standing.enteredAt + wait
            }
            tell(
                Transition(
                    type: .exit, fence: standing.fence, occurredAt: max(showed.time, earliest), confirmedAt: max(now, earliest),
                    crossedAt: crossedAt, cause: .moved, fix: showed, visit: standing.visit), standing.position, &out)
            return nil
        }
    }

    @inline(__always)
    func enter(
        _ standing: Standing, _ showed: Fix, at moment: Instant, _ crossedAt: Instant?, sure now: Instant, _ cause: Cause,
        _ out: inout [Transition]
    ) -> Standing {
        tell(
            Transition(
                type: .enter, fence: standing.fence, occurredAt: moment, confirmedAt: now, crossedAt: crossedAt,
                cause: cause, fix: showed), standing.position, &out)
        var standing = standing
        standing.phase = .inside
        standing.enteredAt = moment
        standing.cause = cause
        standing.hasDwelt = false
        return standing
    }

    func dwell(
        _ standing: Standing, at time: Instant, sure: Instant, _ fix: Fix, inferred: Bool, _ out: inout [Transition]
    ) -> Standing {
        tell(
            Transition(
                type: .dwell, fence: standing.fence, occurredAt: time, confirmedAt: sure, cause: .moved, inferred: inferred,
                fix: fix, visit: standing.visit), standing.position, &out)
        var standing = standing
        standing.hasDwelt = true
        return standing
    }

    // MARK: - Small questions

    @inline(__always)
    func policy(_ position: Int, _ usual: DecisionPolicy) -> DecisionPolicy {
        if fences.isPlain(position) { return usual }
        return fences.traits(position)?.policy.applied(to: usual) ?? usual
    }

    /// What the policy of a fence makes of a fix.
    @inline(never)
    func terms(_ position: Int, _ usual: DecisionPolicy, _ look: Look) -> Terms {
        Terms(policy(position, usual), accuracy: look.accuracy)
    }

    func isDwellDue(_ standing: Standing, _ position: Int, at moment: Instant) -> Bool {
        dwellDue(standing, position).map { $0 <= moment } ?? false
    }

    /// When the dwell of a visit falls due; nil when it has been told, or there is none to tell.
    @inline(__always)
    func dwellDue(_ standing: Standing, _ position: Int) -> Instant? {
        guard fences.hasDwells, let visit = standing.visit, !visit.hasDwelt else { return nil }
        return fences.dwell(position).map { visit.enteredAt + $0 }
    }

    @inline(__always)
    func applies(_ position: Int, _ rules: DeviceState.Rules) -> Bool {
        if fences.isPlain(position) { return true }
        return fences.traits(position)?.applies(to: rules.device) ?? true
    }

    /// How far around a fix fences may be left unknown by it, in metres.
    func reach(_ look: Look, _ policy: DecisionPolicy) -> Double {
        guard look.accuracy > 0 else { return 0 }
        return Terms.beyondDoubt * look.accuracy + max(policy.exitMargin.most, fences.widestMargin)
    }
}
