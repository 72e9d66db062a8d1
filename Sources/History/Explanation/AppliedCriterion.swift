import Geometry
import Model
import Monitor
import Store

/// Determines which criterion of the decision policy applied at a step of an explanation, from the state before and after the step and the
/// measurement of its fix.
struct AppliedCriterion {
    let device: Device
    /// All versions of the geofence, oldest first.
    let versions: [PicketStore.FenceVersion]
    /// The policy that was in force at the step.
    let policy: DecisionPolicy

    typealias Found = (criterion: Explanation.Criterion, reason: StepReason)

    func callAsFunction(_ step: TimelineStep, _ measurement: Measurement?) -> Found {
        let (criterion, cause) = found(step, measurement)
        var reason = StepReason(cause)
        if case .fix = step.event {
            if let stay = step.stay, policy.stay > 0, !step.isDoubted {
                reason.stationary = .init(since: .init(stay.since, beside: step.at), accuracy: stay.accuracy)
            }
            if criterion != .dwell { reason.dwell = dwell(step) }
        }
        return (criterion, reason)
    }

    private typealias FoundCause = (criterion: Explanation.Criterion, cause: StepReason.Cause)

    private func found(_ step: TimelineStep, _ measurement: Measurement?) -> FoundCause {
        switch step.event {
        case .fix(let fix): evaluated(fix, step, measurement)
        case .deadline: deadline(step)
        case .fence(let old, let new):
            (.fenceChanged, .fence(new == nil ? .removed : old == nil ? .created : .edited, stateAfterEdit(step)))
        case .device: (.deviceChanged, .device(stateAfterEdit(step)))
        case .report(let isInside): (.reported, .reported(isInside ? .inside : .outside))
        }
    }

    private func evaluated(_ fix: Fix, _ step: TimelineStep, _ measurement: Measurement?) -> FoundCause {
        guard let version = step.version else { return (.missing, absence(step)) }
        let geofence = versions[version].geofence
        guard geofence.isActive else { return (.inactive, .fenceInactive) }
        guard let before = step.before, let after = step.after, geofence.applies(to: device) else {
            return (.notForDevice, .fenceForOthers(devices: geofence.devices, groups: geofence.groups))
        }
        if step.isDoubted, let cause = outlier(fix, step.previous) { return (.outlier, cause) }
        if step.isDoubted, policy.stay > 0, let stay = step.stay {
            let meters = Geodesic.distance(stay.place, fix.coordinate)
            return (.leaving, .leaving(meters: meters, since: .init(stay.since, beside: fix.time)))
        }
        guard let measurement else { return (.uncertain, .noArea) }
        // What was due just then.
        if measurement.containment != .inside, measurement.containment != .outside, before.presence?.pending != nil,
            step.transitions.contains(where: { $0.type != .dwell })
        {
            return deadline(step)
        }
        if measurement.containment == .coarse { return (.coarse, .coarse(maxAccuracy: policy.maxAccuracy)) }
        if let found = passage(step) { return found }
        let side: StepReason.Side = measurement.containment == .inside ? .inside : .outside
        switch (before.state, measurement.containment, after.state) {
        case (.unknown, _, .inside), (.unknown, _, .outside):
            return (.first, .first(measurement.distance <= 0 ? .inside : .outside))
        case (.exiting, .uncertain, .inside): return (.contradicted, .moreExact)
        case (_, .uncertain, _): return (.uncertain, .uncertain(isPending: before.presence?.pending != nil))
        case (.outside, .inside, .entering), (.entering, .inside, .entering), (.inside, .outside, .exiting),
            (.exiting, .outside, .exiting):
            return (.pending, .pending(side, change(after.state), progress(after, at: fix.time)))
        case (.outside, .inside, .inside), (.entering, .inside, .inside), (.inside, .outside, .outside),
            (.exiting, .outside, .outside):
            return (.confirmed, confirmationReason(before, side, at: fix.time, step.transitions))
        case (.entering, .outside, .outside), (.exiting, .inside, .inside):
            return (.contradicted, .contradicted(side, change(before.state)))
        case (.inside, .inside, .inside):
            if let dwell = dwell(step) { return (.dwell, .dwell(dwell)) }
            return (.holds, .holds(side))
        case (.outside, .outside, .outside): return (.holds, .holds(side))
        default: return (.holds, .holdsIn(side, after.state))
        }
    }

    /// The criterion if the step concerns a path through the geofence between two fixes; nil if it does not.
    private func passage(_ step: TimelineStep) -> FoundCause? {
        guard let before = step.before, let after = step.after else { return nil }
        let exit = step.transitions.first { $0.type == .exit && $0.inferred }
        switch (before.state, after.state) {
        case (_, .passing) where before.state != .passing: return (.passage, .wentThrough(progress(after, at: step.at)))
        case (.passing, .passing): return (.passage, .nothingLeadsBack(progress(after, at: step.at)))
        case (_, .outside) where exit != nil:
            return (.passage, .wasThrough(since: exit?.visit.map { .init($0.enteredAt, beside: step.at) }))
        case (.passing, .outside): return (.contradicted, .leadsBack)
        case (.passing, .entering): return (.pending, .entersAfterPassage(progress(after, at: step.at)))
        default: return nil
        }
    }

    /// Why the geofence did not exist at a step.
    private func absence(_ step: TimelineStep) -> StepReason.Cause {
        versions.contains { $0.end.map { $0 <= step.revision } ?? false } ? .fenceGone : .fenceNotCreatedYet
    }

    private func change(_ state: Explanation.State) -> StepReason.Change { state == .entering ? .enter : .exit }

    private func progress(_ known: TimelineStep.PairState, at moment: Instant) -> StepReason.Progress {
        guard let pending = known.presence?.pending else { return .init() }
        return .init(
            fixes: policy.confirmFixes > 1 ? .init(done: pending.count, of: policy.confirmFixes) : nil,
            seconds: policy.confirmSeconds > 0 ? .init(done: moment - pending.fix.time, of: policy.confirmSeconds) : nil)
    }

    private func confirmationReason(
        _ before: TimelineStep.PairState, _ side: StepReason.Side, at moment: Instant, _ transitions: [Transition]
    ) -> StepReason.Cause {
        guard let pending = before.presence?.pending else {
            guard let earlier = transitions.first(where: { $0.type != .dwell && $0.fix.time < moment }) else {
                return .sureAtOnce(side)
            }
            return .sureWithEarlier(side, .init(earlier.fix.time, beside: moment))
        }
        return .confirmed(
            side, count: pending.count + 1, first: .init(pending.fix.time, beside: moment),
            seconds: policy.confirmSeconds > 0 ? moment - pending.fix.time : nil)
    }

    private func deadline(_ step: TimelineStep) -> FoundCause {
        guard let pending = step.before?.presence?.pending else {
            if let dwell = dwell(step) { return (.dwell, .dwell(dwell)) }
            return (.deadline, .doubtEnded)
        }
        if step.before?.state == .passing, let found = passage(step) { return found }
        let seconds = step.at - pending.fix.time
        let first = StepReason.Time(pending.fix.time, beside: step.at)
        guard step.transitions.contains(where: { $0.type != .dwell }) else {
            return (.dropped, .dropped(first: first, seconds: seconds))
        }
        return (.deadline, .uncontradicted(first: first, seconds: seconds))
    }

    /// The dwell that is due at a step; nil if none is.
    private func dwell(_ step: TimelineStep) -> StepReason.Dwell? {
        guard let dwell = step.transitions.first(where: { $0.type == .dwell }) else { return nil }
        return .init(
            visit: dwell.visit.map {
                .init(since: .init($0.enteredAt, beside: step.at), seconds: dwell.occurredAt - $0.enteredAt)
            })
    }

    /// Why a certain fix is not believed: it implies too high a speed. Nil if it does not.
    private func outlier(_ fix: Fix, _ previous: Fix?) -> StepReason.Cause? {
        guard let previous else { return nil }
        let least = Geodesic.distance(previous.coordinate, fix.coordinate) - previous.accuracyOrZero - fix.accuracyOrZero
        let speed = least / max(1, fix.time - previous.time)
        return speed > policy.maxSpeed ? .outlier(speed: speed, most: policy.maxSpeed) : nil
    }

    private func stateAfterEdit(_ step: TimelineStep) -> StepReason.StateAfterEdit? {
        step.after.map { .init(state: $0.state, isOfNewestFix: !step.isDoubted) }
    }
}
