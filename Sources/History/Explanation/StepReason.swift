import Model

/// Why a criterion applied at a step of an explanation; see `Explanation.Criterion`.
struct StepReason: Hashable, Sendable {
    /// The time without movement during which the step happened. The engine evaluated the mean of its positions, and the sentence begins
    /// with that.
    struct StationaryPeriod: Hashable, Sendable {
        var since: Time
        /// The accuracy of the mean in meters.
        var accuracy: Double
    }

    /// A moment that is shown beside another one: without its date if both are on the same day.
    struct Time: Hashable, Sendable {
        var at: Instant
        var other: Instant

        init(_ at: Instant, beside other: Instant) {
            self.at = at
            self.other = other
        }
    }

    enum Change: Hashable, Sendable { case enter, exit }
    enum Side: Hashable, Sendable { case inside, outside }

    /// How many positions and seconds a pending change has, of those that the policy requires. Nil: not required, or not known.
    struct Progress: Hashable, Sendable {
        struct Part<Value: Hashable & Sendable>: Hashable, Sendable {
            var done: Value
            var of: Value
        }

        var fixes: Part<Int>?
        var seconds: Part<Double>?
    }

    /// A dwell that is due. `visit` is nil if the start is unknown.
    struct Dwell: Hashable, Sendable {
        struct Visit: Hashable, Sendable {
            var since: Time
            var seconds: Double
        }

        var visit: Visit?
    }

    /// The state of a device after an edit, by its newest fix that is not in doubt.
    struct StateAfterEdit: Hashable, Sendable {
        var state: Explanation.State
        /// Whether that fix is the newest of all. False if a newer fix is in doubt.
        var isOfNewestFix: Bool
    }

    enum FenceEdit: Hashable, Sendable { case created, edited, removed }

    enum Cause: Hashable, Sendable {
        // The fix is not evaluated.
        case fenceNotCreatedYet
        case fenceGone
        case fenceInactive
        case fenceForOthers(devices: [String], groups: [String])
        /// The fence has no valid area.
        case noArea
        // The fix decides nothing.
        case coarse(maxAccuracy: Double)
        case uncertain(isPending: Bool)
        /// In meters per second.
        case outlier(speed: Double, most: Double)
        case leaving(meters: Double, since: Time)
        // The fix decides.
        case first(Side)
        case pending(Side, Change, Progress)
        case sureAtOnce(Side)
        /// Together with the fix of that time, which was in doubt.
        case sureWithEarlier(Side, Time)
        /// `count` fixes have shown this side since `first`. `seconds` is the time since then; nil if the policy requires no time.
        case confirmed(Side, count: Int, first: Time, seconds: Double?)
        case contradicted(Side, Change)
        /// The fix is near the boundary, and more accurate than the one that showed an exit.
        case moreExact
        case dwell(Dwell)
        case holds(Side)
        case holdsIn(Side, Explanation.State)
        // The path to the fix leads through the fence.
        case wentThrough(Progress)
        case nothingLeadsBack(Progress)
        case wasThrough(since: Time?)
        case leadsBack
        case entersAfterPassage(Progress)
        // The step has no fix.
        /// No other fix came in time after a fix that was in doubt.
        case doubtEnded
        case dropped(first: Time, seconds: Double)
        case uncontradicted(first: Time, seconds: Double)
        case fence(FenceEdit, StateAfterEdit?)
        case device(StateAfterEdit?)
        case reported(Side)
    }

    var stationary: StationaryPeriod?
    var cause: Cause
    /// A dwell that is also due at this step.
    var dwell: Dwell?

    init(_ cause: Cause) { self.cause = cause }

    /// As a sentence without a period at the end.
    func words(in language: Language = .english, zone: LocalTimeZone = .utc) -> String {
        phrase(in: zone).text(in: language)
    }
}
