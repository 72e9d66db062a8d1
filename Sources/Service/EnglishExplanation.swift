import Model

/// Explanations in English.
struct EnglishExplanation: ExplanationCatalog {
    /// The zone of the times in the sentences.
    let zone: LocalTimeZone

    func reason(_ reason: StepReason) -> String {
        let stay = reason.stay.map {
            "it has not moved since \(time($0.since)), so the mean of its positions is used (±\(Format.length($0.accuracy))): "
        }
        var dwell = ""
        if let due = reason.dwell {
            switch reason.cause {
            case .confirmed, .sureAtOnce, .sureWithEarlier: dwell = "; its dwell is due too"
            default: dwell = "; " + words(due)
            }
        }
        return (stay ?? "") + cause(reason.cause) + dwell
    }

    private func cause(_ cause: StepReason.Cause) -> String {
        switch cause {
        case .fenceNotMadeYet: return "the geofence did not exist yet"
        case .fenceGone: return "the geofence had been removed"
        case .fenceInactive: return "the geofence is not active"
        case .fenceForOthers(let devices, let groups):
            var parts: [String] = []
            if !devices.isEmpty {
                parts.append("\(devices.count == 1 ? "device" : "devices") \(devices.joined(separator: ", "))")
            }
            if !groups.isEmpty { parts.append("\(groups.count == 1 ? "group" : "groups") \(groups.joined(separator: ", "))") }
            return "the geofence is not for this device, but for \(parts.joined(separator: " and "))"
        case .noArea: return "the geofence has no valid area: the last state holds"
        case .coarse(let most):
            return
                "coarser than maxAccuracy \(Format.length(most)) and not inside or outside by twice its accuracy: decides nothing"
        case .band(false): return "near the boundary: the last state holds"
        case .band(true): return "near the boundary: neither confirms nor contradicts the pending change"
        case .jump(let speed, let most):
            return "implies \(Format.number(Int(speed.rounded()))) m/s, more than \(Format.decimal(most, 1)) m/s: an outlier "
                + "unless the next position agrees"
        case .leaving(let meters, let since):
            return "\(Format.length(meters)) from where the device has been since \(time(since)), more than noise explains: "
                + "in doubt until the next position is also elsewhere, or until none arrives in time"
        case .first(let side): return "nothing was known before: \(words(side)) from here on"
        case .pending(let side, let change, let done): return "\(words(side)): the \(words(change)) is \(words(done))"
        case .sureAtOnce(let side): return "\(words(side)): sure at once"
        case .sureWithEarlier(let side, let earlier):
            return
                "\(words(side)), like the position of \(time(earlier)), which was in doubt: confirmed, dated back to that position"
        case .confirmed(let side, let count, let first, let seconds):
            let delay = seconds.map { ", \(Format.decimal($0, 1)) s after the first" } ?? ""
            return "\(ordinal(count)) position \(words(side))\(delay): confirmed, dated back to \(time(first))"
        case .contradicted(let side, let change):
            return "\(words(side)): contradicts the pending \(words(change)), which is dropped"
        case .moreExact: return "near the boundary, and more accurate than the position that showed the exit: the exit is dropped"
        case .dwell(let dwell): return words(dwell)
        case .holds(let side): return "\(words(side)), as before"
        case .holdsIn(let side, let state): return "\(words(side)), and the state is \(state.rawValue)"
        case .wentThrough(let done):
            return "outside again, and the path from the previous position leads through it: a visit is \(words(done))"
        case .nothingLeadsBack(let done): return "outside, and no path leads back: \(words(done))"
        case .wasThrough(let since): return "the path led through it: a visit\(since.map { " from \(time($0))" } ?? ""), inferred"
        case .leadsBack: return "the path leads back: the visit on that path is dropped"
        case .entersAfterPassage(let done):
            return "inside: the enter is \(words(done)), and the visit on the path before it is dropped"
        case .doubtEnded: return "no later position contradicted the one in doubt: confirmed"
        case .dropped(let first, let seconds):
            return "no later position confirmed or contradicted the position of \(time(first)) for "
                + "\(Format.decimal(seconds, 1)) s: dropped"
        case .uncontradicted(let first, let seconds):
            return
                "nothing contradicted it for \(Format.decimal(seconds, 1)) s: confirmed by the deadline, dated back to \(time(first))"
        case .fence(let edit, let newest): return "the geofence was \(words(edit))\(words(newest))"
        case .device(let newest): return "the device's groups or policy were edited\(words(newest))"
        case .reported(let side): return "the phone itself reported that it is \(words(side))"
        }
    }

    func answer(_ answer: ExplanationAnswer) -> String {
        switch answer {
        case .nothingKnown(let device): return "Nothing is known: no position of \(device) is stored."
        case .onRecord(let place): return "\(onRecord(place)); no stored position shows why."
        case .onRecordBefore(let place, let first):
            return "\(onRecord(place)); its first stored position is from \(time(first))."
        case .beforeFirstFix(let device, let at, let first):
            return "No event was possible: \(time(at)) is before the first stored position of \(device), from "
                + "\(time(first))."
        case .happened(let event, let device, let fence, let cause):
            let verb = event.type == .dwell ? "was still in" : verb(event)
            return "\(device) \(verb) \(fence) at \(time(event.occurredAt))\(sure(event)): \(words(cause, event))."
        case .happenedNear(let place, let event, let cause):
            let verb =
                switch event.type {
                case .dwell: "it was still there at"
                case .exit: "it left at"
                default: event.cause == .initial ? "it was there at its first position, at" : "it entered at"
                }
            return "\(words(place)); \(verb) \(time(event.occurredAt, beside: place.at))\(sure(event)): "
                + "\(words(cause, event))."
        case .untold(let place, let change, let at, let reason):
            return "\(onRecord(place)); according to the stored positions, it \(change == .enter ? "entered" : "left") at "
                + "\(time(at, beside: place.at)) (\(self.reason(reason))), but this event is not recorded yet."
        case .nothingCouldFire(let at, let reason):
            return "At \(time(at)) no event was possible: \(self.reason(reason))."
        case .unknown(let place):
            return
                "At \(time(place.at)) it was not known whether \(place.device) was in \(place.fence): none of its positions "
                + "was accurate enough yet."
        case .insideByFixes(let place): return "\(onRecord(place)); a new evaluation of the stored positions puts it inside."
        case .outsideByFixes(let place, let lack):
            return "\(onRecord(place)); a new evaluation of the stored positions does not show it: \(words(lack))."
        case .stayed(let place, let lack): return "\(words(place)) and did not leave: \(words(lack))."
        case .stayedOut(let place, let isEntering, let lack):
            return "\(words(place))\(isEntering ? " yet" : ""): \(words(lack))."
        }
    }

    func remark(_ remark: ExplanationRemark) -> String {
        switch remark {
        case .positionsRemoved:
            "Positions of the device were removed or never kept; this evaluation starts with the first one that is left."
        case .lateFixesWait(let since):
            "Positions arrived late, the first from \(time(since)), and wait for a replay; this evaluation includes them in order of time."
        case .lateFixesNotEvaluated(let since):
            "Positions arrived late, the first from \(time(since)), and could not be evaluated, because older positions were deleted or never "
                + "kept; this evaluation includes them in order of time."
        case .backdated(let isRemoved, let from, let to):
            "A replay with the current geofences evaluated the positions \(from.map { "from \(time($0)) " } ?? "")up to \(time(to)) "
                + (isRemoved ? "as if the geofence had not existed" : "with the geofence as it was created or changed later")
                + ": its events have the cause 'corrected'."
        case .alsoOnRecord(let type, let at):
            "Also recorded: \(type.rawValue) at \(time(at)). Replaying the stored positions does not produce it."
        }
    }

    func verb(_ event: Event) -> String {
        switch event.type {
        case .enter: event.cause == .initial ? "is in" : "entered"
        case .exit: "left"
        case .dwell: "has stayed in"
        case .silent: "is silent"
        case .returned: "is reporting again"
        case .alarm: "raised an alarm"
        case .missed: "missed"
        case .retracted: "retracted"
        }
    }

    func since(_ time: String) -> String { "since \(time)" }

    func remark(on event: Event) -> String {
        var parts: [String] = []
        switch event.rule?.expectation {
        case .entersBy(let by, _, _)?: parts.append("expected by \(by)")
        case .staysAtMost(let seconds)?: parts.append("expected for at most \(Language.english.duration(seconds))")
        case .staysUntil(let until, _)?: parts.append("expected until \(until)")
        case nil: break
        }
        if let duration = event.duration, event.type != .silent, event.type != .missed {
            parts.append("\(event.type == .dwell ? "for" : "after") \(Language.english.duration(duration))")
        }
        switch event.cause {
        case .moved, .silence, .reported, .rule: break
        case .initial: parts.append("at its first position")
        case .fenceChanged: parts.append("because the geofence was changed")
        case .fenceRemoved: parts.append("because the geofence was removed")
        case .reconciled: parts.append("because the phone itself reported it")
        case .corrected: parts.append("corrected by a replay")
        case .deviceRemoved: parts.append("because the device was removed")
        }
        return parts.joined(separator: ", ")
    }

    func remedy(_ remedy: ExplanationRemedy) -> String {
        guard let outcome = remedy.outcome else {
            return
                "Only one position is inside. If the device reported more often than every \(Language.english.duration(remedy.value)), more "
                + "could be."
        }
        let whose = remedy.subject == .geofence ? "for this geofence" : "for this device"
        let change =
            switch remedy.field {
            case .radius: "a radius of \(Format.length(remedy.value))"
            default:
                remedy.value.isFinite
                    ? "\(remedy.field.rawValue) \(remedy.field.amount(remedy.value)) \(whose)"
                    : "no \(remedy.field.rawValue) \(whose)"
            }
        let moment = outcome.since.map { " at \(time($0))" } ?? ""
        let happened =
            switch (outcome.isInside, outcome.since != nil) {
            case (true, true): "would have entered \(outcome.fence)\(moment)"
            case (true, false): "would have stayed in \(outcome.fence)"
            case (false, true): "would have left \(outcome.fence)\(moment)"
            case (false, false): "would not have entered \(outcome.fence)"
            }
        return "With \(change), \(outcome.device) \(happened)."
    }

    // MARK: - Parts of sentences

    /// "At 2026-05-01 10:00:00Z anna was not in Home", with how long ago it was seen when it was silent.
    private func words(_ place: ExplanationAnswer.Place) -> String {
        let silence = place.notSeenSince.map { ", not seen since \(time($0, beside: place.at))" } ?? ""
        return "At \(time(place.at)) \(place.device) was \(place.isInside ? "" : "not ")in \(place.fence)\(silence)"
    }

    /// The same where the stored fixes do not say it, or say otherwise.
    private func onRecord(_ place: ExplanationAnswer.Place) -> String { "\(words(place)), according to the recorded events" }

    private func sure(_ event: Event) -> String {
        event.confirmedAt == event.occurredAt
            ? "" : " (confirmed at \(time(event.confirmedAt, beside: event.occurredAt)))"
    }

    private func words(_ cause: ExplanationAnswer.Cause, _ event: Event) -> String {
        switch cause {
        case .step(let reason): return self.reason(reason)
        case .confirmedLater(let reason):
            return "\(self.reason(reason)); the position that confirmed it is later than those shown here"
        case .notShown:
            let remark = remark(on: event)
            return "the stored positions do not show why" + (remark.isEmpty ? "" : " (\(remark))")
        }
    }

    private func words(_ missing: ExplanationAnswer.Missing) -> String {
        switch missing {
        case .reason(let reason): return self.reason(reason)
        case .contradicted(let change, let moment):
            return "an \(words(change)) was pending until \(time(moment)), and then a position contradicted it"
        case .nothingMeasured: return "none of its positions could be measured"
        case .fix(let change, let moment, let distance, let lack):
            let fix =
                "the \(change == .enter ? "nearest" : "furthest") of these positions, from \(time(moment)), was \(place(distance))"
            switch lack {
            case .nothing: return fix
            case .coarse(let reason): return "\(fix) and is too coarse: \(self.reason(reason))"
            case .inside(let meters):
                return "\(fix), but because of the accuracy used it is certain only from \(Format.length(meters)) inside"
            case .outside(let meters):
                return "\(fix), but because of the exit margin and the accuracy used it is certain only from "
                    + "\(Format.length(meters)) outside"
            case .reason(let reason): return "\(fix), and \(self.reason(reason))"
            }
        }
    }

    /// "12 m inside", "on the boundary".
    private func place(_ distance: Double) -> String {
        guard distance.isFinite else { return distance < 0 ? "inside" : "outside" }
        let length = Format.length(abs(distance))
        return length == "0 m" ? "on the boundary" : "\(length) \(distance < 0 ? "inside" : "outside")"
    }

    private func words(_ side: StepReason.Side) -> String { side == .inside ? "inside" : "outside" }

    private func words(_ change: StepReason.Change) -> String { change == .enter ? "enter" : "exit" }

    private func words(_ edit: StepReason.FenceEdit) -> String {
        switch edit {
        case .made: "created"
        case .edited: "edited"
        case .removed: "removed"
        }
    }

    private func words(_ newest: StepReason.Newest?) -> String {
        newest.map {
            ", and by its newest position\($0.isLastBelieved ? "" : " that is not in doubt") the device is \($0.state.rawValue)"
        } ?? ""
    }

    /// "pending for 1 of 2 fixes".
    private func words(_ progress: StepReason.Progress) -> String {
        let parts = [
            progress.fixes.map { "\($0.done) of \($0.of) positions" },
            progress.seconds.map { "\(Format.decimal($0.done, 1)) of \(Format.decimal($0.of, 1)) s" },
        ].compactMap(\.self)
        return parts.isEmpty ? "pending" : "pending for " + parts.joined(separator: " and ")
    }

    private func words(_ dwell: StepReason.Dwell) -> String {
        dwell.stay.map { "inside since \(time($0.since)): the dwell of \(Language.english.duration($0.seconds)) is due" }
            ?? "a deadline has passed"
    }

    private func ordinal(_ count: Int) -> String {
        switch count {
        case 1: "first"
        case 2: "second"
        case 3: "third"
        default:
            switch (count % 100, count % 10) {
            case (11...13, _): "\(count)th"
            case (_, 1): "\(count)st"
            case (_, 2): "\(count)nd"
            case (_, 3): "\(count)rd"
            default: "\(count)th"
            }
        }
    }
}
