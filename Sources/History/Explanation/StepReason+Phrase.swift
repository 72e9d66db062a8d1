import Core
import Model

extension StepReason {
    /// A sentence without a period at the end.
    ///
    /// - Parameter zone: The zone of the times in the sentence.
    func phrase(in zone: LocalTimeZone) -> Phrase {
        var text = cause.phrase(in: zone)
        if let stationary {
            text = Phrase(
                """
                it has not moved since \(stationary.since.text(in: zone)), so the mean of its positions is used \
                (±\(length: stationary.accuracy)): \(text)
                """)
        }
        guard let dwell else { return text }
        return switch cause {
        case .confirmed, .sureAtOnce, .sureWithEarlier: Phrase("\(text); its dwell is due too")
        default: Phrase("\(text); \(dwell.phrase(in: zone))")
        }
    }
}

extension StepReason.Time {
    /// Only the time of day if both times are of the same day.
    func text(in zone: LocalTimeZone) -> String { Format.time(at, beside: other, in: zone) }
}

extension StepReason.Cause {
    fileprivate func phrase(in zone: LocalTimeZone) -> Phrase {
        switch self {
        case .fenceNotCreatedYet: return Phrase("the geofence did not exist yet")
        case .fenceGone: return Phrase("the geofence had been removed")
        case .fenceInactive: return Phrase("the geofence is not active")
        case .fenceForOthers(let devices, let groups):
            let named = Phrase(devices.count, one: "for device \(list: devices)", other: "for devices \(list: devices)")
            let others =
                if groups.isEmpty {
                    named
                } else if devices.isEmpty {
                    Phrase(groups.count, one: "for group \(list: groups)", other: "for groups \(list: groups)")
                } else {
                    Phrase(groups.count, one: "\(named) and group \(list: groups)", other: "\(named) and groups \(list: groups)")
                }
            return Phrase("the geofence is not for this device, but \(others)")
        case .noArea: return Phrase("the geofence has no valid area: the last state holds")
        case .coarse(let most):
            return Phrase(
                """
                coarser than maxAccuracy \(length: most), and neither certainly inside nor certainly outside at twice its accuracy: \
                decides nothing
                """)
        case .uncertain(false): return Phrase("near the boundary: the last state holds")
        case .uncertain(true): return Phrase("near the boundary: neither confirms nor contradicts the pending change")
        case .outlier(let speed, let most):
            return Phrase(
                """
                implies \(Int(speed.rounded())) m/s, more than \(tenths: most) m/s: an outlier unless the next position agrees
                """)
        case .leaving(let meters, let since):
            return Phrase(
                """
                \(length: meters) from where the device has been since \(since.text(in: zone)), more than noise explains: in doubt \
                until the next position is also elsewhere, or until none arrives in time
                """)
        case .first(let side): return Phrase("nothing was known before: \(side) from here on")
        case .pending(let side, let change, let done): return Phrase("\(side): the \(change) is \(done)")
        case .sureAtOnce(let side): return Phrase("\(side): sure at once")
        case .sureWithEarlier(let side, let earlier):
            return Phrase(
                """
                \(side), and so was the position of \(earlier.text(in: zone)), which was in doubt: confirmed, dated back to that \
                position
                """)
        case .confirmed(let side, let count, let first, nil):
            return Phrase("\(Self.ordinal(count)) position \(side): confirmed, dated back to \(first.text(in: zone))")
        case .confirmed(let side, let count, let first, let seconds?):
            return Phrase(
                """
                \(Self.ordinal(count)) position \(side), \(tenths: seconds) s after the first: confirmed, dated back to \
                \(first.text(in: zone))
                """)
        case .contradicted(let side, let change):
            return Phrase("\(side): contradicts the pending \(change), which is dropped")
        case .moreExact:
            return Phrase("near the boundary, and more accurate than the position that showed the exit: the exit is dropped")
        case .dwell(let dwell): return dwell.phrase(in: zone)
        case .holds(let side): return Phrase("\(side), as before")
        case .holdsIn(let side, let state): return Phrase("\(side), and the state is \(state)")
        case .wentThrough(let done):
            return Phrase("outside again, and the path from the previous position leads through it: a visit is \(done)")
        case .nothingLeadsBack(let done): return Phrase("outside, and no path leads back: \(done)")
        case .wasThrough(nil): return Phrase("the path led through it: a visit, inferred")
        case .wasThrough(let since?): return Phrase("the path led through it: a visit from \(since.text(in: zone)), inferred")
        case .leadsBack: return Phrase("the path leads back: the visit on that path is dropped")
        case .entersAfterPassage(let done):
            return Phrase("inside: the enter is \(done), and the visit on the path before it is dropped")
        case .doubtEnded: return Phrase("no later position contradicted the one in doubt: confirmed")
        case .dropped(let first, let seconds):
            return Phrase(
                """
                no later position confirmed or contradicted the position of \(first.text(in: zone)) for \(tenths: seconds) s: dropped
                """)
        case .uncontradicted(let first, let seconds):
            return Phrase(
                """
                nothing contradicted it for \(tenths: seconds) s: confirmed by the deadline, dated back to \(first.text(in: zone))
                """)
        case .fence(.created, let state): return Phrase("the geofence was created\(Self.words(state))")
        case .fence(.edited, let state): return Phrase("the geofence was edited\(Self.words(state))")
        case .fence(.removed, let state): return Phrase("the geofence was removed\(Self.words(state))")
        case .device(let state): return Phrase("the device's groups or policy were edited\(Self.words(state))")
        case .reported(let side): return Phrase("the phone itself reported that it is \(side)")
        }
    }

    private static func words(_ known: StepReason.StateAfterEdit?) -> Phrase {
        guard let known else { return Phrase("") }
        return known.isOfNewestFix
            ? Phrase(", and by its newest position the device is \(known.state)")
            : Phrase(", and by its newest position that is not in doubt the device is \(known.state)")
    }

    private static func ordinal(_ count: Int) -> Phrase {
        switch (count, count % 100, count % 10) {
        case (1, _, _): Phrase("first")
        case (2, _, _): Phrase("second")
        case (3, _, _): Phrase("third")
        case (_, 11...13, _): Phrase("\(plain: count)th")
        case (_, _, 1): Phrase("\(plain: count)st")
        case (_, _, 2): Phrase("\(plain: count)nd")
        case (_, _, 3): Phrase("\(plain: count)rd")
        default: Phrase("\(plain: count)th")
        }
    }
}

extension StepReason.Progress: Named {
    /// For example "pending (1 of 2 positions)".
    var phrase: Phrase {
        let parts = [
            fixes.map { Phrase("\(plain: $0.done) of \(plain: $0.of) positions") },
            seconds.map { Phrase("\(tenths: $0.done) of \(tenths: $0.of) s") },
        ].compactMap(\.self)
        return switch parts.count {
        case 0: Phrase("pending")
        case 1: Phrase("pending (\(parts[0]))")
        default: Phrase("pending (\(parts[0]) and \(parts[1]))")
        }
    }
}

extension StepReason.Dwell {
    fileprivate func phrase(in zone: LocalTimeZone) -> Phrase {
        guard let visit else { return Phrase("a deadline has passed") }
        return Phrase("inside since \(visit.since.text(in: zone)): the dwell of \(duration: visit.seconds) is due")
    }
}

extension StepReason.Change: Named {
    var phrase: Phrase {
        switch self {
        case .enter: Phrase("enter")
        case .exit: Phrase("exit")
        }
    }
}

extension StepReason.Side: Named {
    var phrase: Phrase {
        switch self {
        case .inside: Phrase("inside")
        case .outside: Phrase("outside")
        }
    }
}

extension Explanation.State: Named {
    package var phrase: Phrase {
        switch self {
        case .unknown: Phrase("unknown")
        case .outside: Phrase("outside")
        case .entering: Phrase("entering")
        case .inside: Phrase("inside")
        case .exiting: Phrase("exiting")
        case .passing: Phrase("passing")
        }
    }
}
