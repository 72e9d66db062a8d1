import Model

/// A stay of a device in a geofence, as the record has it.
public struct TimeInside: Hashable, Sendable {
    public var enteredAt: Instant
    /// Nil while it is inside.
    public var exitedAt: Instant?
    /// Whether it ended because the geofence or the device was edited or removed, and not because the device left.
    public var endedByEdit: Bool

    public init(enteredAt: Instant, exitedAt: Instant? = nil, endedByEdit: Bool = false) {
        self.enteredAt = enteredAt
        self.exitedAt = exitedAt
        self.endedByEdit = endedByEdit
    }
}

/// That what a rule expects did not happen.
public struct Miss: Hashable, Sendable {
    /// The moment that it is about: the deadline, or the exit that came too early.
    public var occurredAt: Instant
    /// When it is judged: `occurredAt`, and the rule's grace.
    public var dueAt: Instant
    /// Of the stay that is too long or too short; nil where there is none.
    public var enteredAt: Instant?

    public init(occurredAt: Instant, dueAt: Instant, enteredAt: Instant? = nil) {
        self.occurredAt = occurredAt
        self.dueAt = dueAt
        self.enteredAt = enteredAt
    }
}

/// Judges what a rule expects of one device by the times at which that was inside. The same times give the same misses, whenever and in
/// whatever order they became known.
///
/// A device is inside from its enter to its exit, both moments included.
public struct RuleEvaluator: Sendable {
    public let rule: PresenceRule
    private let zone: LocalTimeZone

    /// - Parameter zone: The rule's.
    public init(_ rule: PresenceRule, in zone: LocalTimeZone) {
        self.rule = rule
        self.zone = zone
    }

    /// Stays that ended so many seconds before a moment say nothing about what is expected from then on: more than the longest window,
    /// on the day on which clocks are set back.
    public static let lookBack = 93_600.0

    /// What did not happen as expected, in order of time.
    ///
    /// - Parameters:
    ///   - stays: All that did not end more than `lookBack` before `start`, in order of time.
    ///   - start: Of the first moment that is asked about.
    ///   - end: Only what was to be judged by then.
    /// - Complexity: O(days + stays) for a window, O(stays) for a longest stay.
    public func misses(_ stays: [TimeInside], from start: Instant, upTo end: Instant) -> [Miss] {
        switch rule.expectation {
        case .entersBy(let by, let from, let grace):
            var rest = stays[...]
            return windows(from, by, from: start, upTo: end).compactMap { window in
                rest = rest.drop { $0.exitedAt.map { $0 < window.start } ?? false }
                // Those that follow entered later.
                let isThere = rest.first.map { $0.enteredAt <= window.end } ?? false
                let miss = Miss(occurredAt: window.end, dueAt: window.end + grace)
                return isThere || miss.occurredAt < start || miss.dueAt > end ? nil : miss
            }
        case .staysAtMost(let seconds):
            return stays.compactMap { stay in
                let due = stay.enteredAt + seconds
                guard due >= start, due <= end, stay.exitedAt.map({ $0 > due }) ?? true, holds(at: stay.enteredAt) else {
                    return nil
                }
                return Miss(occurredAt: due, dueAt: due, enteredAt: stay.enteredAt)
            }
        case .staysUntil(let until, let from):
            var rest = stays[...]
            return windows(from, until, from: start, upTo: end).compactMap { window in
                rest = rest.drop { $0.exitedAt.map { $0 < window.start } ?? false }
                let left = rest.first { !$0.endedByEdit && $0.exitedAt != nil }
                guard let left, let exit = left.exitedAt, exit < window.end, exit >= start, exit <= end else { return nil }
                return Miss(occurredAt: exit, dueAt: exit, enteredAt: left.enteredAt)
            }
        }
    }

    /// When there is next something to judge though nothing happens; nil when there never is.
    ///
    /// - Parameters:
    ///   - moment: After which.
    ///   - enteredAt: Of the stay that has not ended; nil when the device is not inside.
    public func nextDue(after moment: Instant, enteredAt: Instant?) -> Instant? {
        switch rule.expectation {
        case .staysUntil: return nil
        case .staysAtMost(let seconds):
            guard let enteredAt, holds(at: enteredAt), enteredAt + seconds > moment else { return nil }
            return enteredAt + seconds
        case .entersBy(let by, let from, let grace):
            var date = zone.date(of: moment + -grace) + -2
            let last = LocalDate("9999-01-01") ?? date
            while date < last {
                // Holidays may be long.
                if let exception = rule.exceptions.first(where: { $0.contains(date) }) {
                    date = exception.last + 1
                    continue
                }
                if rule.holds(on: date), window(from, by, on: date).end + grace > moment {
                    return window(from, by, on: date).end + grace
                }
                date = date + 1
            }
            return nil
        }
    }

    private func holds(at moment: Instant) -> Bool { rule.holds(on: zone.date(of: moment)) }

    /// The windows of the days on which the rule holds, in order: all that touch the time between two moments, and perhaps others.
    private func windows(
        _ from: TimeOfDay, _ to: TimeOfDay, from start: Instant, upTo end: Instant
    ) -> [(start: Instant, end: Instant)] {
        guard start <= end else { return [] }
        let first = zone.date(of: start + -Self.lookBack).day
        let last = zone.date(of: end).day
        return (first...max(first, last)).lazy.map { LocalDate(day: $0) }.filter(rule.holds).map { window(from, to, on: $0) }
    }

    /// One that ends no later than it begins goes into the next day.
    private func window(_ from: TimeOfDay, _ to: TimeOfDay, on date: LocalDate) -> (start: Instant, end: Instant) {
        let minutes = to > from ? to.minutes : to.minutes + 1440
        return (zone.moments(at: from.minutes, on: date).first, zone.moments(at: minutes, on: date).last)
    }
}
