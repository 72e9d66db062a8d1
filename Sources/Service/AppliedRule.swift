import Geometry
import Model
import Monitor
import Store

/// Determines which rule of the decision policy applied at a step of an explanation, from the state before and after the step and the
/// measurement of its fix.
struct AppliedRule {
    let device: Device
    /// All versions of the geofence, oldest first.
    let versions: [RegionStore.FenceVersion]
    /// The policy that was in force at the step.
    let policy: DecisionPolicy

    /// The rule and its explanation as text.
    typealias Found = (rule: Explanation.Rule, because: String)

    func callAsFunction(_ step: TimelineStep, _ measurement: Measurement?) -> Found {
        switch step.happening {
        case .fix(let fix):
            var found = judged(fix, step, measurement)
            found.because = remarks(fix, step) + found.because
            if dwells(step), found.rule != .dwell {
                found.because += found.rule == .confirmed ? "; its dwell is due too" : "; " + dwell(step)
            }
            return found
        case .deadline: return deadline(step)
        case .fence(let old, let new): return fenceChange(step, old, new)
        case .device: return (.deviceChanged, "the device's groups or policy were edited\(now(step))")
        case .report(let isInside):
            return (.reported, "the phone itself reported that it is \(isInside ? "inside" : "outside")")
        }
    }

    /// The introduction of the explanation if the device was evaluated by its stay point instead of its fix.
    private func remarks(_ fix: Fix, _ step: TimelineStep) -> String {
        guard let stay = step.stay, policy.stay > 0, !step.isDoubted else { return "" }
        return "it stays since \(Wording.time(stay.since, beside: step.at)), and the mean of its fixes counts "
            + "(±\(Wording.length(stay.accuracy))): "
    }

    private func leaving(_ stay: StayPoint, _ fix: Fix) -> String {
        let gap = Wording.length(Geodesic.distance(stay.place, fix.coordinate))
        return
            "\(gap) from where the device stays since \(Wording.time(stay.since, beside: fix.time)), more than noise explains: "
            + "not believed until the next one lies elsewhere, too"
    }

    private func judged(_ fix: Fix, _ step: TimelineStep, _ measurement: Measurement?) -> Found {
        guard let version = step.version else { return (.missing, absence(step)) }
        let geofence = versions[version].geofence
        guard geofence.isActive else { return (.inactive, "the fence is not active") }
        guard let before = step.before, let after = step.after, geofence.applies(to: device) else {
            return (.notForDevice, "the fence is not for this device, but for \(addressees(of: geofence))")
        }
        if step.isDoubted, let words = jump(fix, step.previous) { return (.jump, words) }
        if step.isDoubted, policy.stay > 0, let stay = step.stay { return (.leaving, leaving(stay, fix)) }
        guard let measurement else { return (.band, "no area can be made of the fence: the last state holds") }
        // A fix that decides nothing by itself, and a pending transition became due at its time.
        if measurement.reading != .inside, measurement.reading != .outside, before.presence?.pending != nil,
            step.transitions.contains(where: { $0.type != .dwell })
        {
            return deadline(step)
        }
        if measurement.reading == .coarse {
            return (
                .coarse,
                "coarser than maxAccuracy \(Wording.length(policy.maxAccuracy)) and not inside or outside by twice its accuracy: decides nothing"
            )
        }
        if let found = passage(step) { return found }
        let side = measurement.reading == .inside ? "inside" : "outside"
        switch (before.state, measurement.reading, after.state) {
        case (.unknown, _, .inside), (.unknown, _, .outside):
            return (.first, "nothing was known before: \(measurement.distance <= 0 ? "inside" : "outside") from here on")
        case (_, .band, _):
            return (
                .band,
                before.presence?.pending == nil
                    ? "in the band: the last state holds"
                    : "in the band: neither confirms nor contradicts the pending change"
            )
        case (.outside, .inside, .entering), (.entering, .inside, .entering), (.inside, .outside, .exiting),
            (.exiting, .outside, .exiting):
            return (.pending, "\(side): the \(change(after.state)) is \(progress(after, at: fix.time))")
        case (.outside, .inside, .inside), (.entering, .inside, .inside), (.inside, .outside, .outside),
            (.exiting, .outside, .outside):
            return (.confirmed, confirmed(before, side, at: fix.time, step.transitions))
        case (.entering, .outside, .outside), (.exiting, .inside, .inside):
            return (.contradicted, "\(side): contradicts the pending \(change(before.state)), which is dropped")
        case (.inside, .inside, .inside) where dwells(step):
            return (.dwell, dwell(step))
        case (.inside, .inside, .inside), (.outside, .outside, .outside):
            return (.holds, "\(side), as before")
        default: return (.holds, "\(side), and the state is \(after.state)")
        }
    }

    /// The rule if the step concerns a path through the geofence between two fixes; nil if it does not.
    private func passage(_ step: TimelineStep) -> Found? {
        guard let before = step.before, let after = step.after else { return nil }
        let told = step.transitions.first { $0.type == .exit && $0.inferred }
        switch (before.state, after.state) {
        case (_, .passing) where before.state != .passing:
            return (
                .passage,
                "outside again, and the way from the fix before leads through it: a visit is \(progress(after, at: step.at))"
            )
        case (.passing, .passing): return (.passage, "outside, and nothing leads back: \(progress(after, at: step.at))")
        case (_, .outside) where told != nil:
            let since = told?.visit.map { " from \(Wording.time($0.enteredAt, beside: step.at))" } ?? ""
            return (.passage, "the way led through it: a visit\(since), inferred")
        case (.passing, .outside): return (.contradicted, "the way leads back: the visit on the way is dropped")
        case (.passing, .entering):
            return (.pending, "inside: the enter is \(progress(after, at: step.at)), and the visit on the way before is dropped")
        default: return nil
        }
    }

    // MARK: - Text

    /// Why the geofence did not exist at a step.
    func absence(_ step: TimelineStep) -> String {
        versions.contains { $0.end.map { $0 <= step.revision } ?? false }
            ? "the fence had been removed" : "the fence did not exist yet"
    }

    private func addressees(of geofence: Geofence) -> String {
        var parts: [String] = []
        if !geofence.devices.isEmpty { parts.append("devices \(geofence.devices.joined(separator: ", "))") }
        if !geofence.groups.isEmpty { parts.append("groups \(geofence.groups.joined(separator: ", "))") }
        return parts.joined(separator: " and ")
    }

    private func change(_ state: Explanation.State) -> String { state == .entering ? "enter" : "exit" }

    /// How far a pending transition is confirmed, for example "pending for 1 of 2 fixes".
    func progress(_ known: TimelineStep.Known, at moment: Instant) -> String {
        guard let pending = known.presence?.pending else { return "pending" }
        var parts: [String] = []
        if policy.confirmFixes > 1 { parts.append("\(pending.count) of \(policy.confirmFixes) fixes") }
        if policy.confirmSeconds > 0 {
            parts.append(
                "\(Wording.decimal(moment - pending.fix.time, 1)) of \(Wording.decimal(policy.confirmSeconds, 1)) s")
        }
        return "pending for " + parts.joined(separator: " and ")
    }

    private func confirmed(
        _ before: TimelineStep.Known, _ side: String, at moment: Instant, _ transitions: [Transition]
    ) -> String {
        guard let pending = before.presence?.pending else {
            guard let told = transitions.first(where: { $0.type != .dwell && $0.fix.time < moment }) else {
                return "\(side): sure at once"
            }
            return
                "\(side), like the fix of \(Wording.time(told.fix.time, beside: moment)) that was not believed alone: confirmed, "
                + "dated back to that"
        }
        let count = pending.count + 1
        let ordinal = count == 2 ? "second" : count == 3 ? "third" : "\(count)th"
        let since = "dated back to \(Wording.time(pending.fix.time, beside: moment))"
        let time =
            policy.confirmSeconds > 0 ? ", \(Wording.decimal(moment - pending.fix.time, 1)) s after the first" : ""
        return "\(ordinal) fix \(side)\(time): confirmed, \(since)"
    }

    private func deadline(_ step: TimelineStep) -> Found {
        guard let pending = step.before?.presence?.pending else {
            if dwells(step) { return (.dwell, dwell(step)) }
            return (.deadline, "its last fix before it fell silent lay elsewhere than it had stayed, and none spoke against it")
        }
        if step.before?.state == .passing, let found = passage(step) { return found }
        let wait = Wording.decimal(step.at - pending.fix.time, 1)
        let since = Wording.time(pending.fix.time, beside: step.at)
        guard step.transitions.contains(where: { $0.type != .dwell }) else {
            return (
                .dropped,
                "what the fix of \(since) showed, those after it neither confirmed nor contradicted for \(wait) s: dropped"
            )
        }
        return (
            .deadline, "nothing contradicted it for \(wait) s: confirmed by the deadline, dated back to \(since)"
        )
    }

    private func dwells(_ step: TimelineStep) -> Bool { step.transitions.contains { $0.type == .dwell } }

    private func dwell(_ step: TimelineStep) -> String {
        guard let told = step.transitions.first(where: { $0.type == .dwell }), let visit = told.visit else {
            return "something fell due"
        }
        return "inside since \(Wording.time(visit.enteredAt, beside: step.at)): the dwell of "
            + "\(Language.english.duration(told.occurredAt - visit.enteredAt)) is due"
    }

    /// Why a certain fix is not believed: it implies too high a speed. Nil if it does not.
    private func jump(_ fix: Fix, _ previous: Fix?) -> String? {
        guard let previous else { return nil }
        let speed = Geodesic.distance(previous.coordinate, fix.coordinate) / max(1, fix.time - previous.time)
        guard speed > policy.maxSpeed else { return nil }
        return
            "implies \(Wording.number(Int(speed.rounded()))) m/s, more than \(Wording.decimal(policy.maxSpeed, 1)) m/s: a jump, "
            + "not believed until the next one agrees"
    }

    private func fenceChange(_ step: TimelineStep, _ old: Int?, _ new: Int?) -> Found {
        let what = new == nil ? "removed" : old == nil ? "made" : "edited"
        return (.fenceChanged, "the fence was \(what)\(now(step))")
    }

    private func now(_ step: TimelineStep) -> String {
        step.after.map {
            ", and by its newest fix\(step.isDoubted ? " that is believed" : "") the device is \($0.state.rawValue)"
        } ?? ""
    }
}
