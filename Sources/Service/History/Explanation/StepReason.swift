import Model

/// Why a step of an explanation has its rule.
package struct StepReason: Hashable, Sendable {
    /// What comes before the reason: the place by which the device was evaluated.
    package struct Stay: Hashable, Sendable {
        var since: Time
        /// In meters.
        var accuracy: Double
    }

    /// A moment, written beside another one.
    package struct Time: Hashable, Sendable {
        var at: Instant
        var other: Instant

        init(_ at: Instant, beside other: Instant) {
            self.at = at
            self.other = other
        }
    }

    package enum Change: Hashable, Sendable { case enter, exit }
    package enum Side: Hashable, Sendable { case inside, outside }

    /// How far a pending change has come, of what the policy asks for. Both are nil if unknown.
    package struct Progress: Hashable, Sendable {
        package struct Part<Value: Hashable & Sendable>: Hashable, Sendable {
            var done: Value
            var of: Value
        }

        var fixes: Part<Int>?
        var seconds: Part<Double>?
    }

    /// A dwell that falls due. `stay` is nil if the start is unknown.
    package struct Dwell: Hashable, Sendable {
        package struct Stay: Hashable, Sendable {
            var since: Time
            var seconds: Double
        }

        var stay: Stay?
    }

    /// Where a device is after an edit, by its newest fix.
    package struct Newest: Hashable, Sendable {
        var state: Explanation.State
        /// Whether a newer fix is not believed.
        var isLastBelieved: Bool
    }

    package enum FenceEdit: Hashable, Sendable { case made, edited, removed }

    package enum Cause: Hashable, Sendable {
        // The fix is not evaluated.
        case fenceNotMadeYet
        case fenceGone
        case fenceInactive
        case fenceForOthers(devices: [String], groups: [String])
        /// No area can be made of the fence.
        case noArea
        // It decides nothing.
        case coarse(maxAccuracy: Double)
        case uncertain(isPending: Bool)
        /// Meters a second.
        case outlier(speed: Double, most: Double)
        case leaving(meters: Double, since: Time)
        // It decides.
        case first(Side)
        case pending(Side, Change, Progress)
        case sureAtOnce(Side)
        /// Together with the fix of that time, which was not believed alone.
        case sureWithEarlier(Side, Time)
        /// `count` fixes have shown it since `first`; `seconds` is how long that took, where the policy asks for it.
        case confirmed(Side, count: Int, first: Time, seconds: Double?)
        case contradicted(Side, Change)
        /// The fix is close to the boundary, and more exact than the one that showed an exit.
        case moreExact
        case dwell(Dwell)
        case holds(Side)
        case holdsIn(Side, Explanation.State)
        // The way to it leads through the fence.
        case wentThrough(Progress)
        case nothingLeadsBack(Progress)
        case wasThrough(since: Time?)
        case leadsBack
        case entersAfterPassage(Progress)
        // There is no fix.
        /// No other fix came in time after a fix that was in doubt.
        case doubtEnded
        case dropped(first: Time, seconds: Double)
        case uncontradicted(first: Time, seconds: Double)
        case fence(FenceEdit, Newest?)
        case device(Newest?)
        case reported(Side)
    }

    var stay: Stay?
    var cause: Cause
    /// A dwell that falls due besides.
    var dwell: Dwell?

    init(_ cause: Cause) { self.cause = cause }

    /// As a sentence without a full stop.
    package func words(in language: Language = .english, zone: LocalTimeZone = .utc) -> String {
        phrase(in: zone).text(in: language)
    }
}
