import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence

/// Fixes that come more than a day late, and fixes that cannot be evaluated.
@Suite("Very late fixes")
struct VeryLateFixTests {
    private let bench: Workbench
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private var start: Instant { Instant("2026-05-01T10:00:00Z")! }
    private let day = 86_400.0

    init() throws {
        bench = try Workbench()
        try bench.add([Geofence(id: "a", name: "Fence a", shape: .circle(Circle(center: home, radius: 100)))])
    }

    /// Stores fixes, given as seconds after the start and meters north of home.
    @discardableResult
    private func accept(_ fixes: [(seconds: Double, north: Double)], device: String = "d") throws -> IntakeResult {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (line, fix) in fixes.enumerated() {
            batch.rows.append(
                .init(fix: Fix(time: start + fix.seconds, coordinate: home.north(fix.north)), device: number, line: line))
        }
        return try bench.service.accept(batch, policy: .exact)
    }

    private func standing(_ types: Set<EventType> = [.enter, .exit]) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        filter.types = types
        var events: [Event] = []
        try bench.service.forEachEvent(filter) { events.append($0) }
        return events.sorted { $0.occurredAt < $1.occurredAt }.map { "\($0.type) \(JSONValue($0.occurredAt - start))" }
    }

    private func problems() throws -> [Problem?] {
        try bench.service.problems(withDismissed: true, after: nil, limit: 100).items.map(\.problem)
    }

    @Test("An archive that follows the live position is evaluated, however old it is", arguments: [1.5, 3, 40, 7168])
    func archive(days: Double) throws {
        try accept([(0, 500)])
        bench.clock.set(start + 10)
        let age = -days * day
        let result = try accept([(age, 500), (age + 600, 0), (age + 7800, 0), (age + 8400, 500)])
        #expect(result.counts.late == 4 && result.counts.waiting == 4)
        #expect(try bench.service.deviceStatus(of: "d").unevaluated?.cause == .pending)
        #expect(try bench.service.unevaluatedPositions(.init()).map(\.since) == [start + age])
        #expect(try bench.service.replayLate(at: start + 11).done == nil)
        let step = try bench.service.replayLate(at: start + 12)
        #expect(step.done?.counts.late == 4 && !step.hasMore)
        #expect(try standing() == ["enter \(JSONValue(age + 600))", "exit \(JSONValue(age + 8400))"])
        #expect(try bench.service.deviceStatus(of: "d").unevaluated == nil)
        #expect(try bench.service.unevaluatedPositions(.init()).isEmpty)
        // It is evaluated once.
        #expect(try bench.service.replayLate(all: true) { _ in }.devices == 0)
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.lateFixes == 0, "\(check.flaws.first)")
    }

    @Test(
        "Tracks of several weeks give the same events regardless of the order of their days", arguments: Histories.seeds(1...12))
    func anyOrder(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var days: [[(seconds: Double, north: Double)]] = []
        for number in 0..<20 {
            var north = 0.0
            var seconds = Double(number) * day
            days.append(
                (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    seconds += Double.random(in: 1...1800, using: &random)
                    north = max(-400, min(400, north + Double.random(in: -200...200, using: &random)))
                    return (seconds, north)
                })
        }
        let ordered = try VeryLateFixTests()
        for day in days { try ordered.accept(day) }
        for day in days.shuffled(using: &random) {
            try accept(day)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: _ = try bench.service.replayLate(all: true) { _ in }
            case 1: _ = try bench.service.replayLate(at: nil, limit: Int.random(in: 1...50, using: &random))
            case 2: try bench.service.forget()
            default: break
            }
        }
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try Outcome(bench.service) == Outcome(ordered.bench.service), "seed \(seed)")
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.lateFixes == 0, "seed \(seed): \(check.flaws.first)")
    }

    @Test("A device that sends one very old fix after another does not replay its history each time")
    func manyOldFixes() throws {
        var fixes: [(seconds: Double, north: Double)] = []
        for number in 0..<20_000 { fixes.append((Double(number) * 60, number / 5 % 2 == 0 ? 0 : 500)) }
        try accept(fixes)
        var evaluated = 0
        var replays = 0
        for second in 0..<600 {
            let now = start + 20 * day + Double(second)
            bench.clock.set(now)
            if second % 3 == 0 { try accept([(-9000 * day + Double(second), 500)]) }
            var hasMore = true
            while hasMore {
                let step = try bench.service.replayLate(at: now)
                if let counts = step.done?.counts {
                    evaluated += counts.fixes
                    replays += 1
                }
                hasMore = step.hasMore
            }
        }
        // A replay evaluates some 20,000 fixes, so that there is one in 20 seconds.
        #expect(replays <= 31 && replays > 20, "\(replays)")
        #expect(evaluated <= 640_000, "\(evaluated)")
        bench.clock.set(start + 21 * day)
        while try bench.service.replayLate(at: start + 21 * day).hasMore {}
        #expect(try bench.service.checkStore().replay.lateFixes == 0)
    }

    @Test("Fixes that come during a replay do not restart it, and are evaluated by the next one")
    func duringReplay() throws {
        let now = start + day
        bench.clock.set(now)
        try accept((0..<100).map { (Double($0) * 60, 500) })
        try accept([(30, 0)])
        #expect(try bench.service.replayLate(at: now + 2, limit: 50).hasMore)
        // One before and one after the place that the replay has reached, and one in time.
        try accept([(90, 0), (5430, 0), (6000, 0)])
        while try bench.service.replayLate(at: now + 2, limit: 50).done == nil {}
        #expect(try standing() == ["enter 30", "exit 60", "enter 6000"])
        #expect(try bench.service.deviceStatus(of: "d").unevaluated?.since == start + 90)
        #expect(try bench.service.checkStore().isSound)
        bench.clock.set(now + 10)
        while try bench.service.replayLate(at: now + 10, limit: 50).hasMore {}
        #expect(
            try standing() == ["enter 30", "exit 60", "enter 90", "exit 120", "enter 5430", "exit 5460", "enter 6000"])
        #expect(try bench.service.deviceStatus(of: "d").unevaluated == nil)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A fix that comes during a replay, among geofences that the device was not near before, is evaluated with these")
    func farAway() throws {
        let now = start + day
        bench.clock.set(now)
        let far = Geofence(id: "far", name: "Far", shape: .circle(Circle(center: home.north(200_000), radius: 100)))
        try bench.add([far])
        try accept((0..<100).map { (Double($0) * 60, 500) })
        // The geofences have changed since, so that the replay reads those of the time.
        try bench.add([Geofence(id: "b", name: "B", shape: .circle(Circle(center: home.north(-300), radius: 50)))])
        try accept([(30, 0)])
        #expect(try bench.service.replayLate(at: now + 2, limit: 50).hasMore)
        try accept([(20_000, 200_000)])
        while try bench.service.replayLate(at: now + 2, limit: 50).done == nil {}
        #expect(try standing() == ["enter 30", "exit 60", "enter 20000"])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A problem says that fixes have waited for a minute, and is resolved when they are evaluated")
    func longWait() throws {
        bench.clock.set(start)
        try accept([(0, 500)])
        try accept([(-3 * day, 0)])
        for second in [0, 59.0] {
            try bench.service.recordLongWaits(at: start + second)
            #expect(try problems().isEmpty)
        }
        try bench.service.recordLongWaits(at: start + 60)
        let problem = Problem.replayPending(device: "d", since: start + -3 * day, isPossible: true)
        #expect(try problems() == [problem])
        #expect(try bench.service.problems(of: "d").map(\.problem) == [problem])
        #expect(problem.recoveryAction == .retry && problem.isRetryable)
        try bench.service.recordLongWaits(at: start + 70)
        #expect(try bench.service.problems(of: "d").map(\.failures) == [1])
        // As after a restart.
        try bench.service.forget()
        _ = try bench.service.replayLate(at: start + 80)
        #expect(try problems().isEmpty)
    }

    @Test("Fixes that cannot be evaluated are reported until they are deleted, and keep no others waiting")
    func positionsMissing() throws {
        // 26 hours with a fix each minute, of which only the second half is kept.
        var fixes: [(seconds: Double, north: Double)] = []
        for minute in 0..<26 * 60 { fixes.append((Double(minute * 60), 500)) }
        try accept(fixes)
        while try bench.service.trimPositions(keeping: 3600, now: start + 14 * 3600).hasMore {}
        bench.clock.set(start + day)
        try accept([(12 * 3600 + 30, 0)])
        #expect(try bench.service.replayLate(all: true) { _ in }.skipped == 1)
        let missing = UnevaluatedPositions(deviceId: "d", since: start + (12 * 3600 + 30), cause: .positionsMissing)
        #expect(try bench.service.deviceStatus(of: "d").unevaluated == missing)
        #expect(
            try problems() == [.replayPending(device: "d", since: missing.since, isPossible: false)])
        // It is not tried again and again.
        #expect(try bench.service.replayLate(at: start + day + 3600).done == nil)
        // A later one is evaluated nevertheless, by hand and automatically.
        try accept([(20 * 3600 + 30, 0)])
        #expect(try bench.service.replayLate(all: true) { _ in }.late == 1)
        #expect(try standing() == ["enter \(20 * 3600 + 30)", "exit \(20 * 3600 + 60)"])
        #expect(try bench.service.deviceStatus(of: "d").unevaluated == missing)
        #expect(try bench.service.replay(device: "d", since: start + 20 * 3600, report: { _ in }).devices == 1)
        #expect(try bench.service.checkStore().isSound)
        // After a restart as well.
        try bench.service.forget()
        #expect(try bench.service.replayLate(all: true) { _ in }.skipped == 1)
        #expect(try problems().count == 1)
        while try bench.service.trimPositions(keeping: 3600, now: start + 30 * day).hasMore {}
        #expect(try bench.service.deviceStatus(of: "d").unevaluated == nil)
        #expect(try problems().isEmpty)
    }

    @Test("Reports and lists of visits say which devices have fixes that are not evaluated")
    func reported() throws {
        try accept([(0, 500)])
        for device in ["d", "e", "f"] { try accept([(0, 500)], device: device) }
        try accept([(-3 * day, 0), (-3 * day + 60, 500)], device: "e")
        try accept([(-2 * day, 0)])
        let zone = LocalTimeZone.utc
        #expect(
            try bench.service.unevaluatedPositions(.init()).sentences(in: .english, zone: zone) == [
                "Late positions of 2 devices (d, e), the earliest from 2026-04-28 10:00:00Z, are not evaluated yet; visits since then may be missing or wrong."
            ])
        var filter = Queries.EventFilter()
        filter.until = start + -2.5 * day
        #expect(try bench.service.unevaluatedPositions(filter).map(\.deviceId) == ["e"])
        filter.deviceId = "d"
        #expect(try bench.service.unevaluatedPositions(filter).isEmpty)
        let values = ["by": "device", "period": "month", "since": "2026-04", "until": "2026-05"]
        let question = try ReportQuestion(by: TimeReader(now: bench.clock.now(), zone: zone)) { values[$0].map { [$0] } ?? [] }
        let report = try bench.service.report(question)
        #expect(report.unevaluated.map(\.deviceId) == ["d", "e"])
        #expect(report.json["notEvaluated"]?.array?.first?["cause"]?.string == "pending")
        #expect(ReportPage(report, in: .turkish).html.contains("henüz değerlendirilmedi"))
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.service.report(question).json["notEvaluated"] == nil)
    }

    @Test("Late fixes of a device that was removed and added again may be older than its former events")
    func addedAgain() throws {
        for _ in 0..<2 {
            try accept([(0, 500), (60, 0), (7200, 500), (7260, 0)])
            try bench.service.removeDevice(id: "d")
        }
        try accept([(8000, 500)])
        try accept([(-3 * day, 500), (3600, 0), (7230, 500)])
        _ = try bench.service.replayLate(all: true) { _ in }
        let check = try bench.service.checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
    }
}
