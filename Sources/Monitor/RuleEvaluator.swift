import Model

/// Evaluates a presence rule against the times at which one device was inside. The same times give the same misses, regardless of
/// when and in which order they became known.
///
/// A device is inside from its enter to its exit, both moments included. Ended visits that are shorter than the rule's `minDuration` are
/// ignored; a visit that has not ended may still become long enough.
package struct RuleEvaluator: Sendable {
    package let rule: PresenceRule
    private let zone: LocalTimeZone

    /// - Parameter zone: The rule's time zone.
    package init(_ rule: PresenceRule, in zone: LocalTimeZone) {
        self.rule = rule
        self.zone = zone
    }

    /// Seconds. Visits that ended longer than this before a moment do not affect misses from that moment on. 26 hours are more than the
    /// longest window on a day on which clocks are set back.
    package static let relevantSeconds = 93_600.0

    /// The violations of the rule, in order of time.
    ///
    /// - Parameters:
    ///   - stays: All visits that did not end more than `relevantSeconds` seconds before `start`, in order of time.
    ///   - start: Misses that occurred before this moment are left out.
    ///   - end: Misses that are due after this moment are left out.
    /// - Complexity: O(days + stays) for a window, O(stays) for a longest stay.
    package func misses(_ stays: [TimeInside], from start: Instant, upTo end: Instant) -> [RuleMiss] {
        let stays = stays.filter { !isIgnored($0) }
        switch rule.expectation {
        case .entersBy(let by, let from, let grace):
            var rest = stays[...]
            return windows(from, by, from: start, upTo: end).compactMap { window in
                rest = rest.drop { $0.exitedAt.map { $0 < window.start } ?? false }
                // The visits after the first began later.
                let isThere = rest.first.map { $0.enteredAt <= window.end } ?? false
                let miss = RuleMiss(occurredAt: window.end, dueAt: window.end + grace)
                return isThere || miss.occurredAt < start || miss.dueAt > end ? nil : miss
            }
        case .staysAtMost(let seconds):
            return stays.compactMap { stay in
                let due = stay.enteredAt + seconds
                guard due >= start, due <= end, stay.exitedAt.map({ $0 > due }) ?? true, holds(at: stay.enteredAt) else {
                    return nil
                }
                return RuleMiss(occurredAt: due, dueAt: due, enteredAt: stay.enteredAt)
            }
        case .staysUntil(let until, let from):
            var rest = stays[...]
            return windows(from, until, from: start, upTo: end).compactMap { window in
                rest = rest.drop { $0.exitedAt.map { $0 < window.start } ?? false }
                let left = rest.first { !$0.endedByEdit && $0.exitedAt != nil }
                guard let left, let exit = left.exitedAt, exit < window.end, exit >= start, exit <= end else { return nil }
                return RuleMiss(occurredAt: exit, dueAt: exit, enteredAt: left.enteredAt)
            }
        }
    }

    /// When the rule has to be evaluated next if the device neither enters nor exits; nil when never.
    ///
    /// - Parameters:
    ///   - moment: The result is later than this.
    ///   - enteredAt: When the current visit began; nil when the device is not inside.
    package func nextDue(after moment: Instant, enteredAt: Instant?) -> Instant? {
        switch rule.expectation {
        case .staysUntil: return nil
        case .staysAtMost(let seconds):
            guard let enteredAt, holds(at: enteredAt), enteredAt + seconds > moment else { return nil }
            return enteredAt + seconds
        case .entersBy(let by, let from, let grace):
            var date = zone.date(of: moment + -grace) + -2
            let last = LocalDate("9999-01-01") ?? date
            while date < last {
                // A long holiday is skipped at once.
                if let exception = rule.exceptions.first(where: { $0.contains(date) }) {
                    date = exception.last + 1
                    continue
                }
                if rule.applies(on: date), window(from, by, on: date).end + grace > moment {
                    return window(from, by, on: date).end + grace
                }
                date = date + 1
            }
            return nil
        }
    }

    private func isIgnored(_ stay: TimeInside) -> Bool {
        guard let shortest = rule.minDuration, let seen = stay.seenSeconds else { return false }
        return stay.exitedAt != nil && !stay.endedByEdit && seen < shortest
    }

    private func holds(at moment: Instant) -> Bool { rule.applies(on: zone.date(of: moment)) }

    /// The windows of the days on which the rule applies, in order: all that overlap the time between two moments, and perhaps
    /// others.
    private func windows(
        _ from: TimeOfDay, _ to: TimeOfDay, from start: Instant, upTo end: Instant
    ) -> [(start: Instant, end: Instant)] {
        guard start <= end else { return [] }
        let first = zone.date(of: start + -Self.relevantSeconds).day
        let last = zone.date(of: end).day
        return (first...max(first, last)).lazy.map { LocalDate(day: $0) }.filter(rule.applies).map { window(from, to, on: $0) }
    }

    /// The window of a day. A window that ends no later than it begins extends into the next day.
    private func window(_ from: TimeOfDay, _ to: TimeOfDay, on date: LocalDate) -> (start: Instant, end: Instant) {
        let minutes = to > from ? to.minutes : to.minutes + 1440
        return (zone.moments(at: from.minutes, on: date).first, zone.moments(at: minutes, on: date).last)
    }
}
