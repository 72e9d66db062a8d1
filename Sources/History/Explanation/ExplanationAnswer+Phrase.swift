import Core
import Model
import Presence

extension ExplanationAnswer {
    /// A whole sentence.
    ///
    /// - Parameter zone: The zone of the times in the sentence.
    func phrase(in zone: LocalTimeZone) -> Phrase {
        func time(_ moment: Instant) -> String { Format.time(moment, in: zone) }
        func time(_ moment: Instant, beside place: Place) -> String { Format.time(moment, beside: place.at, in: zone) }
        switch self {
        case .nothingKnown(let device): return Phrase("Nothing is known: no position of \(device) is stored.")
        case .onRecord(let place): return Phrase("\(place.recorded(in: zone)); no stored position shows why.")
        case .onRecordBefore(let place, let first):
            return Phrase("\(place.recorded(in: zone)); its first stored position is from \(time(first)).")
        case .beforeFirstFix(let device, let at, let first):
            return Phrase(
                "No event was possible: \(time(at)) is before the first stored position of \(device), from \(time(first)).")
        case .happened(let event, let device, let fence, let cause):
            let (at, sure) = (time(event.occurredAt), Self.confirmation(of: event, in: zone))
            let why = cause.phrase(event, in: zone)
            return switch (event.type, event.cause) {
            case (.enter, .initial): Phrase("\(device) is in \(fence) at \(at)\(sure): \(why).")
            case (.enter, _): Phrase("\(device) entered \(fence) at \(at)\(sure): \(why).")
            case (.exit, _): Phrase("\(device) left \(fence) at \(at)\(sure): \(why).")
            case (.dwell, _): Phrase("\(device) was still in \(fence) at \(at)\(sure): \(why).")
            default: Phrase("\(device) \(event.verb) \(fence) at \(at)\(sure): \(why).")
            }
        case .happenedNear(let place, let event, let cause):
            let (here, at) = (place.phrase(in: zone), time(event.occurredAt, beside: place))
            let (sure, why) = (Self.confirmation(of: event, in: zone), cause.phrase(event, in: zone))
            return switch (event.type, event.cause) {
            case (.dwell, _): Phrase("\(here); it was still there at \(at)\(sure): \(why).")
            case (.exit, _): Phrase("\(here); it left at \(at)\(sure): \(why).")
            case (_, .initial): Phrase("\(here); it was there at its first position, at \(at)\(sure): \(why).")
            default: Phrase("\(here); it entered at \(at)\(sure): \(why).")
            }
        case .notRecorded(let place, let change, let at, let reason):
            let (recorded, moment, why) = (place.recorded(in: zone), time(at, beside: place), reason.phrase(in: zone))
            return switch change {
            case .enter:
                Phrase(
                    """
                    \(recorded); according to the stored positions, it entered at \(moment) (\(why)), but this event is not recorded yet.
                    """)
            case .exit:
                Phrase(
                    "\(recorded); according to the stored positions, it left at \(moment) (\(why)), but this event is not recorded yet."
                )
            }
        case .nothingCouldFire(let at, let reason):
            return Phrase("At \(time(at)) no event was possible: \(reason.phrase(in: zone)).")
        case .unknown(let place):
            return Phrase(
                """
                At \(time(place.at)) it was not known whether \(place.device) was in \(place.fence): none of its positions was \
                accurate enough yet.
                """)
        case .insideByFixes(let place):
            return Phrase("\(place.recorded(in: zone)); a new evaluation of the stored positions puts it inside.")
        case .outsideByFixes(let place, let missing):
            let why = missing.phrase(in: zone)
            return Phrase("\(place.recorded(in: zone)); a new evaluation of the stored positions does not put it inside: \(why).")
        case .stayed(let place, let missing):
            return Phrase("\(place.phrase(in: zone)) and did not leave: \(missing.phrase(in: zone)).")
        case .stayedOut(let place, true, let missing):
            return Phrase("\(place.phrase(in: zone)) yet: \(missing.phrase(in: zone)).")
        case .stayedOut(let place, false, let missing):
            return Phrase("\(place.phrase(in: zone)): \(missing.phrase(in: zone)).")
        }
    }

    /// When an event became certain, if that is another time than the event's.
    private static func confirmation(of event: Event, in zone: LocalTimeZone) -> Phrase {
        if event.confirmedAt == event.occurredAt { return Phrase("") }
        return Phrase(" (confirmed at \(Format.time(event.confirmedAt, beside: event.occurredAt, in: zone)))")
    }
}

extension ExplanationAnswer.Place {
    /// Where the device was, and how long ago it was seen if it was silent.
    fileprivate func phrase(in zone: LocalTimeZone) -> Phrase {
        let time = Format.time(at, in: zone)
        let place =
            isInside ? Phrase("At \(time) \(device) was in \(fence)") : Phrase("At \(time) \(device) was not in \(fence)")
        guard let notSeenSince else { return place }
        return Phrase("\(place), not seen since \(Format.time(notSeenSince, beside: at, in: zone))")
    }

    /// The same if the stored positions do not show it, or show something else.
    fileprivate func recorded(in zone: LocalTimeZone) -> Phrase {
        Phrase("\(phrase(in: zone)), according to the recorded events")
    }
}

extension ExplanationAnswer.Cause {
    fileprivate func phrase(_ event: Event, in zone: LocalTimeZone) -> Phrase {
        switch self {
        case .step(let reason): return reason.phrase(in: zone)
        case .confirmedLater(let reason):
            return Phrase("\(reason.phrase(in: zone)); the position that confirmed it is later than those shown here")
        case .notShown:
            guard let remark = event.remark else { return Phrase("the stored positions do not show why") }
            return Phrase("the stored positions do not show why (\(remark))")
        }
    }
}

extension ExplanationAnswer.Missing {
    fileprivate func phrase(in zone: LocalTimeZone) -> Phrase {
        switch self {
        case .reason(let reason): return reason.phrase(in: zone)
        case .contradicted(let change, let moment):
            return Phrase(
                "an \(change) was pending until \(moment.text(in: zone)), and then a position contradicted it")
        case .nothingMeasured: return Phrase("no position could be compared with the boundary")
        case .fix(let change, let moment, let distance, let lack):
            let (at, place) = (moment.text(in: zone), Self.place(distance))
            let fix =
                switch change {
                case .enter: Phrase("the nearest of these positions, from \(at), was \(place)")
                case .exit: Phrase("the furthest of these positions, from \(at), was \(place)")
                }
            return switch lack {
            case .nothing: fix
            case .coarse(let reason): Phrase("\(fix) and is too coarse: \(reason.phrase(in: zone))")
            case .inside(let meters):
                Phrase(
                    """
                    \(fix), but with the accuracy used, a position is certainly inside only \(length: meters) or more \
                    inside the boundary
                    """)
            case .outside(let meters):
                Phrase(
                    """
                    \(fix), but with the exit margin and the accuracy used, a position is certainly outside only \
                    \(length: meters) or more outside the boundary
                    """)
            case .reason(let reason): Phrase("\(fix), and \(reason.phrase(in: zone))")
            }
        }
    }

    /// "12 m inside", "on the boundary".
    private static func place(_ distance: Double) -> Phrase {
        let side = distance < 0 ? StepReason.Side.inside.phrase : StepReason.Side.outside.phrase
        guard distance.isFinite else { return side }
        return abs(distance) < 0.05 ? Phrase("on the boundary") : Phrase("\(length: abs(distance)) \(side)")
    }
}
