import Foundation
import Model
import Monitor
import TestSupport
import Testing

@Suite("Presence rules")
struct RuleEvaluatorTests {
    private static let berlin: LocalTimeZone = {
        let zone = TimeZone(identifier: "Europe/Berlin")!
        return LocalTimeZone(name: "Europe/Berlin") { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0.seconds)) }
    }()

    private func rule(
        _ expectation: PresenceRule.Expectation, days: String = "mon-sun", except: [String] = []
    ) -> PresenceRule {
        PresenceRule(
            id: "r", subject: .device("d"), geofences: .geofence("g"), expectation: expectation, days: Weekdays(days)!,
            exceptions: except.map { DateSpan($0)! }, timeZone: "Europe/Berlin", since: .earliest)
    }

    private func time(_ text: String) -> TimeOfDay { TimeOfDay(text)! }
    private func at(_ text: String) -> Instant { Instant(text)! }

    private func misses(
        _ rule: PresenceRule, _ stays: [TimeInside], from start: String, upTo end: String
    ) -> [String] {
        RuleEvaluator(rule, in: Self.berlin).misses(stays, from: at(start), upTo: at(end)).map(\.occurredAt.description)
    }

    // MARK: - Hand-made cases

    @Test("A device that was inside at any moment of the window, its ends included, has met an enters-by rule")
    func entersBy() {
        let school = rule(.entersBy(time("08:15"), from: time("06:00"), grace: 120), days: "mon-fri")
        // Monday to Wednesday in summer time, when 08:15 is 06:15Z. The window is from 06:00 to 08:15 local time, both included.
        let stays = [
            TimeInside(enteredAt: at("2026-05-04T03:00:00Z"), exitedAt: at("2026-05-04T03:59:59Z")),
            TimeInside(enteredAt: at("2026-05-05T06:15:00Z"), exitedAt: at("2026-05-05T11:00:00Z")),
            TimeInside(enteredAt: at("2026-05-06T02:00:00Z"), exitedAt: at("2026-05-06T04:00:00Z")),
            TimeInside(enteredAt: at("2026-05-07T06:15:00.001Z")),
        ]
        #expect(
            misses(school, stays, from: "2026-05-04T00:00:00Z", upTo: "2026-05-08T00:00:00Z")
                == ["2026-05-04T06:15:00.000Z", "2026-05-07T06:15:00.000Z"])
        #expect(misses(school, [], from: "2026-05-09T00:00:00Z", upTo: "2026-05-11T06:16:59Z") == [], "a weekend, and the grace")
        #expect(
            misses(school, [], from: "2026-05-09T00:00:00Z", upTo: "2026-05-11T06:17:00Z") == ["2026-05-11T06:15:00.000Z"])
    }

    @Test("A stay longer than the limit is a miss, only on days on which the rule holds")
    func staysAtMost() {
        let most = rule(.staysAtMost(7200), days: "mon,wed")
        let stays = [
            TimeInside(enteredAt: at("2026-05-04T08:00:00Z"), exitedAt: at("2026-05-04T10:00:00Z")),
            TimeInside(enteredAt: at("2026-05-04T12:00:00Z"), exitedAt: at("2026-05-04T14:00:00.001Z")),
            TimeInside(enteredAt: at("2026-05-05T08:00:00Z"), exitedAt: at("2026-05-05T20:00:00Z")),
            // Wednesday in Berlin, Tuesday in UTC.
            TimeInside(enteredAt: at("2026-05-05T22:30:00Z")),
        ]
        #expect(
            misses(most, stays, from: "2026-05-04T00:00:00Z", upTo: "2026-05-07T00:00:00Z")
                == ["2026-05-04T14:00:00.000Z", "2026-05-06T00:30:00.000Z"])
        let evaluator = RuleEvaluator(most, in: Self.berlin)
        #expect(
            evaluator.nextDue(after: at("2026-05-05T23:00:00Z"), enteredAt: at("2026-05-05T22:30:00Z"))
                == at("2026-05-06T00:30:00Z"))
        #expect(evaluator.nextDue(after: at("2026-05-06T00:30:00Z"), enteredAt: at("2026-05-05T22:30:00Z")) == nil)
        #expect(evaluator.nextDue(after: at("2026-05-06T00:30:00Z"), enteredAt: nil) == nil)
    }

    @Test("Leaving before the end of a stays-until rule is one miss a day, even with a return; an edit of the fence is no miss")
    func staysUntil() {
        let until = rule(.staysUntil(time("13:00"), from: time("08:15")))
        let stays = [
            TimeInside(enteredAt: at("2026-05-04T05:00:00Z"), exitedAt: at("2026-05-04T06:14:00Z")),
            TimeInside(enteredAt: at("2026-05-04T06:20:00Z"), exitedAt: at("2026-05-04T08:00:00Z")),
            TimeInside(enteredAt: at("2026-05-04T08:30:00Z"), exitedAt: at("2026-05-04T09:00:00Z")),
            TimeInside(enteredAt: at("2026-05-05T06:20:00Z"), exitedAt: at("2026-05-05T11:00:00Z")),
            TimeInside(enteredAt: at("2026-05-06T06:20:00Z"), exitedAt: at("2026-05-06T08:00:00Z"), endedByEdit: true),
            TimeInside(enteredAt: at("2026-05-06T08:10:00Z"), exitedAt: at("2026-05-06T10:59:59Z")),
        ]
        #expect(
            misses(until, stays, from: "2026-05-04T00:00:00Z", upTo: "2026-05-07T00:00:00Z")
                == ["2026-05-04T08:00:00.000Z", "2026-05-06T10:59:59.000Z"])
        #expect(
            misses(until, stays, from: "2026-05-04T08:30:00Z", upTo: "2026-05-05T00:00:00Z") == [],
            "the day's first was before the time that is asked about")
    }

    @Test("Days and exceptions refer to the day on which a window begins, and a window may end on the next day")
    func exceptions() {
        let home = rule(
            .entersBy(time("01:00"), from: time("20:00"), grace: 0), days: "fri,sat",
            except: ["2026-05-08", "2026-05-15..2026-05-16"])
        // Friday, 8 May is an exception. The window of Saturday, 9 May ends on Sunday at 01:00, which is 23:00Z on Saturday.
        #expect(
            misses(home, [], from: "2026-05-08T00:00:00Z", upTo: "2026-05-20T00:00:00Z") == ["2026-05-09T23:00:00.000Z"])
        let evaluator = RuleEvaluator(home, in: Self.berlin)
        #expect(evaluator.nextDue(after: at("2026-05-09T23:00:00Z"), enteredAt: nil) == at("2026-05-22T23:00:00Z"))
        let never = rule(.entersBy(time("08:00"), from: .midnight, grace: 0), except: ["2026-01-01..9999-12-31"])
        #expect(RuleEvaluator(never, in: Self.berlin).nextDue(after: at("2026-05-09T23:00:00Z"), enteredAt: nil) == nil)
    }

    @Test("A time skipped by a clock change means the moment of the change, and a window includes both passes of a repeated hour")
    func summerTime() {
        // On 29 March 2026 at 01:00Z, 02:00 becomes 03:00. On 25 October at 01:00Z, 03:00 becomes 02:00.
        let by = rule(.entersBy(time("02:30"), from: time("00:00"), grace: 0))
        #expect(
            misses(by, [], from: "2026-03-28T12:00:00Z", upTo: "2026-03-30T12:00:00Z")
                == ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"])
        #expect(misses(by, [], from: "2026-10-25T00:00:00Z", upTo: "2026-10-25T12:00:00Z") == ["2026-10-25T01:30:00.000Z"])
        let repeated = [TimeInside(enteredAt: at("2026-10-25T01:20:00Z"))]
        #expect(misses(by, repeated, from: "2026-10-25T00:00:00Z", upTo: "2026-10-25T12:00:00Z") == [])
        let from = rule(.entersBy(time("05:00"), from: time("02:30"), grace: 0))
        let early = [TimeInside(enteredAt: at("2026-10-25T00:30:00Z"), exitedAt: at("2026-10-25T00:30:00Z"))]
        #expect(misses(from, early, from: "2026-10-25T00:00:00Z", upTo: "2026-10-25T12:00:00Z") == [])
        // 08:15 is an hour earlier in UTC on the second day than on the first.
        let school = rule(.entersBy(time("08:15"), from: .midnight, grace: 0))
        #expect(
            misses(school, [], from: "2026-03-28T00:00:00Z", upTo: "2026-03-30T00:00:00Z")
                == ["2026-03-28T07:15:00.000Z", "2026-03-29T06:15:00.000Z"])
    }

    // MARK: - Minute by minute

    /// An oracle that evaluates a rule minute by minute.
    private struct MinuteByMinute {
        let rule: PresenceRule
        let stays: [TimeInside]
        /// Local time of each minute, in minutes since 1970.
        let local: [Int64]
        let first: Instant

        init(_ rule: PresenceRule, _ stays: [TimeInside], from first: Instant, minutes: Int) {
            self.rule = rule
            self.stays = stays
            self.first = first
            local = (0..<minutes).map { berlin.local(first + Double($0) * 60).milliseconds / 60_000 }
        }

        func moment(_ minute: Int) -> Instant { first + Double(minute) * 60 }

        func stay(_ minute: Int) -> TimeInside? {
            let moment = moment(minute)
            return stays.first { $0.enteredAt <= moment && $0.exitedAt.map { moment <= $0 } ?? true }
        }

        func windows(_ from: TimeOfDay, _ to: TimeOfDay) -> [ClosedRange<Int>] {
            Set(local.map { $0 / 1440 }).sorted().compactMap { day in
                guard rule.applies(on: LocalDate(day: day)) else { return nil }
                let end = day * 1440 + Int64(to.minutes) + (to > from ? 0 : 1440)
                guard let start = local.firstIndex(where: { $0 >= day * 1440 + Int64(from.minutes) }),
                    let last = local.lastIndex(where: { $0 <= end })
                else { return nil }
                return start...(local[last] == end ? last : last + 1)
            }
        }

        var misses: [RuleMiss] {
            switch rule.expectation {
            case .entersBy(let by, let from, let grace):
                windows(from, by).compactMap { window in
                    if window.contains(where: { stay($0) != nil }) { return nil }
                    return RuleMiss(occurredAt: moment(window.upperBound), dueAt: moment(window.upperBound) + grace)
                }
            case .staysAtMost(let seconds):
                local.indices.compactMap { minute in
                    guard let stay = stay(minute), stay.enteredAt == moment(minute - Int(seconds) / 60),
                        self.stay(minute + 1)?.enteredAt == stay.enteredAt,
                        rule.applies(on: LocalDate(day: local[minute - Int(seconds) / 60] / 1440))
                    else { return nil }
                    return RuleMiss(occurredAt: moment(minute), dueAt: moment(minute), enteredAt: stay.enteredAt)
                }
            case .staysUntil(let until, let from):
                windows(from, until).compactMap { window in
                    let leaving = window.dropLast().first { minute in
                        stay(minute).map { stay(minute + 1)?.enteredAt != $0.enteredAt && !$0.endedByEdit } ?? false
                    }
                    return leaving.map { minute in
                        RuleMiss(occurredAt: moment(minute), dueAt: moment(minute), enteredAt: stay(minute)?.enteredAt)
                    }
                }
            }
        }
    }

    @Test(
        "The evaluator finds the misses that a check of every minute finds, even around clock changes",
        arguments: Histories.seeds(0...299))
    func oracle(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let first = at(["2026-03-27T00:00:00Z", "2026-10-23T00:00:00Z", "2026-06-10T00:00:00Z"].randomElement(using: &random)!)
        let minutes = 8 * 1440
        var stays: [TimeInside] = []
        var minute = Int.random(in: 0...2000, using: &random)
        while minute < minutes {
            let length = [0, 1, 30, 200, 700, 3000].randomElement(using: &random)! + Int.random(in: 0...60, using: &random)
            let isOpen = Int.random(in: 0..<12, using: &random) == 0
            stays.append(
                TimeInside(
                    enteredAt: first + Double(minute) * 60, exitedAt: isOpen ? nil : first + Double(minute + length) * 60,
                    endedByEdit: Int.random(in: 0..<6, using: &random) == 0))
            if isOpen { break }
            minute += length + [2, 40, 600, 2500].randomElement(using: &random)!
        }
        func time() -> TimeOfDay {
            let known = ["00:00", "01:59", "02:00", "02:30", "02:59", "03:00", "08:15", "13:00", "23:59"]
            let other = String(
                format: "%02d:%02d", Int.random(in: 0..<24, using: &random), Int.random(in: 0..<60, using: &random))
            return self.time(Bool.random(using: &random) ? known.randomElement(using: &random)! : other)
        }
        let expectation: PresenceRule.Expectation =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: .entersBy(time(), from: time(), grace: [0, 120, 3600].randomElement(using: &random)!)
            case 1: .staysAtMost(Double([1, 20, 120, 600, 2000].randomElement(using: &random)!) * 60)
            default: .staysUntil(time(), from: time())
            }
        let rule = rule(
            expectation, days: ["mon-sun", "mon-fri", "sat,sun", "fri-mon"].randomElement(using: &random)!,
            except: Bool.random(using: &random) ? [] : ["2026-03-29", "2026-10-25..2026-10-26", "2026-06-12"])
        // The oracle covers a limited number of minutes. Misses near their ends are not compared, because windows may reach beyond.
        let (start, end) = (first + 2 * 86_400, first + 6 * 86_400)
        func isAsked(_ miss: RuleMiss) -> Bool { miss.occurredAt >= start && miss.dueAt <= end }
        let expected = Set(MinuteByMinute(rule, stays, from: first, minutes: minutes).misses.filter(isAsked))
        let evaluator = RuleEvaluator(rule, in: Self.berlin)
        let found = evaluator.misses(stays, from: start, upTo: end)
        #expect(Set(found) == expected && found.count == expected.count, "seed \(seed): \(rule)")
        #expect(found.map(\.occurredAt) == found.map(\.occurredAt).sorted(), "seed \(seed)")

        // Two calls for adjacent periods give the same misses, even if the second gets only the stays that may matter.
        let cut = start + Double(Int.random(in: 0...(4 * 1440), using: &random)) * 60
        let recent = stays.filter { $0.exitedAt.map { $0 >= cut + -expectation.grace + -RuleEvaluator.relevantSeconds } ?? true }
        let parts =
            evaluator.misses(stays, from: start, upTo: cut) + evaluator.misses(recent, from: cut + -expectation.grace, upTo: end)
        #expect(Set(parts.filter(isAsked)) == expected, "seed \(seed), cut at \(cut)")

        // The next deadline is the first after `cut`, even if nothing was missed.
        if case .entersBy = expectation {
            let dues = MinuteByMinute(rule, [], from: first, minutes: minutes).misses.map(\.dueAt).filter { $0 > cut }
            // A window that is cut off by the end of the minutes seems to end there.
            if let next = dues.min(), next < first + 6 * 86_400 {
                #expect(evaluator.nextDue(after: cut, enteredAt: nil) == next, "seed \(seed)")
            }
        }
    }
}
