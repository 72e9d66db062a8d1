import Model
import Monitor

/// One sentence that says why it fired, or why not.
struct Verdict {
    let device: Device
    let fence: Geofence
    let at: Instant
    /// What is shown; some are fixes.
    let steps: [Explanation.Step]
    /// The events of that time, in order.
    let events: [Event]

    var sentence: String {
        let fixes = steps.filter { $0.fix != nil }
        guard let first = fixes.first else { return "Nothing is known: no position of \(device.id) is stored." }
        guard let last = fixes.last(where: { $0.at <= at }) else {
            return "Nothing could fire: \(Wording.time(at)) is before the first fix of \(device.id) that is stored, of "
                + "\(Wording.time(first.at))."
        }
        if let event = nearest() { return fired(event) }
        if let step = steps.last(where: { step in step.transitions.contains { [.enter, .exit].contains($0.type) } }),
            let untold = step.transitions.last(where: { [.enter, .exit].contains($0.type) })
        {
            return
                "\(device.id) \(untold.type == .enter ? "entered" : "left") \(fence.name) at \(Wording.time(untold.occurredAt)) by the "
                + "fixes that are stored (\(step.because)), and no event says so yet"
        }
        switch last.after {
        case nil: return "Nothing could fire: \(last.because)."
        case .unknown?: return "Nothing fired: no fix of \(device.id) was precise enough yet to tell where it was."
        case .outside?, .entering?, .passing?: return "\(device.id) did not enter \(fence.name): \(missing(.enter, steps))."
        case .inside?, .exiting?: return "\(device.id) was in \(fence.name) and did not leave: \(missing(.exit, steps))."
        }
    }

    // MARK: - Why it fired

    /// The event that is nearest to the moment, among those of the time that is shown; rather an enter or exit than a dwell.
    private func nearest() -> Event? {
        func gap(_ event: Event) -> Double { max(event.occurredAt - at, at - event.confirmedAt, 0) }
        func rank(_ event: Event) -> (Double, Int, Double) {
            (gap(event), event.type == .dwell ? 1 : 0, abs(event.occurredAt - at))
        }
        return events.min { rank($0) < rank($1) }
    }

    private func fired(_ event: Event) -> String {
        let verb =
            switch event.type {
            case .dwell: "was still in"
            default: Wording.verb(event)
            }
        let sure =
            event.confirmedAt == event.occurredAt
            ? "" : " (sure at \(Wording.time(event.confirmedAt, beside: event.occurredAt)))"
        return "\(device.id) \(verb) \(fence.name) at \(Wording.time(event.occurredAt))\(sure): \(reason(event))."
    }

    private func reason(_ event: Event) -> String {
        let step = steps.first { step in
            step.transitions.contains {
                $0.type == event.type && $0.occurredAt == event.occurredAt
                    && ($0.cause == event.cause || event.cause == .corrected)
            }
        }
        if let step { return step.because }
        if let end = steps.last, event.decidedAt > end.at, let shown = steps.last(where: { $0.at <= event.occurredAt }) {
            return "\(shown.because); what confirmed it comes after what is shown here"
        }
        let remark = Wording.remark(event)
        return "the fixes that are stored do not show why" + (remark.isEmpty ? "" : " (\(remark))")
    }

    // MARK: - Why it did not

    /// What was missing for an enter or an exit.
    private func missing(_ type: EventType, _ judged: [Explanation.Step]) -> String {
        let change = type == .enter ? "enter" : "exit"
        let between: Explanation.Standing = type == .enter ? .entering : .exiting
        if let pending = judged.last, pending.after == between { return pending.because }
        if let dropped = judged.last(where: { $0.before == between && $0.rule == .contradicted }) {
            return "an \(change) was pending until \(Wording.time(dropped.at)), and then a fix contradicted it"
        }
        if let dropped = judged.last(where: { $0.before == between && $0.rule == .dropped }) { return dropped.because }
        let measured = judged.compactMap { step in step.measurement.map { (step, $0) } }
        let sign = type == .enter ? 1.0 : -1
        guard let (step, best) = measured.min(by: { sign * $0.1.distance < sign * $1.1.distance }) else {
            return "none of its fixes could be measured"
        }
        let which = type == .enter ? "nearest" : "furthest"
        let fix = "the \(which) of these fixes, of \(Wording.time(step.at, beside: at)), lay \(Self.place(best.distance))"
        switch (best.reading, type) {
        case (.coarse, _): return "\(fix) and is too coarse: \(step.because)"
        case (.band, _) where step.rule == .first: return fix
        case (.band, .enter):
            return "\(fix), and only from \(Wording.length(best.counted)) inside on is it certain, by the accuracy that counts"
        case (.band, _):
            return "\(fix), and only past \(Wording.length(best.counted + best.margin)) outside is it certain, "
                + "by the exit margin and the accuracy that counts"
        case (.inside, .enter), (.outside, .exit): return "\(fix), and \(step.because)"
        default: return fix
        }
    }

    /// "12 m inside", "on the boundary".
    static func place(_ distance: Double) -> String {
        guard distance.isFinite else { return distance < 0 ? "inside" : "outside" }
        let length = Wording.length(abs(distance))
        return length == "0 m" ? "on the boundary" : "\(length) \(distance < 0 ? "inside" : "outside")"
    }
}
