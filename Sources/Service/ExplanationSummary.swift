import Model
import Monitor

/// Composes one sentence that says where a device was at a moment, and why an event did or did not happen.
///
/// The events on record determine whether the device was inside. The stored fixes explain why.
struct ExplanationSummary {
    let device: Device
    let fence: Geofence
    let at: Instant
    /// The steps to show. Only some of them have fixes.
    let steps: [Explanation.Step]
    /// The events in the period of the steps, in order.
    let events: [Event]
    /// The visits on record.
    let visits: Explanation.Visits

    var sentence: String {
        let fixes = steps.filter { $0.fix != nil }
        guard let first = fixes.first else {
            return visits.isEmpty
                ? "Nothing is known: no position of \(device.id) is stored."
                : "\(onRecord); no position of it is stored that shows why."
        }
        guard let last = fixes.last(where: { $0.at <= at }) else {
            if visits.current != nil || visits.before != nil {
                return "\(onRecord); its first position that is stored is of \(Wording.time(first.at))."
            }
            return "Nothing could fire: \(Wording.time(at)) is before the first fix of \(device.id) that is stored, of "
                + "\(Wording.time(first.at))."
        }
        if let event = nearest() { return fired(event) }
        if let step = steps.last(where: { step in step.transitions.contains { [.enter, .exit].contains($0.type) } }),
            let untold = step.transitions.last(where: { [.enter, .exit].contains($0.type) })
        {
            return "\(onRecord); by the fixes that are stored it \(untold.type == .enter ? "entered" : "left") at "
                + "\(Wording.time(untold.occurredAt, beside: at)) (\(step.because)), and no event says so yet."
        }
        switch last.after {
        case nil: return "At \(Wording.time(at)) nothing could fire: \(last.because)."
        case .unknown? where visits.current == nil:
            return "At \(Wording.time(at)) it was not known whether \(device.id) was in \(fence.name): no fix of it was precise "
                + "enough yet to tell."
        case .inside?, .exiting?:
            guard visits.current != nil else { return "\(onRecord); the fixes that are stored, judged anew, put it inside." }
            return "\(place) and did not leave: \(missing(.exit, steps))."
        case .unknown?, .outside?, .entering?, .passing?:
            guard visits.current == nil else {
                return "\(onRecord); the fixes that are stored, judged anew, do not show it: \(missing(.enter, steps))."
            }
            return "\(place)\(last.after == .entering ? " yet" : ""): \(missing(.enter, steps))."
        }
    }

    /// The beginning of the sentence, for example "At 2026-05-01 10:00:00Z anna was not in Home", and when the device was last seen if it
    /// was silent.
    private var place: String {
        let seen = steps.last { $0.fix != nil && $0.at <= at }?.at
        let silence = seen.flatMap { at - $0 > device.silentAfter ? ", not seen since \(Wording.time($0, beside: at))" : nil }
        return "At \(Wording.time(at)) \(device.id) was \(visits.current == nil ? "not " : "")in \(fence.name)\(silence ?? "")"
    }

    /// The same beginning for the case that the stored fixes do not show this, or contradict it.
    private var onRecord: String { "\(place), by the events on record" }

    // MARK: - Why an event happened

    /// The event that is nearest to the moment. Enters and exits have precedence over dwells.
    private func nearest() -> Event? {
        func gap(_ event: Event) -> Double { max(event.occurredAt - at, at - event.confirmedAt, 0) }
        func rank(_ event: Event) -> (Double, Int, Double) {
            (gap(event), event.type == .dwell ? 1 : 0, abs(event.occurredAt - at))
        }
        return events.min { rank($0) < rank($1) }
    }

    private func fired(_ event: Event) -> String {
        let sure =
            event.confirmedAt == event.occurredAt
            ? "" : " (sure at \(Wording.time(event.confirmedAt, beside: event.occurredAt)))"
        if event.occurredAt == at {
            let verb = event.type == .dwell ? "was still in" : Wording.verb(event)
            return "\(device.id) \(verb) \(fence.name) at \(Wording.time(at))\(sure): \(reason(event))."
        }
        let verb =
            switch event.type {
            case .dwell: "it was still there at"
            case .exit: "it left at"
            default: event.cause == .initial ? "it was there from its first fix on, at" : "it entered at"
            }
        return "\(place); \(verb) \(Wording.time(event.occurredAt, beside: at))\(sure): \(reason(event))."
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

    // MARK: - Why no event happened

    /// What was missing for an enter or an exit.
    private func missing(_ type: EventType, _ judged: [Explanation.Step]) -> String {
        let change = type == .enter ? "enter" : "exit"
        let between: Explanation.State = type == .enter ? .entering : .exiting
        if let pending = judged.last, pending.after == between { return pending.because }
        if let dropped = judged.last(where: { $0.before == between && $0.rule == .contradicted }) {
            return "an \(change) was pending until \(Wording.time(dropped.at, beside: at)), and then a fix contradicted it"
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

    /// The position relative to the boundary, for example "12 m inside" or "on the boundary".
    static func place(_ distance: Double) -> String {
        guard distance.isFinite else { return distance < 0 ? "inside" : "outside" }
        let length = Wording.length(abs(distance))
        return length == "0 m" ? "on the boundary" : "\(length) \(distance < 0 ? "inside" : "outside")"
    }
}
