import Foundation
import Geodesy
import Model
import SQLite
import ServiceTestSupport
import Store
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Service

@Suite("Replays")
struct ReplayTests {
    private let bench: Workbench
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private static let start = Instant("2026-05-01T10:00:00Z")!
    private var start: Instant { Self.start }

    init() throws { bench = try Workbench() }

    private func fence(_ id: String = "a", radius: Double = 100, dwell: Double? = nil) -> Geofence {
        Geofence(id: id, name: "Fence \(id)", shape: .circle(Circle(center: home, radius: radius)), dwell: dwell)
    }

    /// Stores fixes, given as seconds after ten o'clock and meters north of home.
    @discardableResult
    private func accept(_ fixes: [(seconds: Double, north: Double)], device: String = "d") throws -> IntakeResult {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (line, fix) in fixes.enumerated() {
            let place = Coordinate(latitude: home.latitude + fix.north / 111_000, longitude: home.longitude)
            batch.rows.append(.init(fix: Fix(time: start + fix.seconds, coordinate: place), device: number, line: line))
        }
        return try bench.service.accept(batch, policy: .exact)
    }

    private func summaries(_ events: [Event]) -> [String] {
        events.map { "\($0.type) \(JSONValue($0.occurredAt - start)) \($0.cause)" }
    }

    private func standing() throws -> [Event] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var events: [Event] = []
        try bench.service.forEachEvent(filter) { events.append($0) }
        return events
    }

    @Test("A replay retracts wrong events, naming them, and adds the right ones")
    func correction() throws {
        try bench.add([fence()])
        try accept([(0, 500), (100, 0), (200, 500)])
        #expect(try accept([(60, 0), (150, 500), (170, 0)]).counts.late == 3)
        let before = try bench.events()
        #expect(summaries(before) == ["enter 100 moved", "exit 200 moved"])
        var events: [Event] = []
        let counts = try bench.service.replayLate(all: true) { events += $0 }
        #expect(counts.devices == 1 && counts.fixes == 6 && counts.retracted == 2 && counts.new == 4 && counts.unchanged == 0)
        #expect(
            summaries(events) == [
                "retracted 100 corrected", "retracted 200 corrected", "enter 60 corrected", "exit 150 corrected",
                "enter 170 corrected", "exit 200 corrected",
            ])
        #expect(events.prefix(2).map(\.retracts) == before.map(\.id))
        #expect(events.allSatisfy { $0.geofenceName == "Fence a" && $0.recordedAt == bench.clock.now() })
        #expect(try bench.events() == before + events)
        #expect(try bench.events().map(\.sequence) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(Set(try bench.events().map(\.id)).count == 8)
        #expect(try standing() == Array(events.dropFirst(2)))
        var visits: [Double] = []
        try bench.service.forEachVisit(.init()) { visits.append($0.duration ?? -1) }
        #expect(visits == [90, 30])
        #expect(try bench.service.replayLate(all: true) { _ in }.devices == 0, "nothing waits anymore")
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.devices == 1 && check.replay.decisions == 4, "\(check.flaws.first)")
    }

    @Test("A replay keeps the numbers of events that stay, and finds new visits between old ones")
    func between() throws {
        try bench.add([fence()])
        try accept([(0, 0), (100, 500), (350, 500), (400, 0)])
        try accept([(200, 0), (300, 500)])
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(
            try summaries(standing()) == [
                "enter 0 initial", "exit 100 moved", "enter 400 moved", "enter 200 corrected", "exit 300 corrected",
            ])
        // Enters and exits do not alternate by number, but they do by time.
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.openVisits == 1, "\(check.flaws.first)")
        #expect(try bench.service.deviceStatuses().first?.inside.map(\.enteredAt) == [start + 400])
    }

    @Test("A replay retracts a deadline that fired for lack of a late fix")
    func deadline() throws {
        try bench.add([fence(dwell: 300)])
        bench.clock.set(start + 100)
        try accept([(0, 500), (100, 0)])
        #expect(summaries(try bench.service.fireDeadlines(upTo: start + 2000)) == ["dwell 400 moved"])
        #expect(try accept([(200, 500)]).counts.late == 1)
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try summaries(standing()) == ["enter 100 moved", "exit 200 corrected"])
        #expect(try bench.service.deviceStatuses().first?.newest?.time == start + 200)
        // The newest fix was late. A later change takes effect after it.
        try bench.add([fence("b", radius: 1000)])
        #expect(try summaries(standing()).last == "enter 200 fenceChanged")
        #expect(try bench.service.replay(device: nil, since: nil, report: { _ in }).retracted == 0)
    }

    @Test("A replay takes signs of life into account, each at its time")
    func heard() throws {
        try bench.service.save(Device(id: "d", policy: PolicyOverride(base: .exact), silentAfter: 60))
        try bench.add([fence()])
        bench.clock.set(start)
        try accept([(0, 500)])
        _ = try bench.service.recordSignOfLife(deviceId: "d", at: start + 50)
        bench.clock.set(start + 2000)
        try accept([(2000, 500)])
        let before = try summaries(standing())
        #expect(before == ["silent 110 silence", "returned 2000 silence"])
        try accept([(500, 0)])
        _ = try bench.service.replayLate(all: true) { _ in }
        // The device was silent from its sign of life at 50, and the late fix is within that silence.
        #expect(
            try summaries(standing()) == [
                "silent 110 silence", "returned 500 corrected", "enter 500 corrected", "silent 560 corrected",
                "returned 2000 corrected", "exit 2000 corrected",
            ])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A replay waits until no late fix has come for two seconds, at most thirty")
    func patience() throws {
        try bench.add([fence()])
        bench.clock.set(start + 1000)
        try accept([(0, 500), (100, 500)])
        for second in 0..<30 {
            bench.clock.set(start + 1000 + Double(second))
            try accept([(Double(10 + second), 0)])
            #expect(try bench.service.replayLate(at: bench.clock.now()).done == nil)
        }
        bench.clock.set(start + 1030)
        #expect(try bench.service.replayLate(at: bench.clock.now()).done?.counts.new == 2)
        bench.clock.set(start + 1100)
        try accept([(90, 0)])
        #expect(try bench.service.replayLate(at: start + 1101).done == nil)
        // In several steps. Late fixes that arrive between the steps wait for the next replay.
        #expect(try bench.service.replayLate(at: start + 1102, limit: 10).hasMore)
        try accept([(95, 0), (200, 0)])
        var steps = 2
        while try bench.service.replayLate(at: start + 1101, limit: 10).done == nil { steps += 1 }
        #expect(steps == 4)
        #expect(try bench.service.replayLate(at: start + 1101, limit: 10).done == nil)
        while try bench.service.replayLate(at: start + 1102, limit: 10).hasMore {}
        #expect(
            try summaries(standing()) == [
                "enter 10 corrected", "enter 200 moved", "exit 100 corrected",
            ])
        #expect(try bench.service.replayLate(at: start + 5000).hasMore == false)
    }

    @Test("A replay runs while an endless pipe is fed")
    func pipe() throws {
        try bench.add([fence()])
        bench.clock.set(start + 1000)
        let path = bench.directory.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        func line(_ seconds: Double, _ north: Double) -> String {
            "d,\(start + seconds),\(home.latitude + north / 111_000),\(home.longitude)\n"
        }
        let lines = [
            "device,timestamp,latitude,longitude\n" + line(0, 500) + line(100, 0), line(50, 0), line(200, 0),
        ]
        let (isRead, isReported, isWritten) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let wasReportedBefore = Mutex(false)
        let clock = bench.clock
        let writer = Thread {
            defer { isWritten.signal() }
            guard let pipe = FileHandle(forWritingAtPath: path) else { return }
            for line in lines {
                pipe.write(Data(line.utf8))
                // The next line is written when this one was read, seconds later.
                isRead.wait()
                clock.set(clock.now() + 3)
            }
            // The end of the file would also start the replay, so this waits for the event before closing the file.
            let wasReported = isReported.wait(timeout: .now() + Watchdog.seconds) == .success
            wasReportedBefore.withLock { $0 = wasReported }
            try? pipe.close()
        }
        writer.start()
        var reported: [EventType] = []
        let observer = FileFeed.Observer(
            event: {
                reported.append($0.type)
                if $0.cause == .corrected, $0.type == .enter { isReported.signal() }
            }, refusal: { _ in }, problem: { _ in }, progress: { _, _ in isRead.signal() })
        let summary = FileFeed.run([path], into: bench.service, options: .init(policy: .exact), observer: observer)
        #expect(reported == [.enter, .retracted, .enter] && summary.replays.new == 1)
        isWritten.wait()
        #expect(wasReportedBefore.withLock { $0 }, "only its end had it reported")
    }

    @Test("A replay continues after a restart with the waiting fixes")
    func restart() throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        let history = EditedHistory(seed: 7)
        let arriving = history.shuffled(seed: 7)
        for part in [arriving.prefix(arriving.count / 2), arriving.dropFirst(arriving.count / 2)] {
            let service = try ServiceWriter(data, purpose: "test", clock: bench.clock)
            try history.apply(Array(part), to: service, seed: 7)
        }
        let service = try ServiceWriter(data, purpose: "test", clock: bench.clock)
        #expect(try service.replayLate(all: true) { _ in }.devices > 0)
        try history.apply(history.steps, to: bench.service, seed: 8)
        #expect(try Outcome(service) == Outcome(bench.service))
    }

    @Test("A trial replay shows what waiting fixes would change, and writes nothing")
    func trial() throws {
        try bench.add([fence()])
        try accept([(-200_000, 500), (0, 500)])
        try accept([(-100_000, 0)])
        let sequence = try bench.service.newestSequence()
        var findings: [ReplayFinding] = []
        _ = try bench.service.simulateReplay(device: "d", since: nil, report: { findings.append($0) })
        #expect(findings.first?.right.filter { $0.geofenceId != nil }.map(\.type) == [.enter, .exit])
        #expect(try bench.service.newestSequence() == sequence, "a supposition writes nothing")
        let counts = try bench.service.replay(device: "d", since: nil, report: { _ in })
        #expect(counts.new >= 2)
        #expect(throws: Problem.self) { try bench.service.replay(device: "nobody", since: nil, report: { _ in }) }
    }

    @Test("A trial replay can assume another policy and other fences")
    func suppositions() throws {
        try bench.add([fence()])
        try accept([(0, 500), (100, 0), (130, 500), (140, 500)])
        var findings: [ReplayFinding] = []
        _ = try bench.service.simulateReplay(device: nil, since: nil, policy: .balanced) { findings.append($0) }
        #expect(findings.map(\.counts.retracted) == [2] && findings[0].right.isEmpty, "one fix is not enough")
        findings.removeAll()
        _ = try bench.service.simulateReplay(device: nil, since: nil, fences: [fence("far", radius: 600)]) { findings.append($0) }
        #expect(findings.first?.wrong.map(\.geofenceId) == ["a", "a"])
        #expect(findings.first?.right.map(\.geofenceId) == ["far"])
        #expect(findings.first?.lines.first?["retract"]?["id"] != nil && findings.first?.lines.last?["new"]?["id"] == nil)
        #expect(try bench.events().count == 2)
        #expect(throws: Problem.self) {
            try bench.service.simulateReplay(device: nil, since: nil, fences: [fence(radius: -1)]) { _ in }
        }
    }

    // MARK: - Checkpoints

    /// One fix a minute for `hours` hours, inside and outside of a fence.
    private func day(hours: Int, device: String = "d") throws {
        var fixes: [(seconds: Double, north: Double)] = []
        for minute in 0..<hours * 60 { fixes.append((Double(minute * 60), minute / 7 % 2 == 0 ? 0 : 500)) }
        try accept(fixes, device: device)
    }

    private func checkpoints() throws -> [Instant] {
        let connection = try Connection(path: bench.data.storePath, access: .read)
        let row = try connection.uncachedStatement("SELECT time FROM checkpoint ORDER BY device, time")
        return try row.values(Int64.self).map(Instant.init(milliseconds:))
    }

    @Test("A replay begins at a checkpoint, and renews the checkpoints that it passes")
    func checkpoint() throws {
        try bench.add([fence()])
        try day(hours: 48)
        let kept = try checkpoints()
        let beginnings: [Instant?] = [nil] + kept.map { $0 + 1 }
        #expect(kept.count == 7, "\(kept)")
        try accept([(40 * 3600 + 30, 3000)])
        let counts = try bench.service.replayLate(all: true) { _ in }
        #expect(counts.devices == 1 && counts.fixes > 480 && counts.fixes < 900, "\(counts)")
        #expect(try checkpoints().prefix(6) == kept.prefix(6))
        #expect(try checkpoints().count == 7)
        // A replay from any checkpoint, and from the first fix, finds the same events.
        for since in beginnings {
            let again = try bench.service.replay(device: "d", since: since, report: { _ in })
            #expect(again.retracted == 0 && again.new == 0 && again.devices == 1, "\(String(describing: since)): \(again)")
        }
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A replay begins at no state that has evaluated a newer outlier")
    func suspicion() throws {
        try bench.add([fence()])
        var batch = FixBatch()
        let number = batch.number(ofDevice: "d")
        // The hundredth fix would create a checkpoint.
        for count in 0..<110 {
            let place = count == 98 ? Coordinate(latitude: 10, longitude: 100) : home
            batch.rows.append(
                .init(fix: Fix(time: start + Double(count * 600), coordinate: place), device: number, line: count))
        }
        _ = try bench.service.accept(batch, policy: .balanced)
        #expect(try checkpoints() == [start + 99 * 600])
        try Connection(path: bench.data.storePath, access: .write).execute("DELETE FROM checkpoint")
        batch.rows = [.init(fix: Fix(time: start + 108 * 600 + 1, coordinate: home), device: number, line: 0)]
        _ = try bench.service.accept(batch, policy: .balanced)
        for since in [start + 108 * 600, start + 109 * 600] {
            let counts = try bench.service.replay(device: "d", since: since, report: { _ in })
            #expect(counts.devices == 1 && counts.unchanged <= 1 && counts.new + counts.retracted == 0, "\(counts)")
            #expect(try checkpoints() == [start + 99 * 600])
        }
        #expect(try summaries(standing()) == ["enter 0 initial"])
    }

    @Test("Checkpoints are deleted with the positions: by age, by removal and by erasure")
    func forgotten() throws {
        try bench.add([fence()])
        for device in ["d", "e", "f"] { try day(hours: 26, device: device) }
        try bench.service.save(Device(id: "f", keepPositions: .infinity))
        #expect(try checkpoints().count == 12)
        while try bench.service.trimPositions(keeping: 3600, now: start + 14 * 3600).hasMore {}
        #expect(try checkpoints().count == 2 + 2 + 4)
        try accept([(20 * 3600 + 30, 3000)], device: "d")
        let counts = try bench.service.replayLate(all: true) { _ in }
        #expect(counts.devices == 1 && counts.skipped == 0)
        // Without the checkpoints before it, a fix of that time can no longer be evaluated.
        try accept([(12 * 3600 + 30, 3000)], device: "d")
        #expect(try bench.service.replayLate(all: true) { _ in }.skipped == 1)
        #expect(try bench.service.replay(device: "d", since: nil, report: { _ in }).skipped == 1)
        try bench.service.removeDevice(id: "d")
        #expect(try checkpoints().count == 2 + 4)
        _ = try bench.service.eraseDevice(id: "e")
        #expect(try checkpoints().count == 4)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A replay uses the rules and fences of the time, however long ago", arguments: Histories.seeds(1...4))
    func long(seed: UInt64) throws {
        let history = EditedHistory(seed: seed, count: 4000)
        let ordered = try Workbench()
        try history.apply(history.steps, to: ordered.service, seed: seed)
        var replays = 0
        var evaluated = 0
        try history.apply(history.shuffled(seed: seed, share: 0.02), to: bench.service, seed: seed + 1) { service in
            if seed % 2 == 0 { try service.forget() }
            let counts = try service.replayLate(all: true) { _ in }
            replays += counts.devices
            evaluated += counts.fixes
        }
        _ = try bench.service.replayLate(all: true) { _ in }
        let (expected, found) = (try Outcome(ordered.service), try Outcome(bench.service))
        let missing = Set(expected.events).subtracting(found.events).sorted().prefix(3)
        let surplus = Set(found.events).subtracting(expected.events).sorted().prefix(3)
        #expect(expected.events == found.events, "seed \(seed): missing \(missing), surplus \(surplus)")
        #expect(expected.statuses == found.statuses, "seed \(seed)")
        #expect(try checkpoints().count > 20, "seed \(seed)")
        #expect(evaluated < replays * 600, "seed \(seed): \(evaluated) fixes for \(replays) replays")
        let check = try bench.service.checkStore()
        #expect(check.isSound, "seed \(seed): \(check.flaws.first)")
    }
}
