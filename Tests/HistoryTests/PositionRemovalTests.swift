import Model
import ServiceTestSupport
import TestSupport
import Testing
import Timeline

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Store

@Suite("Removal of positions from a time on")
struct PositionRemovalTests {
    private let future = Instant("2026-07-01T00:00:00Z")!

    private func position(_ device: Int, _ meters: Double, at time: Instant) -> FixBatch.Row {
        .init(
            fix: Fix(time: time, coordinate: StayingHistory.home.north(meters), accuracy: 5), device: Int32(device), line: 1)
    }

    private func expectSame(_ found: Workbench, _ expected: Workbench, _ seed: UInt64) throws {
        #expect(try found.standingDecisions() == expected.standingDecisions(), "seed \(seed)")
        for id in StayingHistory.devices {
            let (one, other) = (
                try #require(try found.service.deviceIndex(of: id)), try #require(try expected.service.deviceIndex(of: id))
            )
            let difference = found.service.loadedDevices[one].state.difference(from: expected.service.loadedDevices[other].state)
            #expect(difference == nil, "seed \(seed), \(id): \(difference ?? "")")
        }
        let check = try found.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
    }

    @Test("After the removal all is as if the positions had never come", arguments: Histories.seeds(1...12))
    func oracle(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let history = StayingHistory(seed: seed, count: 120)
        let (bench, expected) = (try Workbench.ofStayingDevices(), try Workbench.ofStayingDevices())
        bench.service.serve()
        expected.service.serve()
        let rows = history.batches.flatMap { $0 }
        for row in rows { try StayingHistory.accept([row], by: expected.service) }
        let ahead = Int.random(in: 0..<rows.count, using: &random)
        for (index, row) in rows.enumerated() {
            if index == ahead {
                // The clocks of the devices and of the service are ahead, and the service fires deadlines by its own clock.
                for step in 0..<3 {
                    for device in StayingHistory.devices.indices {
                        let time = future + Double(step * 400 + device)
                        try StayingHistory.accept([position(device, Double(step) * 100 - 50, at: time)], by: bench.service)
                    }
                }
                bench.clock.set(future + 3000)
                while let next = try bench.service.nextDeadline(), next < bench.clock.now() {
                    _ = try bench.service.fireDeadlines(upTo: bench.clock.now())
                }
                bench.clock.set(expected.clock.now())
            }
            try StayingHistory.accept([row], by: bench.service)
            if seed % 3 == 0, index % 20 == 0 { try bench.service.forget() }
            if seed % 2 == 0, index % 30 == 0 { try bench.service.sortFixes() }
        }
        let preview = try bench.service.previewPositionRemoval(ofDevice: "device-1", since: future)
        #expect(preview == PositionRemoval(deviceId: "device-1", since: future, positions: 3))
        for id in StayingHistory.devices {
            let removal = try bench.service.removePositions(ofDevice: id, since: future)
            #expect(removal.positions == 3, "seed \(seed)")
            let again = try bench.service.removePositions(ofDevice: id, since: future)
            #expect(again == PositionRemoval(deviceId: id, since: future, positions: 0, retracted: 0, new: 0), "seed \(seed)")
        }
        try expectSame(bench, expected, seed)
        if seed % 2 == 0 { try bench.service.forget() }
        // The devices are not mute anymore.
        let end = Instant("2026-05-02T10:00:00Z")!
        for step in 0..<6 {
            for device in StayingHistory.devices.indices {
                let row = position(device, Double(step % 3) * 150, at: end + Double(step * 100 + device))
                try StayingHistory.accept([row], by: bench.service)
                try StayingHistory.accept([row], by: expected.service)
            }
        }
        try expectSame(bench, expected, seed)
    }

    @Test("A device of which all positions are removed has no state, and starts again")
    func everything() throws {
        let bench = try Workbench.ofStayingDevices()
        let rows = StayingHistory(seed: 3).batches.flatMap { $0 }
        for row in rows { try StayingHistory.accept([row], by: bench.service) }
        for id in StayingHistory.devices { _ = try bench.service.removePositions(ofDevice: id, since: .earliest) }
        #expect(try bench.standingDecisions().isEmpty && bench.service.totals().fixes == 0)
        #expect(try bench.service.deviceStatuses().allSatisfy { $0.newest == nil && $0.inside.isEmpty })
        #expect(try bench.service.checkStore().isSound)
        try bench.service.forget()
        for row in rows { try StayingHistory.accept([row], by: bench.service) }
        let expected = try Workbench.ofStayingDevices()
        for row in rows { try StayingHistory.accept([row], by: expected.service) }
        try expectSame(bench, expected, 3)
    }

    @Test("A device whose positions are not kept starts again, and its visits alternate")
    func notKept() throws {
        let bench = try Workbench.ofStayingDevices()
        bench.service.serve()
        try bench.service.save(Device(id: "device-1", keepPositions: 0))
        let now = Instant("2026-05-01T12:00:00Z")!
        // Two positions inside the geofence at home, then two far away and ahead of the clock.
        for second in 0..<3 { try StayingHistory.accept([position(0, 0, at: now + Double(second) * 60)], by: bench.service) }
        bench.clock.set(future + 60)
        for second in 0..<3 {
            try StayingHistory.accept([position(0, 90_000, at: future + Double(second) * 20)], by: bench.service)
        }
        bench.clock.set(now + 300)
        try StayingHistory.accept([position(0, 0, at: now + 240)], by: bench.service)
        #expect(try bench.service.problems(of: "device-1").map(\.source) == ["clock/device-1"])
        let inside = try bench.standingDecisions().count { $0.contains("enter") }
        try #require(inside > 0)
        let removal = try bench.service.removePositions(ofDevice: "device-1", since: future)
        #expect(removal.positions == 0)
        #expect(try bench.service.problems(of: "device-1").isEmpty)
        #expect(try bench.service.deviceStatus(of: "device-1").newest == nil)
        try bench.service.forget()
        bench.clock.set(now + 600)
        var batch = FixBatch()
        _ = batch.number(ofDevice: "device-1")
        for second in 0..<3 { batch.rows.append(position(0, 0, at: now + 400 + Double(second) * 60)) }
        let counts = try bench.service.accept(batch).counts
        #expect(counts.late == 0 && counts.accepted == 3)
        let visits = try bench.service.visits(.init(), onlyOpen: false, after: nil, limit: 1000).items
        #expect(visits.filter { $0.exitedAt == nil }.count == inside)
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        filter.deviceId = "device-1"
        var events: [Event] = []
        try bench.service.forEachEvent(filter) { events.append($0) }
        for (geofence, events) in Dictionary(grouping: events, by: \.geofenceId) {
            let types = events.sorted { ($0.occurredAt, $0.sequence) < ($1.occurredAt, $1.sequence) }.map(\.type)
                .filter { [.enter, .exit].contains($0) }
            #expect(zip(types, types.dropFirst()).allSatisfy { $0 != $1 } && types.first != .exit, "\(geofence ?? ""): \(types)")
        }
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A removal in steps, with positions in between, ends like one at once", arguments: Histories.seeds(1...8))
    func steps(seed: UInt64) throws {
        let rows = StayingHistory(seed: seed, count: 120).batches.flatMap { $0 }
        let (bench, expected) = (try Workbench.ofStayingDevices(), try Workbench.ofStayingDevices())
        for bench in [bench, expected] {
            bench.service.serve()
            for row in rows.prefix(80) { try StayingHistory.accept([row], by: bench.service) }
            bench.clock.set(future + 4000)
            for step in 0..<40 {
                try StayingHistory.accept([position(0, Double(step) * 70, at: future + Double(step) * 60)], by: bench.service)
            }
            bench.clock.set(Instant("2026-11-20T12:00:00Z")!)
        }
        var job = PositionRemovalJob(ofDevice: "device-1", since: future, limit: 7)
        var rest = Array(rows.dropFirst(80))
        var steps = 0
        while try job.step(bench.service) {
            steps += 1
            if !rest.isEmpty { try StayingHistory.accept([rest.removeFirst()], by: bench.service) }
            // A service that was killed in between finishes the evaluation automatically.
            if seed % 4 == 0, steps == 3 { try bench.service.forget() }
        }
        #expect(steps > 6 && job.removal.positions == 40, "seed \(seed)")
        for row in rest { try StayingHistory.accept([row], by: bench.service) }
        _ = try bench.service.replayLate(all: true) { _ in }
        _ = try expected.service.removePositions(ofDevice: "device-1", since: future)
        for row in rows.dropFirst(80) { try StayingHistory.accept([row], by: expected.service) }
        _ = try expected.service.replayLate(all: true) { _ in }
        try expectSame(bench, expected, seed)
    }

    @Test("Input that is refused and a clock that is ahead are two problems")
    func twoProblems() throws {
        let bench = try Workbench.ofStayingDevices()
        bench.service.serve()
        let now = Instant("2026-05-01T12:00:00Z")!
        bench.clock.set(future)
        try StayingHistory.accept([position(0, 0, at: future)], by: bench.service)
        bench.clock.set(now)
        var batch = FixBatch()
        batch.sender = "phone"
        _ = batch.number(ofDevice: "device-1")
        batch.refusals.append(
            Refusal(.unreadable, device: "device-1", line: 1, field: "lat", value: "x", reason: .notANumber))
        batch.rows = [position(0, 0, at: now)]
        _ = try bench.service.accept(batch)
        let problems = try bench.service.problems(of: "device-1")
        #expect(Set(problems.map(\.source)) == ["clock/device-1", "intake/device-1"])
        _ = try bench.service.removePositions(ofDevice: "device-1", since: future)
        #expect(try bench.service.problems(of: "device-1").map(\.source) == ["intake/device-1"])
    }

    @Test("A device that is mute behind a position ahead of the clock has a problem, until that is removed")
    func problem() throws {
        let bench = try Workbench.ofStayingDevices()
        bench.service.serve()
        let now = Instant("2026-05-01T12:00:00Z")!
        bench.clock.set(future)
        try StayingHistory.accept([position(0, 0, at: now + -60)], by: bench.service)
        try StayingHistory.accept([position(0, 0, at: future + -7200)], by: bench.service)
        try StayingHistory.accept([position(0, 0, at: future)], by: bench.service)
        bench.clock.set(now)
        #expect(try bench.service.problems(of: "device-1").isEmpty)
        // With too many positions to search, the problem names no time, until they are in order.
        let store = bench.service.store
        let ordered: Int64 = try store.setting("fixes_ordered")
        try store.saveSetting("fixes_ordered", Int64(-2 * Queries.mostUnorderedFixes), in: Transaction())
        let deviceIndex = try #require(try bench.service.deviceIndex(of: "device-1"))
        for _ in 1...2 {
            try bench.service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try bench.service.recordAheadOfClock([deviceIndex], latest: now + SystemClock.tolerance, at: now, in: transaction)
            }
            let unnamed = try bench.service.problems(of: "device-1")
            #expect(unnamed.map(\.problem) == [.deviceAheadOfClock(device: "device-1", since: nil)])
            #expect(unnamed.first?.failures == 1)
        }
        try store.saveSetting("fixes_ordered", ordered, in: Transaction())
        try StayingHistory.accept([position(0, 500, at: now), position(1, 0, at: now)], by: bench.service)
        for second in [1.0, 2] { try StayingHistory.accept([position(0, 500, at: now + second)], by: bench.service) }
        // More late positions are no further failures.
        let standing = try bench.service.problems(of: "device-1")
        #expect(standing.map(\.problem) == [.deviceAheadOfClock(device: "device-1", since: future + -7200)])
        #expect(standing.first?.failures == 2 && standing.first?.source == "clock/device-1")
        #expect(try bench.service.problems(of: "device-2").isEmpty)
        // A part of the positions leaves the device mute.
        _ = try bench.service.removePositions(ofDevice: "device-1", since: future)
        #expect(try bench.service.problems(of: "device-1").count == 1)
        _ = try bench.service.removePositions(ofDevice: "device-1", since: future + -7200)
        #expect(try bench.service.problems(of: "device-1").isEmpty)
        var batch = FixBatch()
        _ = batch.number(ofDevice: "device-1")
        batch.rows = [position(0, 500, at: now + 60)]
        #expect(try bench.service.accept(batch).counts.late == 0)
    }
}
