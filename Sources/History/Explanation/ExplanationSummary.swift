import Model
import Monitor

/// Determines where a device was at a moment, and why an event did or did not happen.
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

    var answer: ExplanationAnswer {
        let fixes = steps.filter { $0.fix != nil }
        guard let first = fixes.first else { return visits.isEmpty ? .nothingKnown(device: device.id) : .onRecord(place) }
        guard let last = fixes.last(where: { $0.at <= at }) else {
            return visits.current != nil || visits.before != nil
                ? .onRecordBefore(place, first: first.at) : .beforeFirstFix(device: device.id, at: at, first: first.at)
        }
        if let event = nearest() { return fired(event) }
        if let step = steps.last(where: { step in step.transitions.contains { [.enter, .exit].contains($0.type) } }),
            let transition = step.transitions.last(where: { [.enter, .exit].contains($0.type) })
        {
            return .notRecorded(place, transition.type == .enter ? .enter : .exit, transition.occurredAt, step.because)
        }
        switch last.after {
        case nil: return .nothingCouldFire(at: at, last.because)
        case .unknown? where visits.current == nil: return .unknown(place)
        case .inside?, .exiting?:
            return visits.current == nil ? .insideByFixes(place) : .stayed(place, missing(.exit, steps))
        case .unknown?, .outside?, .entering?, .passing?:
            return visits.current == nil
                ? .stayedOut(place, isEntering: last.after == .entering, missing(.enter, steps))
                : .outsideByFixes(place, missing(.enter, steps))
        }
    }

    private var place: ExplanationAnswer.Place {
        let seen = steps.last { $0.fix != nil && $0.at <= at }?.at
        return .init(
            device: device.id, fence: fence.name, at: at, isInside: visits.current != nil,
            notSeenSince: seen.flatMap { at - $0 > device.silentAfter ? $0 : nil })
    }

    // MARK: - Why it fired

    /// The event that is nearest to the moment. Enters and exits have precedence over dwells.
    private func nearest() -> Event? {
        func gap(_ event: Event) -> Double { max(event.occurredAt - at, at - event.confirmedAt, 0) }
        func rank(_ event: Event) -> (Double, Int, Double) {
            (gap(event), event.type == .dwell ? 1 : 0, abs(event.occurredAt - at))
        }
        return events.min { rank($0) < rank($1) }
    }

    private func fired(_ event: Event) -> ExplanationAnswer {
        event.occurredAt == at
            ? .happened(event, device: device.id, fence: fence.name, cause(of: event))
            : .happenedNear(place, event, cause(of: event))
    }

    private func cause(of event: Event) -> ExplanationAnswer.Cause {
        let step = steps.first { step in
            step.transitions.contains {
                $0.type == event.type && $0.occurredAt == event.occurredAt
                    && ($0.cause == event.cause || event.cause == .corrected)
            }
        }
        if let step { return .step(step.because) }
        if let end = steps.last, event.decidedAt > end.at, let shown = steps.last(where: { $0.at <= event.occurredAt }) {
            return .confirmedLater(shown.because)
        }
        return .notShown
    }

    // MARK: - Why it did not

    /// What was missing for an enter or an exit.
    private func missing(_ change: StepReason.Change, _ evaluated: [Explanation.Step]) -> ExplanationAnswer.Missing {
        let between: Explanation.State = change == .enter ? .entering : .exiting
        if let pending = evaluated.last, pending.after == between { return .reason(pending.because) }
        if let dropped = evaluated.last(where: { $0.before == between && $0.criterion == .contradicted }) {
            return .contradicted(change, .init(dropped.at, beside: at))
        }
        if let dropped = evaluated.last(where: { $0.before == between && $0.criterion == .dropped }) {
            return .reason(dropped.because)
        }
        let measured = evaluated.compactMap { step in step.measurement.map { (step, $0) } }
        let sign = change == .enter ? 1.0 : -1
        guard let (step, best) = measured.min(by: { sign * $0.1.distance < sign * $1.1.distance }) else {
            return .nothingMeasured
        }
        let lack: ExplanationAnswer.Lack =
            switch (best.containment, change) {
            case (.coarse, _): .coarse(step.because)
            case (.uncertain, _) where step.criterion == .first: .nothing
            case (.uncertain, .enter): .inside(by: best.countedAccuracy)
            case (.uncertain, .exit): .outside(by: best.countedAccuracy + best.exitMargin)
            case (.inside, .enter), (.outside, .exit): .reason(step.because)
            default: .nothing
            }
        return .fix(change, .init(step.at, beside: at), distance: best.distance, lack)
    }
}
