import Model

/// Explanations in English.
struct EnglishExplanation: ExplanationCatalog {
    /// The zone of the times in the sentences.
    let zone: LocalTimeZone

    func reason(_ reason: StepReason) -> String {
        let stay = reason.stay.map {
            "it stays since \(time($0.since)), and the mean of its fixes counts (±\(Format.length($0.accuracy))): "
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
        case .fenceNotMadeYet: return "the fence did not exist yet"
        case .fenceGone: return "the fence had been removed"
        case .fenceInactive: return "the fence is not active"
        case .fenceForOthers(let devices, let groups):
            var parts: [String] = []
            if !devices.isEmpty {
                parts.append("\(devices.count == 1 ? "device" : "devices") \(devices.joined(separator: ", "))")
            }
            if !groups.isEmpty { parts.append("\(groups.count == 1 ? "group" : "groups") \(groups.joined(separator: ", "))") }
            return "the fence is not for this device, but for \(parts.joined(separator: " and "))"
        case .noArea: return "no area can be made of the fence: the last state holds"
        case .coarse(let most):
            return
                "coarser than maxAccuracy \(Format.length(most)) and not inside or outside by twice its accuracy: decides nothing"
        case .band(false): return "in the band: the last state holds"
        case .band(true): return "in the band: neither confirms nor contradicts the pending change"
        case .jump(let speed, let most):
            return "implies \(Format.number(Int(speed.rounded()))) m/s, more than \(Format.decimal(most, 1)) m/s: an outlier "
                + "unless the next one agrees"
        case .leaving(let meters, let since):
            return "\(Format.length(meters)) from where the device stays since \(time(since)), more than noise explains: "
                + "in doubt until the next one lies elsewhere, too, or none comes in time"
        case .first(let side): return "nothing was known before: \(words(side)) from here on"
        case .pending(let side, let change, let done): return "\(words(side)): the \(words(change)) is \(words(done))"
        case .sureAtOnce(let side): return "\(words(side)): sure at once"
        case .sureWithEarlier(let side, let earlier):
            return "\(words(side)), like the fix of \(time(earlier)) that was not believed alone: confirmed, dated back to that"
        case .confirmed(let side, let count, let first, let seconds):
            let delay = seconds.map { ", \(Format.decimal($0, 1)) s after the first" } ?? ""
            return "\(ordinal(count)) fix \(words(side))\(delay): confirmed, dated back to \(time(first))"
        case .contradicted(let side, let change):
            return "\(words(side)): contradicts the pending \(words(change)), which is dropped"
        case .moreExact: return "in the band, and more exact than the fix that showed the exit: that is dropped"
        case .dwell(let dwell): return words(dwell)
        case .holds(let side): return "\(words(side)), as before"
        case .holdsIn(let side, let state): return "\(words(side)), and the state is \(state.rawValue)"
        case .wentThrough(let done):
            return "outside again, and the way from the fix before leads through it: a visit is \(words(done))"
        case .nothingLeadsBack(let done): return "outside, and nothing leads back: \(words(done))"
        case .wasThrough(let since): return "the way led through it: a visit\(since.map { " from \(time($0))" } ?? ""), inferred"
        case .leadsBack: return "the way leads back: the visit on the way is dropped"
        case .entersAfterPassage(let done):
            return "inside: the enter is \(words(done)), and the visit on the way before is dropped"
        case .doubtEnded: return "no later fix contradicted the one that was in doubt: confirmed"
        case .dropped(let first, let seconds):
            return "what the fix of \(time(first)) showed, those after it neither confirmed nor contradicted for "
                + "\(Format.decimal(seconds, 1)) s: dropped"
        case .uncontradicted(let first, let seconds):
            return
                "nothing contradicted it for \(Format.decimal(seconds, 1)) s: confirmed by the deadline, dated back to \(time(first))"
        case .fence(let edit, let newest): return "the fence was \(words(edit))\(words(newest))"
        case .device(let newest): return "the device's groups or policy were edited\(words(newest))"
        case .reported(let side): return "the phone itself reported that it is \(words(side))"
        }
    }

    func answer(_ answer: ExplanationAnswer) -> String {
        switch answer {
        case .nothingKnown(let device): return "Nothing is known: no position of \(device) is stored."
        case .onRecord(let place): return "\(onRecord(place)); no position of it is stored that shows why."
        case .onRecordBefore(let place, let first):
            return "\(onRecord(place)); its first position that is stored is of \(time(first))."
        case .beforeFirstFix(let device, let at, let first):
            return "Nothing could fire: \(time(at)) is before the first fix of \(device) that is stored, of "
                + "\(time(first))."
        case .happened(let event, let device, let fence, let cause):
            let verb = event.type == .dwell ? "was still in" : verb(event)
            return "\(device) \(verb) \(fence) at \(time(event.occurredAt))\(sure(event)): \(words(cause, event))."
        case .happenedNear(let place, let event, let cause):
            let verb =
                switch event.type {
                case .dwell: "it was still there at"
                case .exit: "it left at"
                default: event.cause == .initial ? "it was there from its first fix on, at" : "it entered at"
                }
            return "\(words(place)); \(verb) \(time(event.occurredAt, beside: place.at))\(sure(event)): "
                + "\(words(cause, event))."
        case .untold(let place, let change, let at, let reason):
            return "\(onRecord(place)); by the fixes that are stored it \(change == .enter ? "entered" : "left") at "
                + "\(time(at, beside: place.at)) (\(self.reason(reason))), and no event says so yet."
        case .nothingCouldFire(let at, let reason):
            return "At \(time(at)) nothing could fire: \(self.reason(reason))."
        case .unknown(let place):
            return
                "At \(time(place.at)) it was not known whether \(place.device) was in \(place.fence): no fix of it was "
                + "precise enough yet to tell."
        case .insideByFixes(let place): return "\(onRecord(place)); a new evaluation of the stored fixes puts it inside."
        case .outsideByFixes(let place, let lack):
            return "\(onRecord(place)); a new evaluation of the stored fixes does not show it: \(words(lack))."
        case .stayed(let place, let lack): return "\(words(place)) and did not leave: \(words(lack))."
        case .stayedOut(let place, let isEntering, let lack):
            return "\(words(place))\(isEntering ? " yet" : ""): \(words(lack))."
        }
    }

    func remark(_ remark: ExplanationRemark) -> String {
        switch remark {
        case .positionsRemoved:
            "Positions of the device were removed or never kept; it is judged here from the first that is left."
        case .lateFixesWait(let since):
            "Fixes came late, the first of \(time(since)), and wait for a replay; here they are judged in their place."
        case .lateFixesNotEvaluated(let since):
            "Fixes came late, the first of \(time(since)), and could not be evaluated, because older positions were deleted or never kept; "
                + "here they are judged in their place."
        case .backdated(let isRemoved, let from, let to):
            "A replay with present geofences has evaluated the positions \(from.map { "from \(time($0)) " } ?? "")up to \(time(to)) "
                + (isRemoved ? "as if the geofence had not been there" : "with the geofence as it was made or changed afterwards")
                + ": its events have the cause corrected."
        case .alsoOnRecord(let type, let at):
            "On record is also: \(type.rawValue) at \(time(at)). Judging the stored fixes anew does not give it."
        }
    }

    func verb(_ event: Event) -> String {
        switch event.type {
        case .enter: event.cause == .initial ? "is in" : "entered"
        case .exit: "left"
        case .dwell: "stays in"
        case .silent: "is silent"
        case .returned: "is back"
        case .alarm: "raises alarm"
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
        case .initial: parts.append("from its first fix")
        case .fenceChanged: parts.append("because the fence changed")
        case .fenceRemoved: parts.append("because the fence was removed")
        case .reconciled: parts.append("by the phone's own report")
        case .corrected: parts.append("corrected by a replay")
        case .deviceRemoved: parts.append("because the device was removed")
        }
        return parts.joined(separator: ", ")
    }

    func remedy(_ remedy: ExplanationRemedy) -> String {
        guard let outcome = remedy.outcome else {
            return
                "Only one position lies inside. With one more often than every \(Language.english.duration(remedy.value)), more "
                + "could."
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
    private func onRecord(_ place: ExplanationAnswer.Place) -> String { "\(words(place)), by the events on record" }

    private func sure(_ event: Event) -> String {
        event.confirmedAt == event.occurredAt
            ? "" : " (sure at \(time(event.confirmedAt, beside: event.occurredAt)))"
    }

    private func words(_ cause: ExplanationAnswer.Cause, _ event: Event) -> String {
        switch cause {
        case .step(let reason): return self.reason(reason)
        case .confirmedLater(let reason): return "\(self.reason(reason)); what confirmed it comes after what is shown here"
        case .notShown:
            let remark = remark(on: event)
            return "the fixes that are stored do not show why" + (remark.isEmpty ? "" : " (\(remark))")
        }
    }

    private func words(_ missing: ExplanationAnswer.Missing) -> String {
        switch missing {
        case .reason(let reason): return self.reason(reason)
        case .contradicted(let change, let moment):
            return "an \(words(change)) was pending until \(time(moment)), and then a fix contradicted it"
        case .nothingMeasured: return "none of its fixes could be measured"
        case .fix(let change, let moment, let distance, let lack):
            let fix =
                "the \(change == .enter ? "nearest" : "furthest") of these fixes, of \(time(moment)), lay \(place(distance))"
            switch lack {
            case .nothing: return fix
            case .coarse(let reason): return "\(fix) and is too coarse: \(self.reason(reason))"
            case .inside(let meters):
                return "\(fix), and only from \(Format.length(meters)) inside on is it certain, by the accuracy that counts"
            case .outside(let meters):
                return "\(fix), and only past \(Format.length(meters)) outside is it certain, "
                    + "by the exit margin and the accuracy that counts"
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
        case .made: "made"
        case .edited: "edited"
        case .removed: "removed"
        }
    }

    private func words(_ newest: StepReason.Newest?) -> String {
        newest.map {
            ", and by its newest fix\($0.isLastBelieved ? "" : " that is believed") the device is \($0.state.rawValue)"
        } ?? ""
    }

    /// "pending for 1 of 2 fixes".
    private func words(_ progress: StepReason.Progress) -> String {
        let parts = [
            progress.fixes.map { "\($0.done) of \($0.of) fixes" },
            progress.seconds.map { "\(Format.decimal($0.done, 1)) of \(Format.decimal($0.of, 1)) s" },
        ].compactMap(\.self)
        return parts.isEmpty ? "pending" : "pending for " + parts.joined(separator: " and ")
    }

    private func words(_ dwell: StepReason.Dwell) -> String {
        dwell.stay.map { "inside since \(time($0.since)): the dwell of \(Language.english.duration($0.seconds)) is due" }
            ?? "something fell due"
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
