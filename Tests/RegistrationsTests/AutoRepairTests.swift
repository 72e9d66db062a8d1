import Core
import Foundation
import Geodesy
import Model
import Places
import Presence
import Reconciler
import Service
import ServiceTestSupport
import SimulatedOS
import Synchronization
import TestSupport
import Testing

@testable import Registrations

@Suite("Repair schedule")
struct RepairScheduleTests {
    private let start = Instant("2026-05-01T10:00:00Z")!
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private var pace: RepairSchedule.Limits {
        var pace = RepairSchedule.Limits()
        pace.interval = 900
        pace.shortestInterval = 30
        pace.farDistance = 1000
        pace.mostAtOnce = 3
        return pace
    }

    private func at(_ seconds: Double) -> Instant { start + seconds }

    /// A schedule with one device that was checked at ten o'clock.
    private func checkedSchedule(_ outcome: RepairSchedule.Outcome = .done, times: Int = 1) -> RepairSchedule {
        var schedule = RepairSchedule(pace)
        schedule.setDevices(["a"], at: start)
        schedule.deviceMoved("a", to: home, at: start)
        _ = schedule.startDue(at: start)
        schedule.finished("a", outcome, at: start, jitter: 0)
        return schedule
    }

    /// The seconds after ten o'clock at which the device is due; nil for never.
    private func due(_ schedule: RepairSchedule, from first: Double = 0) -> Double? {
        var schedule = schedule
        return (Int(first)...Int(first) + 4000).first { !schedule.startDue(at: at(Double($0))).isEmpty }.map(Double.init)
    }

    @Test("A device is checked at once, then at regular intervals")
    func regularly() {
        var schedule = RepairSchedule(pace)
        #expect(schedule.startDue(at: start).isEmpty)
        schedule.setDevices(["a"], at: start)
        #expect(schedule.startDue(at: start) == ["a"])
        #expect(schedule.startDue(at: at(5000)).isEmpty, "it is being looked at")
        #expect(due(checkedSchedule()) == 900)
        var shortened = checkedSchedule()
        _ = shortened.startDue(at: at(900))
        shortened.finished("a", .done, at: at(900), jitter: 1)
        #expect(due(shortened, from: 900) == 1710.0)
    }

    @Test("Trouble or a changed geofence makes the next check earlier, but keeps a minimum interval")
    func sooner() {
        var troubled = checkedSchedule()
        troubled.registrationFailed("a", at: at(5))
        #expect(due(troubled) == 30)
        troubled = checkedSchedule()
        troubled.registrationFailed("a", at: at(200))
        #expect(due(troubled) == 200)
        var changed = checkedSchedule()
        changed.geofencesChanged(at: at(300))
        #expect(due(changed) == 300)
        var stranger = checkedSchedule()
        stranger.registrationFailed("b", at: at(5))
        #expect(due(stranger) == 900)
    }

    @Test("A device that has moved far since the last check is checked earlier", arguments: [(900.0, 900.0), (1100, 100)])
    func far(_ meters: Double, _ expected: Double) {
        var schedule = checkedSchedule()
        schedule.deviceMoved(
            "a", to: Coordinate(latitude: home.latitude + meters / 111_250, longitude: home.longitude), at: at(100))
        #expect(due(schedule) == expected)
    }

    @Test("Failures use the backoff of connections, regardless of what happens meanwhile, and a success restores the interval")
    func backoff() {
        var schedule = RepairSchedule(pace)
        schedule.setDevices(["a"], at: start)
        var now = 0.0
        var waits: [Double] = []
        for _ in 0..<8 {
            _ = schedule.startDue(at: at(now))
            schedule.finished("a", .failed, at: at(now), jitter: 0)
            schedule.geofencesChanged(at: at(now + 0.5))
            let next = due(schedule, from: now)!
            waits.append(next - now)
            now = next
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
        _ = schedule.startDue(at: at(now))
        schedule.finished("a", .done, at: at(now), jitter: 0)
        schedule.registrationFailed("a", at: at(now + 1))
        #expect(due(schedule, from: now) == now + 30)
        var jittered = RepairSchedule(pace)
        jittered.setDevices(["a"], at: start)
        for number in 0..<6 {
            _ = jittered.startDue(at: at(Double(100 * number)))
            jittered.finished("a", .failed, at: at(Double(100 * number)), jitter: 1)
        }
        #expect(due(jittered, from: 500) == 523, "22.5 seconds")
    }

    @Test("A sign of life ends the wait after failures, but not every sign of life does", arguments: [true, false])
    func signOfLife(isPosition: Bool) {
        func hear(_ schedule: inout RepairSchedule, at seconds: Double) {
            if isPosition {
                schedule.deviceMoved("a", to: home, at: at(seconds))
            } else {
                schedule.registrationFailed("a", at: at(seconds))
            }
        }
        var schedule = RepairSchedule(pace)
        schedule.setDevices(["a"], at: start)
        var now = 0.0
        for _ in 0..<6 {
            _ = schedule.startDue(at: at(now))
            schedule.finished("a", .failed, at: at(now), jitter: 0)
            now = due(schedule, from: now)!
        }
        // Five attempts have failed, and the sixth half a minute later.
        let failed = now - 30
        var soon = schedule
        hear(&soon, at: failed + 0.5)
        #expect(due(soon, from: failed) == failed + 1, "not at once again")
        hear(&schedule, at: failed + 10)
        #expect(schedule.startDue(at: at(failed + 10)) == ["a"])
        schedule.finished("a", .failed, at: at(failed + 10), jitter: 0)
        for second in 11..<40 { hear(&schedule, at: failed + Double(second)) }
        #expect(due(schedule, from: failed + 10) == failed + 40, "it lives, and fails all the same")
        _ = schedule.startDue(at: at(failed + 40))
        schedule.finished("a", .failed, at: at(failed + 40), jitter: 0)
        hear(&schedule, at: failed + 45)
        #expect(due(schedule, from: failed + 40) == failed + 45)
    }

    @Test("A limited number of checks run at once, in order of their due time")
    func atOnce() {
        var schedule = RepairSchedule(pace)
        schedule.setDevices(["e", "d"], at: start)
        schedule.setDevices(["e", "d", "c", "b", "a"], at: at(1))
        #expect(schedule.startDue(at: at(2)) == ["d", "e", "a"] && schedule.runningCount == 3)
        #expect(schedule.startDue(at: at(3)).isEmpty)
        schedule.finished("d", .failed, at: at(4), jitter: 0)
        #expect(schedule.startDue(at: at(4)) == ["b"])
        schedule.finished("e", .done, at: at(5), jitter: 0)
        schedule.finished("a", .done, at: at(5), jitter: 0)
        #expect(schedule.startDue(at: at(50)) == ["c", "d"])
    }

    @Test("Trouble during a check schedules another check")
    func called() {
        var schedule = checkedSchedule()
        #expect(schedule.startDue(at: at(900)) == ["a"])
        schedule.registrationFailed("a", at: at(901))
        schedule.finished("a", .done, at: at(902), jitter: 0)
        #expect(due(schedule, from: 902) == 932)
    }

    @Test("A device that is no longer repaired is not checked again")
    func unwatched() {
        var schedule = checkedSchedule()
        #expect(schedule.startDue(at: at(900)) == ["a"])
        schedule.setDevices([], at: at(901))
        #expect(schedule.runningCount == 1)
        schedule.finished("a", .done, at: at(902), jitter: 0)
        schedule.setDevices([], at: at(903))
        #expect(due(schedule, from: 903) == nil)
    }

    @Test("A clock that is set back does not delay the next check")
    func steppedBack() {
        var schedule = checkedSchedule()
        #expect(schedule.startDue(at: at(-86_400)) == ["a"])
        schedule.finished("a", .done, at: at(-86_400), jitter: 0)
        #expect(schedule.startDue(at: at(-86_400 + 899)).isEmpty)
        #expect(schedule.startDue(at: at(-86_400 + 900)) == ["a"])
    }
}

@Suite("Auto-repair")
struct AutoRepairTests {
    private let directory: TemporaryDirectory
    private var data: DataDirectory { DataDirectory(path: directory.path + "/data") }
    private let local: LocalService
    private let clock: SettableClock
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    /// A clock that only moves when a test advances it.
    private final class SettableClock: WallClock {
        private let time = Mutex(Instant("2026-05-01T10:00:00Z")!)
        func now() -> Instant { time.withLock { $0 } }
        func advance(by seconds: Double) { time.withLock { $0 = $0 + seconds } }
    }

    /// The reports, as text.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        @Sendable func record(_ news: AutoRepair.Activity) {
            lines.withLock { lines in
                switch news {
                case .repaired(let report): lines.append("\(report.after.device.id) \(report.after.statusSummary)")
                case .failed(let id, let problem): lines.append("\(id) failed \(problem.code)")
                case .devicesRead: break
                case .storeFailed(let problem): lines.append("unable \(problem.code)")
                }
            }
        }

        /// The reports since the last call.
        func takeLines() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines.sorted()
            }
        }
    }

    private let log = Log()

    init() throws {
        directory = try TemporaryDirectory()
        clock = SettableClock()
        local = try LocalService(DataDirectory(path: directory.path + "/data"), purpose: "test", clock: clock)
    }

    private func make(_ pace: RepairSchedule.Limits = .init()) -> AutoRepair {
        AutoRepair(local, repairCoordinator: RepairCoordinator(local, clock: clock), pace: pace, clock: clock) { 0 }
    }

    private func circle(_ number: Int) -> Geofence {
        Geofence(
            id: "f\(number)", name: "Fence \(number)",
            shape: .circle(
                Circle(
                    center: Coordinate(latitude: home.latitude + Double(number) / 250, longitude: home.longitude), radius: 120)))
    }

    private func setUp(_ devices: [Device], fences: Int = 3) async throws {
        let circles = (0..<fences).map(circle)
        try await local.perform { service throws(Problem) in
            for device in devices { try service.save(device) }
            try service.apply(circles.map { .save($0) })
        }
    }

    private func phone(_ id: String, autoRepair: Bool = true) -> Device {
        Device(id: id, platform: .ios, registry: .simulated, autoRepair: autoRepair)
    }

    private func operate(_ id: String, _ body: @escaping @Sendable (inout SimulatedOS) -> Void) async throws {
        try await local.perform { service throws(Problem) in try service.changeSimulatedOS(of: service.device(id: id), body) }
    }

    @Test("Auto-repair repairs the devices that have it on, and records their health")
    func repairs() async throws {
        try await setUp([phone("a"), phone("b"), phone("c", autoRepair: false), Device(id: "d")])
        let auto = make()
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["a Healthy", "b Healthy"])
        let history = try await local.perform { service throws(Problem) in
            try ["a", "c"].map { id throws(Problem) in
                try service.healthHistory(of: service.device(id: id)).map(\.summary.description)
            }
        }
        #expect(history == [["Healthy", "3 geofence(s) not registered with iOS"], []])
        await auto.runOnce(report: log.record)
        clock.advance(by: 899)
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == [])
        try await operate("a") { _ = $0.dropRandomRegions(1) }
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == [])
        clock.advance(by: 1)
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["a Healthy"], "b was well, and was not repaired")
    }

    @Test("Auto-repair comes soon after geofences change, and after the device leaves the sentinel")
    func sooner() async throws {
        try await setUp([phone("a")], fences: 43)
        let auto = make()
        try await feed("a", north: 0)
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["a Healthy"])
        clock.advance(by: 60)
        let fence = circle(43)
        try await local.perform { service throws(Problem) in _ = try service.apply([.save(fence)]) }
        await auto.runOnce(report: log.record)
        clock.advance(by: 60)
        for seconds in stride(from: 0.0, to: 100, by: 10) {
            clock.advance(by: 10)
            try await feed("a", north: 8000 + seconds)
        }
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["a Healthy"])
    }

    private func feed(_ device: String, north: Double) async throws {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        let place = Coordinate(latitude: home.latitude + north / 111_250, longitude: home.longitude)
        batch.rows.append(.init(fix: Fix(time: clock.now(), coordinate: place, accuracy: 8), device: number, line: 1))
        let request = batch
        try await local.perform { service throws(Problem) in _ = try service.accept(request) }
    }

    @Test("Auto-repair leaves to a person what only a person can change")
    func person() async throws {
        try await setUp([phone("a")])
        try await operate("a") { $0.authorize(.whenInUse) }
        let auto = make()
        await auto.runOnce(report: log.record)
        clock.advance(by: 100)
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == [])
        try await operate("a") { $0.authorize(.always) }
        clock.advance(by: 800)
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["a Healthy"])
    }

    @Test("Without an answer, auto-repair retries with growing waits and reports the reason")
    func failures() async throws {
        try await setUp([phone("a")])
        try await operate("a") { $0.faults.next += [.noAnswer, .noAnswer] }
        let auto = make()
        for (wait, news) in [
            (0.0, ["a failed registryUnavailable"]), (0.9, []), (0.1, ["a failed registryUnavailable"]), (1.9, []),
            (0.1, ["a Healthy"]),
        ] {
            clock.advance(by: wait)
            await auto.runOnce(report: log.record)
            #expect(log.takeLines() == news)
        }
        let history = try await local.perform { service throws(Problem) in
            try service.healthHistory(of: service.device(id: "a")).map(\.summary.description)
        }
        #expect(history == ["Healthy", "3 geofence(s) not registered with iOS", "Unknown"])
    }

    @Test("Auto-repair continues after the store was unavailable")
    func unable() async throws {
        try await setUp([phone("a")])
        let access = BrokenAccess(local: local)
        let auto = AutoRepair(access, repairCoordinator: RepairCoordinator(access, clock: clock), clock: clock) { 0 }
        access.isBroken.withLock { $0 = true }
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["unable storeFull"])
        access.isBroken.withLock { $0 = false }
        await auto.runOnce(report: log.record)
        #expect(log.takeLines() == ["a Healthy"])
    }

    /// Access to a service whose disk is full when a test says so.
    private final class BrokenAccess: ServiceAccess {
        let isBroken = Mutex(false)
        private let local: LocalService

        init(local: LocalService) { self.local = local }

        func perform<Result: Sendable>(
            _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
        ) async throws(Problem) -> Result {
            if isBroken.withLock({ $0 }) { throw .storeFull(path: "picket.sqlite") }
            return try await local.perform(body)
        }
    }

    @Test("Auto-repair runs until it is canceled")
    func run() async throws {
        try await setUp([phone("a")])
        let auto = make()
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let work = Task {
            await auto.run {
                for await _ in ticks { return }
                throw CancellationError()
            } report: { news in
                if case .repaired(let report) = news { continuation.yield(report.after.statusSummary) }
            }
        }
        var summaries = stream.makeAsyncIterator()
        #expect(await summaries.next() == "Healthy")
        try await operate("a") { _ = $0.dropRandomRegions(2) }
        clock.advance(by: 900)
        tick.yield()
        #expect(await summaries.next() == "Healthy")
        work.cancel()
        await work.value
    }
}
