import Model
import Monitor
import ServiceTestSupport
import Settings
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence

/// A week of some children: a position about every quarter of an hour, inside or outside the school.
private struct Week {
    let devices = ["mia", "tom", "ada"]
    let start = Instant("2026-10-22T22:00:00Z")!
    private(set) var lines: [(time: Instant, line: String)] = []

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for device in devices {
            var isInside = false
            var time = start + Double.random(in: 60...7200, using: &random)
            while time < start + 7 * 86_400 {
                if Int.random(in: 0..<6, using: &random) == 0 { isInside.toggle() }
                lines.append((time, "\(device) \(time) \(isInside ? "in" : "out")"))
                time =
                    time + [300.0, 900, 1800, 14_400].randomElement(using: &random)! + Double.random(in: 0...60, using: &random)
            }
        }
        lines.sort { $0.time < $1.time }
    }

    static func makeRules(_ bench: RuleBench) throws {
        for (text, id) in [
            ("entersBy 08:15 06:00", "a"), ("entersBy 02:30 01:00", "b"), ("entersBy 01:00 20:00", "c"),
            ("staysAtMost 7200", "d"),
            ("staysUntil 13:00 08:15", "e"), ("staysUntil 03:00 22:00", "f"),
        ] {
            try bench.rule(text, group: "kids", ["id": .string(id), "except": ["2026-10-27"]])
        }
        try bench.rule("entersBy 18:00 12:00", ["id": "g", "days": "mon-fri"])
    }
}

@Suite("Rules and late fixes")
struct RuleReplayTests {
    private func bench() throws -> RuleBench {
        let bench = try RuleBench(
            at: "2026-10-22T21:00:00Z",
            devices: ["mia", "tom", "ada"].map { Device(id: $0, groups: ["kids"], silentAfter: 90_000) })
        try Week.makeRules(bench)
        return bench
    }

    /// The missed events that are not retracted, by rule, and the visits.
    private func outcome(_ bench: RuleBench, upTo end: Instant) throws -> (missed: [String], visits: [String]) {
        let missed = try bench.events(standing: true).filter { $0.type == .missed && $0.confirmedAt <= end }
            .map { "\($0.rule?.id ?? "-") \($0.deviceId) \($0.occurredAt) \($0.enteredAt?.description ?? "-")" }
        var visits: [String] = []
        try bench.service.forEachVisit(.init()) {
            visits.append("\($0.deviceId) \($0.enteredAt) \($0.exitedAt?.description ?? "-")")
        }
        return (missed.sorted(), visits.sorted())
    }

    @Test(
        "A week by the clock, with late and shuffled fixes and restarts, gives the result of a week fed in order",
        arguments: Histories.seeds(1...16))
    func equal(seed: UInt64) throws {
        let week = Week(seed: seed)
        let end = week.start + 8 * 86_400
        let fed = try bench()
        // All positions at once, long after their time.
        fed.clock.set(end)
        for line in week.lines { try fed.accept(line.line) }
        // The device's time continues from its last position.
        try fed.tick(end + 20 * 86_400)

        let lived = try bench()
        var random = SeededRandom(seed: seed + 100)
        // Each position arrives when it is made, or up to some hours later.
        let arrivals = week.lines.map { entry in
            (
                at: entry.time
                    + (Int.random(in: 0..<4, using: &random) == 0 ? Double.random(in: 60...20_000, using: &random) : 1),
                entry.line
            )
        }.sorted { $0.at < $1.at }
        for (at, line) in arrivals {
            try lived.tick(at)
            try lived.accept(line)
            switch Int.random(in: 0..<30, using: &random) {
            case 0: _ = try lived.service.replayLate(all: true) { _ in }
            case 1: try lived.restart()
            case 2: try lived.service.forget()
            default: break
            }
        }
        _ = try lived.service.replayLate(all: true) { _ in }
        try lived.tick(end + 1)

        let (expected, found) = (try outcome(fed, upTo: end), try outcome(lived, upTo: end))
        #expect(expected.visits == found.visits, "seed \(seed)")
        #expect(!expected.missed.isEmpty, "seed \(seed)")
        let missing = Set(expected.missed).subtracting(found.missed).sorted().prefix(3)
        let surplus = Set(found.missed).subtracting(expected.missed).sorted().prefix(3)
        #expect(expected.missed == found.missed, "seed \(seed): missing \(missing), surplus \(surplus)")
        #expect(Set(found.missed).count == found.missed.count, "seed \(seed): reported twice")
        let hasTakenBack = try lived.events().contains { $0.type == .retracted && $0.rule != nil }
        #expect(hasTakenBack, "seed \(seed): nothing was taken back, so nothing is shown")

        // The pure function, applied to the recorded visits of the whole week, gives the same.
        try expectPure(lived, from: Instant("2026-10-22T21:00:00Z")!, upTo: end, seed)

        // A replay of everything changes nothing.
        let before = try lived.service.newestSequence()
        _ = try lived.service.replay(device: nil, since: nil, report: { _ in })
        #expect(try lived.service.newestSequence() == before, "seed \(seed)")
        let check = try lived.service.checkStore()
        #expect(check.isSound, "seed \(seed): \(check.flaws.first)")
    }

    /// Compares the missed events that are not retracted with those that follow from the recorded visits.
    private func expectPure(_ bench: RuleBench, from start: Instant, upTo end: Instant, _ seed: UInt64) throws {
        let known = try outcome(bench, upTo: end).missed
        var expected: [String] = []
        var visits: [String: [TimeInside]] = [:]
        try bench.service.forEachVisit(.init()) { visit in
            visits[visit.deviceId, default: []].append(TimeInside(enteredAt: visit.enteredAt, exitedAt: visit.exitedAt))
        }
        for rule in try bench.service.presenceRules().map(\.rule) {
            for device in try bench.service.devices() where rule.applies(to: device) {
                let evaluator = RuleEvaluator(rule, in: try LocalTimeZone(named: rule.timeZone))
                for miss in evaluator.misses(visits[device.id] ?? [], from: start, upTo: end) {
                    expected.append("\(rule.id) \(device.id) \(miss.occurredAt) \(miss.enteredAt?.description ?? "-")")
                }
            }
        }
        #expect(known == expected.sorted(), "seed \(seed)")
    }
}
