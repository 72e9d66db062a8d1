import Model

/// Whether a device was in a geofence at a moment, and why.
enum ExplanationAnswer: Sendable {
    /// Where the device was, as the events on record say.
    struct Place: Hashable, Sendable {
        var device: String
        var fence: String
        var at: Instant
        var isInside: Bool
        /// Its last fix by then, when it was silent.
        var notSeenSince: Instant?
    }

    /// Why an event happened.
    enum Cause: Sendable {
        case step(StepReason)
        /// What confirmed it comes after what is shown.
        case confirmedLater(StepReason)
        /// The stored fixes do not show it.
        case notShown
    }

    /// Why no enter or exit happened.
    enum Missing: Sendable {
        case reason(StepReason)
        /// A change was pending until then.
        case contradicted(StepReason.Change, StepReason.Time)
        /// No fix could be measured.
        case nothingMeasured
        /// The fix that came nearest to the change; its distance from the boundary in meters, negative inside.
        case fix(StepReason.Change, StepReason.Time, distance: Double, Lack)
    }

    /// What a fix lacks to make a change.
    enum Lack: Sendable {
        case nothing
        case coarse(StepReason)
        /// Certain only this many meters inside.
        case inside(by: Double)
        /// Certain only this many meters outside.
        case outside(by: Double)
        case reason(StepReason)
    }

    /// No position and no visit of the device is stored.
    case nothingKnown(device: String)
    /// No position is stored that shows why.
    case onRecord(Place)
    /// The first stored position has a later time.
    case onRecordBefore(Place, first: Instant)
    case beforeFirstFix(device: String, at: Instant, first: Instant)
    /// It is about the very moment of an event.
    case happened(Event, device: String, fence: String, Cause)
    case happenedNear(Place, Event, Cause)
    /// The stored fixes show a change that no event records yet.
    case notRecorded(Place, StepReason.Change, Instant, StepReason)
    case nothingCouldFire(at: Instant, StepReason)
    case unknown(Place)
    /// The stored fixes contradict the events.
    case insideByFixes(Place)
    case outsideByFixes(Place, Missing)
    case stayed(Place, Missing)
    case stayedOut(Place, isEntering: Bool, Missing)

    /// As a sentence.
    func words(in language: Language = .english, zone: LocalTimeZone = .utc) -> String {
        phrase(in: zone).text(in: language)
    }
}
