import Geodesy
import Model

// Every transition by a fix is decided here: what an observation makes of what was known of one fence. The states and the ways between them
// are drawn at `FenceState`.

extension TransitionEngine {
    /// Decides what an observation makes of what was known of a fence, and tells the transitions that follow.
    ///
    /// - Parameters:
    ///   - known: Nil is outside.
    ///   - pending: The change that is pending; afterwards the one that is pending then.
    ///   - seen: What the observation says of the fence by itself.
    ///   - policy: The one that holds for the fence and the device.
    /// - Returns: What is known from now on; nil is outside.
    func decide(
        _ known: PackedFenceState?, _ pending: inout PendingTransition?, _ seen: BoundaryRule.Side, _ position: Int,
        _ observation: Observation,
        _ policy: DecisionPolicy, _ out: inout [Transition]
    ) -> PackedFenceState? {
        var next = known ?? standing(position, .entering)
        switch (known?.phase, seen) {
        case (_?, .unsure):
            // In the band nothing changes.
            return known
        case (.unknown, .outside):
            return nil
        case (.unknown, .inside):
            return enter(next, observation.fix, at: observation.fix.time, nil, sure: observation.sure, .initial, &out)
        case (nil, .inside), (.passing, .inside), (.inside, .outside):
            // A change begins.
            next.phase = known?.phase == .inside ? .exiting : .entering
            let crossedAt = observation.before == nil ? nil : evaluator.crossing(position, of: fences, observation)
            if policy.isImmediate {
                guard let settled = confirm(next, observation.fix, crossedAt, nil, sure: observation.sure, &out) else {
                    return nil
                }
                return dwellIfDue(settled, known, position, observation, &out)
            }
            pending = .init(
                fix: observation.fix, count: 1, crossedAt: crossedAt, before: next.phase == .entering ? observation.before : nil)
        case (.entering, .inside), (.exiting, .outside):
            // Another fix shows the change.
            pending?.count += 1
        case (.exiting, .inside), (.inside, .inside):
            // The change is contradicted.
            next.phase = .inside
            pending = nil
        case (nil, .outside), (nil, .unsure), (.entering, .outside):
            // Outside before and after: the path may lead through the fence.
            pending = passThrough(position, pending, observation, policy)
            if pending == nil { return nil }
            next.phase = .passing
        case (.passing, .outside):
            // Another fix shows that the device is out again, unless the path to it leads back in.
            if isWayBack(position, pending, observation) { pending = nil }
            if pending == nil { return nil }
            pending?.count += 1
        }
        if let showed = pending {
            guard showed.isConfirmed(policy, at: observation.sure) else { return next }
            pending = nil
            guard let settled = confirm(next, showed.fix, showed.crossedAt, showed.leftAt, sure: observation.sure, &out) else {
                return nil
            }
            next = settled
        }
        return dwellIfDue(next, known, position, observation, &out)
    }

    /// Decides what becomes of a pending change that no fix contradicted in time: a fact, if it was seen often enough, or if the fix that
    /// showed it is the last word. If later fixes did not say the same, it was a stray.
    ///
    /// - Returns: What is known from now on; nil is outside.
    func expire(
        _ known: PackedFenceState, _ pending: PendingTransition, sure: Instant, _ state: DeviceState, _ out: inout [Transition]
    ) -> PackedFenceState? {
        guard let position = fences.position(of: known.fence), let newest = state.newest,
            pending.count < policy(position, state.policy).confirmFixes, newest.time > pending.fix.time
        else {
            return confirm(known, pending.fix, pending.crossedAt, pending.leftAt, sure: sure, &out)
        }
        guard known.phase == .exiting else { return nil }
        var next = known
        next.phase = .inside
        // Its dwell has waited for this.
        return isDwellDue(next, position, at: sure) && !state.isUncertain
            ? dwell(next, at: sure, sure: sure, newest, inferred: true, &out) : next
    }

    // MARK: - What follows

    /// Makes a pending change a fact.
    private func confirm(
        _ known: PackedFenceState, _ showed: Fix, _ crossedAt: Instant?, _ leftAt: Instant?, sure now: Instant,
        _ out: inout [Transition]
    ) -> PackedFenceState? {
        switch known.phase {
        case .entering: return enter(known, showed, at: showed.time, crossedAt, sure: now, .moved, &out)
        case .passing:
            // Both follow from the path, which no fix has seen.
            guard let crossedAt, let leftAt else { return nil }
            let visit = OpenVisit(enteredAt: crossedAt, cause: .moved)
            for (type, moment) in [(EventType.enter, crossedAt), (.exit, leftAt)] {
                emit(
                    Transition(
                        type: type, fence: known.fence, occurredAt: moment, confirmedAt: now, crossedAt: moment, cause: .moved,
                        inferred: true, fix: showed, visit: type == .exit ? visit : nil), &out)
            }
            return nil
        case .unknown, .inside, .exiting:
            // Not before what was told of the visit already.
            var earliest = known.enteredAt
            if known.hasDwelt, let position = fences.position(of: known.fence), let wait = fences.dwell(position) {
                earliest = known.enteredAt + wait
            }
            emit(
                Transition(
                    type: .exit, fence: known.fence, occurredAt: max(showed.time, earliest), confirmedAt: max(now, earliest),
                    crossedAt: crossedAt, cause: .moved, fix: showed, visit: known.visit), &out)
            return nil
        }
    }

    @inline(__always)
    func enter(
        _ known: PackedFenceState, _ showed: Fix, at moment: Instant, _ crossedAt: Instant?, sure now: Instant, _ cause: Cause,
        _ out: inout [Transition]
    ) -> PackedFenceState {
        emit(
            Transition(
                type: .enter, fence: known.fence, occurredAt: moment, confirmedAt: now, crossedAt: crossedAt, cause: cause,
                fix: showed), &out)
        var next = known
        next.phase = .inside
        next.enteredAt = moment
        next.cause = cause
        next.hasDwelt = false
        return next
    }

    /// Tells a transition, and requests what `order` will read of its fence: 9 % of a fix that crosses five of 100,000 circles.
    @inline(__always)
    private func emit(_ transition: Transition, _ out: inout [Transition]) {
        if let fence = transition.fence { fences.requestPlace(of: fence) }
        out.append(transition)
    }

    // MARK: - Dwells

    func dwell(
        _ known: PackedFenceState, at time: Instant, sure: Instant, _ fix: Fix, inferred: Bool, _ out: inout [Transition]
    ) -> PackedFenceState {
        emit(
            Transition(
                type: .dwell, fence: known.fence, occurredAt: time, confirmedAt: sure, cause: .moved, inferred: inferred,
                fix: fix, visit: known.visit), &out)
        var next = known
        next.hasDwelt = true
        return next
    }

    /// Tells the dwell of a visit if it is due. An enter that is dated back may have its dwell behind it already.
    ///
    /// - Parameter before: What was known before the observation.
    @inline(__always)
    private func dwellIfDue(
        _ known: PackedFenceState, _ before: PackedFenceState?, _ position: Int, _ observation: Observation,
        _ out: inout [Transition]
    ) -> PackedFenceState {
        guard fences.hasDwells, let wait = fences.dwell(position), isDwellDue(known, position, at: observation.fix.time) else {
            return known
        }
        let isBehind = before?.visit == nil
        return dwell(
            known, at: isBehind ? known.enteredAt + wait : observation.fix.time, sure: observation.sure, observation.fix,
            inferred: isBehind, &out)
    }

    func isDwellDue(_ known: PackedFenceState, _ position: Int, at moment: Instant) -> Bool {
        dwellDue(known, position).map { $0 <= moment } ?? false
    }

    /// When the dwell of a visit falls due; nil when it has been told, or there is none to tell.
    @inline(__always)
    func dwellDue(_ known: PackedFenceState, _ position: Int) -> Instant? {
        guard fences.hasDwells, let visit = known.visit, !visit.hasDwelt else { return nil }
        return fences.dwell(position).map { visit.enteredAt + $0 }
    }

    // MARK: - Paths through a fence

    /// The path to an observation as it leads through a fence, if it does, deep enough for the policy, and was short enough in time. It
    /// begins at the last fix, or where a single fix inside was come from: that one alone would not do.
    private func passThrough(
        _ position: Int, _ entering: PendingTransition?, _ observation: Observation, _ policy: DecisionPolicy
    ) -> PendingTransition? {
        guard policy.crossing > 0, let last = observation.before, let before = entering == nil ? last : entering?.before,
            observation.fix.time - before.time <= policy.crossing, entering == nil || !isTooFast(from: before, observation)
        else { return nil }
        // What no fix has seen has to be beyond doubt.
        let depth = EffectiveAccuracy.beyondDoubt * max(before.reckonedAccuracy, observation.accuracy)
        let leg = entering == nil ? observation : Observation(observation.fix, after: before, sure: observation.sure)
        guard let way = evaluator.passage(position, of: fences, leg, depth: depth) else { return nil }
        let enteredAt = entering?.crossedAt ?? way.enter
        let leftAt = max(enteredAt, entering.flatMap { _ in evaluator.crossing(position, of: fences, observation) } ?? way.exit)
        return .init(fix: observation.fix, count: 1, crossedAt: enteredAt, leftAt: leftAt)
    }

    /// Whether the path from where the device left the fence leads into it again: then that end was no more than a stray fix.
    private func isWayBack(_ position: Int, _ pending: PendingTransition?, _ observation: Observation) -> Bool {
        guard let pending else { return true }
        return evaluator.passage(
            position, of: fences, Observation(observation.fix, after: pending.fix, sure: observation.sure), depth: 0) != nil
    }

    /// Whether nothing on the ground gets from a fix to an observation so fast: then one of the two is a stray. Fixes without an accuracy are
    /// taken at their word.
    func isTooFast(from before: Fix, _ observation: Observation) -> Bool {
        guard before.reckonedAccuracy > 0 || observation.accuracy > 0 else { return false }
        return speed(from: before, to: observation.fix, over: DecisionPolicy.groundSpeed) > 0
    }
}
