import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service

@Suite("Problems with what devices send")
struct IntakeProblemTests {
    private let bench: IntakeBench

    init() throws { bench = try IntakeBench() }

    /// How often a problem is opened and resolved from now until the returned function is called.
    private func count() -> () -> (opened: Int, resolved: Int) {
        bench.service.keepNews()
        return { [service = bench.service] in
            var (opened, resolved, isOpen) = (0, 0, false)
            for notice in service.takeNews().notices where notice.kind == .problem {
                let isResolved = notice.json(in: .english)["isResolved"]?.bool ?? false
                if isResolved { resolved += 1 } else if !isOpen { opened += 1 }
                isOpen = !isResolved
            }
            return (opened, resolved)
        }
    }

    @Test(
        "A clock that is an hour ahead every second time is one problem, with a count",
        arguments: [3600, 700, 86_400] as [Double])
    func alternating(_ ahead: Double) throws {
        let notices = count()
        for step in 0..<18 {
            try bench.send(at: bench.now + Double(step % 2) * ahead)
            bench.wait(10)
        }
        #expect(notices() == (1, 0))
        let standing = try #require(try bench.standing().first)
        #expect(standing.failures == 9 && standing.isEscalated)
        #expect(standing.lastAt - standing.firstAt == 160)
    }

    @Test("Of very many devices with unusable input, the others have one problem together")
    func manyDevices() throws {
        var batch = FixBatch()
        batch.sender = "phones"
        for number in 0..<1300 {
            batch.refusals.append(
                Refusal(.missing, device: "d\(number)", field: "latitude", value: "", reason: .missing))
        }
        _ = try bench.service.accept(batch)
        let sources = try bench.service.store.problemSources(startingWith: Queries.anonymousIntakeSource)
        #expect(sources.count == 1001)
        let common = try #require(sources.first { !$0.hasPrefix(Queries.DeviceProblem.intake.rawValue) })
        guard case .inputRefused("", "latitude", _, .missing, _)? = try bench.service.store.problem(ofSource: common)?.problem
        else {
            Issue.record("\(common)")
            return
        }
        // What each device sent is counted all the same.
        #expect(try bench.service.store.refusedInput(of: "d1299").map(\.count) == [1])
    }

    @Test("It ends with usable input some minutes after the last refusal, even after a restart")
    func end() throws {
        for isRestarted in [false, true] {
            try bench.send(at: bench.now + 3600)
            bench.wait(299)
            try bench.send(at: bench.now)
            #expect(try bench.codes() == ["inputRefused"])
            if isRestarted { try bench.service.forget() }
            bench.wait(1)
            try bench.send(at: bench.now)
            #expect(try bench.codes().isEmpty)
        }
    }

    @Test("It ends by the clock after usable input; without such input it does not")
    func endByClock() throws {
        for device in ["good", "bad"] { try bench.send(device, at: bench.now + 3600) }
        bench.wait(1)
        try bench.send("good", at: bench.now)
        bench.wait(298)
        try bench.service.resolveEndedIntakeProblems()
        #expect(try bench.standing().count == 2)
        bench.wait(1)
        try bench.service.resolveEndedIntakeProblems()
        #expect(try bench.standing().map(\.source) == ["intake/bad"])
        bench.wait(86_400)
        try bench.service.resolveEndedIntakeProblems()
        #expect(try bench.standing().map(\.source) == ["intake/bad"])
        try bench.send("bad", at: bench.now)
        #expect(try bench.codes().isEmpty)
    }

    @Test("A token whose input can be used only sometimes is one problem")
    func token() throws {
        let notices = count()
        for step in 0..<12 {
            var batch = FixBatch()
            batch.sender = "tracker"
            if step % 3 == 0 {
                batch.refusals.append(Refusal(.unreadable, field: "lat", value: "x", reason: .notANumber))
            } else {
                let place = Coordinate(latitude: 52.5, longitude: 13.4)
                batch.rows.append(
                    .init(fix: Fix(time: bench.now, coordinate: place), device: batch.number(ofDevice: "a"), line: 1))
            }
            _ = try bench.service.accept(batch)
            bench.wait(60)
        }
        #expect(notices() == (1, 0))
        #expect(try bench.standing().map(\.source) == ["intake-token/tracker"])
    }

    @Test("If the clock is set back, a problem does not last longer")
    func clockSetBack() throws {
        try bench.send(at: bench.now + 3600)
        bench.wait(-7200)
        try bench.send(at: bench.now)
        #expect(try bench.codes().isEmpty)
    }

    // MARK: - Clocks that are behind

    private static let lag = 7168 * 86_400.0

    @Test(
        "A receiver whose week counter has rolled over has a problem at once, a known and a new device", arguments: [true, false])
    func rollover(_ isKnown: Bool) throws {
        if isKnown { try bench.send(at: bench.now + -86_400) }
        let time = bench.now + -Self.lag
        try bench.send("a", [(time + -600, 52.53), (time + -300, 52.5163), (time, 52.53)])
        let standing = try #require(try bench.standing().first)
        #expect(standing.problem == .deviceBehindClock(device: "a", time: time, lag: Self.lag))
        let message = try #require(standing.words["en"]?["message"]?.string)
        for part in [String(time.description.prefix(10)), "7,168 days behind", "1,024 weeks", "rolled over"] {
            #expect(message.contains(part), "\(message)")
        }
        #expect(try bench.service.problems(of: "a").map(\.code) == ["deviceBehindClock"])
        #expect(try bench.service.deviceStatuses().map(\.problemCodes) == [["deviceBehindClock"]])
        // Twice 1,024 weeks are reported as such.
        try bench.send("b", at: bench.now + -2 * Self.lag)
        #expect(try bench.standing().last?.words["en"]?["message"]?.string?.contains("2,048 weeks") == true)
    }

    @Test("A clock that fell back to the year 2000 is a problem after some requests, and the device is not silent")
    func reset() throws {
        try bench.service.save(Device(id: "a", silentAfter: 10))
        try bench.send(at: bench.now)
        var time = Instant("2000-02-25T06:30:47Z")!
        for step in 1...30 {
            bench.wait(2)
            _ = try bench.service.fireDeadlines(upTo: bench.now)
            try bench.send(at: time, 52.5 + Double(step) * 1e-5)
            time = time + Double(step % 2) * 2 + 1
        }
        #expect(try bench.bench.events().isEmpty)
        let standing = try #require(try bench.standing().first)
        #expect(standing.code == "deviceBehindClock")
        let message = try #require(standing.words["en"]?["message"]?.string)
        #expect(message.contains("2000-02-25") && message.contains("its clock was reset"), "\(message)")
        // It is saved once a minute, not with each position.
        #expect(standing.failures <= 2)
        // When it really stops reporting, it becomes silent.
        bench.wait(20)
        _ = try bench.service.fireDeadlines(upTo: bench.now)
        #expect(try bench.bench.events().map(\.type) == [.silent])
    }

    @Test("A clock that has stopped is a problem, too")
    func stopped() throws {
        for step in 0..<4 {
            try bench.send(at: Instant("2010-01-01T00:00:00Z")!, 52.5 + Double(step) * 1e-3)
            bench.wait(30)
        }
        #expect(try bench.codes() == ["deviceBehindClock"])
    }

    @Test("It ends when positions in time arrive again, some minutes after the last old one")
    func inTime() throws {
        try bench.send(at: bench.now)
        try bench.send(at: bench.now + -Self.lag)
        for _ in 0..<5 {
            bench.wait(60)
            try bench.send(at: bench.now)
            try bench.send(at: bench.now + -Self.lag)
        }
        #expect(try bench.codes() == ["deviceBehindClock"])
        #expect(try #require(bench.standing().first).failures == 6)
        try bench.service.forget()
        bench.wait(300)
        try bench.send(at: bench.now)
        #expect(try bench.codes().isEmpty)
    }

    @Test("Positions that a phone has kept, and an archive that a person sends, are not a problem")
    func archives() throws {
        func sendAll(
            _ device: String, from start: Instant, _ count: Int, each seconds: Double, perRequest size: Int, pause: Double
        )
            throws
        {
            let fixes = (0..<count).map { (time: start + Double($0) * seconds, latitude: 52.5 + Double($0) * 1e-5) }
            for first in stride(from: 0, to: count, by: size) {
                try bench.send(device, Array(fixes[first..<min(count, first + size)]))
                bench.wait(pause)
            }
        }
        // A phone without a network for two days; a phone from the drawer.
        try sendAll("kept", from: bench.now + -172_800, 2880, each: 60, perRequest: 100, pause: 1)
        try sendAll("drawer", from: bench.now + -200 * 86_400, 50, each: 60, perRequest: 1, pause: 60)
        // A ride of some years ago: at once, in parts, one position after the other, newest first.
        let ride = Instant("2014-06-01T10:00:00Z")!
        try sendAll("whole", from: ride, 1000, each: 5, perRequest: 1000, pause: 60)
        try sendAll("parts", from: ride, 1000, each: 5, perRequest: 50, pause: 1)
        try sendAll("single", from: ride, 200, each: 5, perRequest: 1, pause: 0.1)
        try sendAll("reversed", from: ride, 200, each: -5, perRequest: 1, pause: 10)
        // Days that lie around the time of 1,024 weeks ago.
        try sendAll("near", from: bench.now + -Self.lag + -30 * 86_400, 2000, each: 3600, perRequest: 2000, pause: 1)
        // A device that is in use, too.
        try bench.send("used", at: bench.now)
        try sendAll("used", from: ride, 500, each: 30, perRequest: 50, pause: 2)
        #expect(try bench.codes().isEmpty)
        #expect(try bench.service.deviceStatuses().allSatisfy { $0.problemCodes.isEmpty })
    }

    // MARK: - Two senders

    /// Two walkers with one id, `degrees` of latitude apart, who send in turns of `run` positions.
    private func walk(_ count: Int, apart degrees: Double, run: Int = 1, each seconds: Double = 60) throws {
        for step in 0..<count {
            let isSecond = step / run % 2 == 1
            try bench.send("a", at: bench.now, 52.5 + Double(step) * 1e-4 + (isSecond ? degrees : 0))
            bench.wait(seconds)
        }
    }

    @Test(
        "Two senders with one id are one problem of the device, which ends an hour after it stopped", arguments: [1, 2, 3],
        [DecisionPolicy.Name.balanced, .exact, .phone])
    func twoSenders(_ run: Int, _ policy: DecisionPolicy.Name) throws {
        try bench.service.save(Device(id: "a", policy: PolicyOverride(base: policy)))
        let notices = count()
        try walk(60 * run, apart: 6.2, run: run)
        let standing = try #require(try bench.standing().first)
        guard case .sharedDeviceID("a", let meters, let times, let seconds)? = standing.problem else {
            Issue.record("\(standing)")
            return
        }
        #expect(abs(meters - 690_000) < 5000 && times == 29 && seconds == Double(58 * run * 60), "\(meters) \(times) \(seconds)")
        #expect(notices() == (1, 0))
        let message = try #require(standing.words["en"]?["message"]?.string)
        #expect(
            message.contains("between places 690 km apart (29 times in ") && message.contains("two phones"), "\(message)")
        #expect(try bench.service.deviceStatuses().map(\.problemCodes) == [["sharedDeviceID"]])
        try walk(59, apart: 0)
        #expect(try bench.codes() == ["sharedDeviceID"])
        try walk(4, apart: 0)
        #expect(try bench.codes().isEmpty)
    }

    @Test("After a restart, they are found again within some minutes")
    func restart() throws {
        try walk(7, apart: 6.2)
        try bench.service.forget()
        #expect(try bench.codes().isEmpty)
        try walk(9, apart: 6.2)
        #expect(try bench.codes() == ["sharedDeviceID"])
    }

    @Test("The result does not depend on how the positions are put into requests")
    func requests() throws {
        let start = bench.now + -7200
        let fixes = (0..<40).map { (time: start + Double($0) * 60, latitude: $0 % 2 == 0 ? 52.5 : 57) }
        try bench.send("one", fixes)
        for fix in fixes { try bench.send("each", [fix]) }
        let problems = try bench.standing().compactMap(\.problem)
        #expect(problems.count == 2)
        guard case .sharedDeviceID(_, _, let times, _)? = problems.first,
            case .sharedDeviceID("each", _, let first, _)? = problems.last
        else {
            Issue.record("\(problems)")
            return
        }
        // The problem of single requests was saved when it was found, and is saved again a minute later.
        #expect(times == 19 && first == 4)
    }

    @Test("Outliers, a flight and noise are no second sender")
    func noSecondSender() throws {
        // One outlier, and one each ten minutes, elsewhere each time.
        var random = SplitMix64(state: 7)
        for step in 0..<600 {
            let isOutlier = step % 60 == 30
            let error = isOutlier ? Double.random(in: -3...3, using: &random) : Double.random(in: -1e-4...1e-4, using: &random)
            try bench.send("noisy", at: bench.now, 52.5 + error)
            bench.wait(10)
        }
        // A flight from Berlin to Rome and back, with a position each half minute at 240 m/s, and switched off on the way.
        for step in 0..<300 {
            let done = step < 150 ? Double(step) : Double(300 - step)
            if !(40..<80).contains(step) { try bench.send("flight", at: bench.now, 52.5 - done * 0.065) }
            bench.wait(30)
        }
        // The same false place three times.
        for step in 0..<40 {
            try bench.send("cell", at: bench.now, [10, 20, 30].contains(step) ? 48 : 52.5)
            bench.wait(60)
        }
        #expect(try bench.codes().isEmpty)
    }

    @Test("No second sender is found in random walks with outliers", arguments: 1...10 as ClosedRange<UInt64>)
    func randomWalks(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var (latitude, longitude) = (Double.random(in: -70...70, using: &random), Double.random(in: -160...160, using: &random))
        let interval = [1, 5, 30, 120].randomElement(using: &random)!
        for _ in 0..<500 {
            latitude += .random(in: -2e-4...2e-4, using: &random)
            longitude += .random(in: -2e-4...2e-4, using: &random)
            let isOutlier = Double.random(in: 0...1, using: &random) < 0.03
            let error = isOutlier ? Double.random(in: -10...10, using: &random) : 0
            try bench.send("a", [(bench.now, latitude + error)], longitude: longitude + error)
            bench.wait(Double(interval))
        }
        #expect(try bench.codes().isEmpty, "seed \(seed)")
    }

    @Test("No second sender is found in recorded tracks", arguments: OracleRun.all)
    func recorded(_ run: OracleRun) throws {
        let found = try bench.bench.feed([run.track.path], policy: nil)
        #expect(found.summary.problems.isEmpty, "\(found.summary.problems)")
    }

    @Test("The summary of a feed names devices with two senders once", arguments: [1, 2])
    func feed(_ run: Int) throws {
        let rows = (10..<52).map { "two,2026-05-01T10:\($0):00Z,\($0 / run % 2 == 0 ? 52.5 : 57.2),13.4\n" }
        let path = try bench.bench.directory.write("device,timestamp,latitude,longitude\n" + rows.joined(), to: "two.csv")
        bench.service.isServing = false
        for policy in [DecisionPolicy.Name.balanced, .exact] {
            let summary = try bench.bench.feed([path, path], policy: PolicyOverride(base: policy)).summary
            #expect(summary.problems.map(\.code) == ["sharedDeviceID"])
            let message = try #require(summary.json["summary"]?["problems"]?.array?.first?["message"]?.string)
            #expect(message.contains("'two'") && message.contains("523 km"), "\(message)")
        }
    }
}
