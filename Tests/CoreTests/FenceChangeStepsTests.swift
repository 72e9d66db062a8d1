import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Changes of geofences in steps")
struct FenceChangeStepsTests {
    private static let center = Coordinate(latitude: 5, longitude: 5)
    private static let count = 30

    /// A geofence around half of the places of the devices.
    private func wide(_ id: String, radius: Double = 1500) -> Geofence {
        Geofence(id: id, name: id, shape: .circle(Circle(center: Self.center, radius: radius)))
    }

    /// A fix of a device; every device has its place at 100 m times its number.
    private func batch(_ moves: [(device: Int, meters: Double)], at time: Instant) -> FixBatch {
        var batch = FixBatch()
        for (device, meters) in moves {
            batch.rows.append(
                .init(
                    fix: Fix(time: time, coordinate: Self.center.north(meters)), device: batch.number(ofDevice: "d\(device)"),
                    line: 1))
        }
        return batch
    }

    /// A workbench with devices that have reported.
    private func prepared() throws -> Workbench {
        let bench = try Workbench()
        try bench.add([wide("home", radius: 500)])
        let start = batch((0..<Self.count).map { ($0, Double($0) * 100) }, at: bench.clock.now())
        _ = try bench.service.accept(start, policy: .exact)
        bench.service.serve()
        bench.service.devicesInStep = 4
        return bench
    }

    /// The events of each device.
    private func events(of service: Queries) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        try service.forEachEvent(.init()) {
            found[$0.deviceId, default: []].append("\($0.type) \($0.geofenceId ?? "") \($0.occurredAt) \($0.cause)")
        }
        return found
    }

    /// Does what a service does between two steps, and then a step; `seed` decides about the positions. Returns whether it was the last.
    private func proceed(_ bench: Workbench, _ random: inout SeededRandom) throws -> Bool {
        var moves: [(Int, Double)] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let device = Int.random(in: 0..<Self.count + 2, using: &random)
            if !moves.contains(where: { $0.0 == device }) { moves.append((device, .random(in: 0...3000, using: &random))) }
        }
        bench.clock.set(bench.clock.now() + 1)
        // Some are late, and some are known already.
        let time = bench.clock.now() + (Int.random(in: 0..<4, using: &random) == 0 ? -3 : 0)
        try bench.service.take(batch(moves, at: time))
        if Int.random(in: 0..<3, using: &random) == 0 {
            try bench.service.writeStates(atMost: .random(in: 1...4, using: &random))
            try bench.service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try bench.service.recordStatesSaved(in: transaction)
            }
        }
        try bench.service.continueFenceChange()
        return !bench.service.hasOpenFenceChange
    }

    @Test("A change among positions, and killed between any two steps, is applied to every device once", arguments: 0...11)
    func killed(after steps: Int) throws {
        var random = SeededRandom(seed: UInt64(steps) + 40)
        let bench = try prepared()
        let service = bench.service
        let changes: [[Queries.GeofenceEdit]] = [
            [.save(wide("wide"))], [.save(wide("wide", radius: 2200)), .save(wide("other", radius: 900))],
            [.remove(id: "wide"), .save(wide("home", radius: 2500))],
        ]
        for (number, change) in changes.enumerated() {
            let place: Comment = "seed \(steps + 40), change \(number)"
            let following = FollowingEvents()
            bench.clock.set(bench.clock.now() + 1)
            #expect(try service.apply(change, following: following).isEmpty && service.hasOpenFenceChange, place)
            let before = try service.store.newestSequence()
            var done = 0
            while done < steps {
                done += 1
                if try proceed(bench, &random) { break }
                // The store and its backup are consistent at any moment.
                let check = try ServiceReader(bench.data, clock: bench.clock).checkStore()
                #expect(check.isSound, "\(place), step \(done): \(check.flaws.first)")
            }
            let copy = DataDirectory(path: bench.directory.path + "/copy-\(number)")
            try service.copyStore(to: copy)
            let reopened = try ServiceWriter(copy, purpose: "test", clock: bench.clock)
            #expect(!reopened.hasOpenFenceChange, place)
            let check = try reopened.checkStore()
            #expect(check.isSound && check.replay.unprovenDevices == 0, "\(place): \(check.flaws.first)")
            // The service that was not killed comes to the same.
            try service.completeFenceChange()
            #expect(try service.checkStore().isSound, place)
            #expect(try events(of: reopened) == events(of: service), place)
            let all = following.all.map(\.sequence)
            #expect(all == all.sorted() && Set(all).count == all.count && all.allSatisfy { $0 > before }, place)
            let caused = try bench.events().filter { $0.sequence > before && [.fenceChanged, .fenceRemoved].contains($0.cause) }
            #expect(all == caused.map(\.sequence) && !all.isEmpty, place)
        }
    }

    @Test("A change in steps leads to the same events of each device as one transaction")
    func same() throws {
        let (bench, other) = (try prepared(), try prepared())
        other.service.devicesInStep = .max
        for one in [bench, other] {
            try one.service.apply([.save(wide("wide"))], following: FollowingEvents())
            #expect(one.service.hasOpenFenceChange == (one === bench))
            // The next edit completes the change first.
            try one.service.apply([.save(wide("wide", radius: 800)), .remove(id: "home")], following: FollowingEvents())
            try one.service.completeFenceChange()
            #expect(try one.service.checkStore().isSound)
        }
        #expect(try events(of: bench.service) == events(of: other.service))
        #expect(try bench.service.answers().contains { $0.contains("wide") })
    }

    @Test("After a step that fails, the change is completed later, and its events are reported once")
    func failed() throws {
        let bench = try prepared()
        let fault = try StoreFault(bench.service)
        let following = FollowingEvents()
        try bench.service.apply([.save(wide("wide"))], following: following)
        while bench.service.hasOpenFenceChange {
            for rows in [0, 1] {
                try fault.arm(after: rows)
                #expect(throws: Problem.self) { try bench.service.continueFenceChange() }
                // The event of the change, before the position.
                try fault.arm(after: rows)
                #expect(throws: Problem.self) { try bench.service.take(batch([(14, 9000)], at: bench.clock.now() + 1)) }
            }
            try fault.armCommit()
            #expect(throws: Problem.self) { try bench.service.continueFenceChange() }
            try fault.disarm()
            try bench.service.continueFenceChange()
            #expect(try ServiceReader(bench.data, clock: bench.clock).checkStore().isSound)
        }
        #expect(Set(following.all.map(\.deviceId)).count == 16 && following.all.count == 16)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("Callers get an answer also if another transaction completes the change, and at a stop", arguments: [false, true])
    func completedElsewhere(stopping: Bool) async throws {
        let directory = try TemporaryDirectory()
        let complete = Mutex<(@Sendable () -> Void)?>(nil)
        var observer = Writer.Observer()
        observer.group = { _ in complete.withLock { $0 }?() }
        let writer = try Writer(
            DataDirectory(path: directory.path), purpose: "test", clock: TestClock(), observer: observer)
        defer { writer.stop() }
        let now = TestClock().now()
        let start = batch((0..<Self.count).map { ($0, Double($0) * 100) }, at: now)
        _ = try await writer.perform { service throws(Problem) in try service.accept(start, policy: .exact) }
        let answers = Mutex<[String]>([])
        let (moved, change) = (batch([(29, 100)], at: now + 1), wide("wide"))
        let following = FollowingEvents()
        await withCheckedContinuation { continuation in
            let isTaken = writer.submit({ service throws(Problem) in
                service.devicesInStep = 4
                nonisolated(unsafe) let open = service
                // On the writer's thread.
                complete.withLock { $0 = { _ = try? open.completeFenceChange() } }
                _ = try service.apply([.save(change)], following: following)
                let isTaken = writer.submit(moved) { _ in answers.withLock { $0.append("position") } }
                let isWaiting = writer.submit({ _ in }) { _ in
                    answers.withLock { $0.append("edit") }
                    if !stopping { continuation.resume() }
                }
                #expect(isTaken && isWaiting)
                if stopping { continuation.resume() }
            }) { _ in answers.withLock { $0.append("change") } }
            #expect(isTaken)
        }
        if stopping { writer.stop() }
        #expect(Set(answers.withLock { $0 }).isSuperset(of: ["change", "edit"]))
    }

    @Test("The change continues with the other devices if one cannot be read, in a service and at a start")
    func damagedDevice() throws {
        let bench = try prepared()
        try bench.service.apply([.save(wide("wide"))], following: FollowingEvents())
        try bench.service.continueFenceChange()
        let copy = DataDirectory(path: bench.directory.path + "/copy")
        try bench.service.copyStore(to: copy)
        try bench.service.completeFenceChange()
        func damage(_ device: String, in directory: DataDirectory) throws {
            let store = try PicketStore(writing: directory.storePath)
            try store.connection.execute("UPDATE device SET policy = '{' WHERE id = '\(device)'")
        }
        try damage("d12", in: copy)
        let reopened = try ServiceWriter(copy, purpose: "test", clock: bench.clock)
        #expect(try reopened.store.openFenceChange() == nil)
        var expected = try events(of: bench.service)
        #expect(expected.removeValue(forKey: "d12")?.count == 1)
        #expect(try events(of: reopened) == expected)
        #expect(try reopened.store.problem(ofSource: ServiceWriter.damagedDeviceSource)?.problem?.code == "storeCorrupt")
        #expect(try !reopened.checkStore().isSound)

        let other = DataDirectory(path: bench.directory.path + "/other")
        try bench.service.copyStore(to: other)
        let service = try ServiceWriter(other, purpose: "test", clock: bench.clock)
        service.serve()
        service.devicesInStep = 4
        let following = FollowingEvents()
        try service.apply([.save(wide("other"))], following: following)
        try damage("d9", in: other)
        while service.hasOpenFenceChange { try service.continueFenceChange() }
        #expect(Set(following.all.map(\.deviceId)).count == 15 && !following.all.contains { $0.deviceId == "d9" })
    }

    @Test("At most 10,000 of the events that follow from a change are kept for its answer")
    func manyEvents() throws {
        let bench = try prepared()
        let following = FollowingEvents()
        let before = try bench.events().count
        try bench.service.apply((1...400).map { .save(wide("wide-\($0)", radius: 4000)) }, following: following)
        try bench.service.completeFenceChange()
        #expect(try bench.events().count - before == 400 * Self.count)
        #expect(following.all.count == 10_000 && following.all.total == 12_000)
    }

    @Test("While a service applies a change in steps, positions are stored, and edits wait until it is applied to all")
    func served() async throws {
        let directory = try TemporaryDirectory()
        let writer = try Writer(DataDirectory(path: directory.path), purpose: "test", clock: TestClock())
        let now = TestClock().now()
        let start = batch((0..<Self.count).map { ($0, Double($0) * 100) }, at: now)
        _ = try await writer.perform { service throws(Problem) in try service.accept(start, policy: .exact) }
        let following = FollowingEvents()
        let seen = Mutex<[Bool]>([])
        let (moved, change) = (batch([(29, 100)], at: now + 1), wide("wide"))
        try await writer.perform { service throws(Problem) in
            service.devicesInStep = 4
            try service.apply([.save(change)], following: following)
            seen.withLock { $0.append(service.hasOpenFenceChange) }
            let isTaken = writer.submit(moved) { result in #expect((try? result.get())?.counts.accepted == 1) }
            let isWaiting = writer.submit({ service in seen.withLock { $0.append(service.hasOpenFenceChange) } }) { result in
                #expect((try? result.get()) != nil)
            }
            #expect(isTaken && isWaiting)
        }
        #expect(following.all.count == 16, "the answer comes after the last step")
        let (isOpen, check) = try await writer.perform { service throws(Problem) in
            (service.hasOpenFenceChange, try service.checkStore())
        }
        #expect(!isOpen && check.isSound, "\(check.flaws.first)")
        #expect(seen.withLock { $0 } == [true, false])
        // A stop completes a change.
        let isTaken = writer.submit({ service throws(Problem) in
            try service.apply([.remove(id: "wide")], following: FollowingEvents())
        }) { _ in }
        #expect(isTaken)
        writer.stop()
        let reopened = try ServiceWriter(DataDirectory(path: directory.path), purpose: "test", clock: TestClock())
        #expect(try reopened.store.openFenceChange() == nil && reopened.checkStore().isSound)
        #expect(reopened.recovery.inputs == 0)
    }

    @Test("A position or a check that comes with many edits waits for the first one only, and the edits keep their order")
    func turns() async throws {
        let directory = try TemporaryDirectory()
        let writer = try Writer(DataDirectory(path: directory.path), purpose: "test", clock: TestClock())
        let seen = Mutex<[(edit: Int, inputs: Int64)]>([])
        let moved = batch([(1, 100)], at: TestClock().now())
        let before = try await writer.perform { service throws(Problem) in
            service.editTimeInTurn = .zero
            for edit in 1...4 {
                let isTaken = writer.submit({ service throws(Problem) -> Void in
                    let inputs = try service.store.newestInput()
                    seen.withLock { $0.append((edit, inputs)) }
                }) { result in #expect((try? result.get()) != nil) }
                #expect(isTaken)
            }
            let isTaken = writer.submit(moved) { result in #expect((try? result.get())?.counts.accepted == 1) }
            #expect(isTaken)
            let isChecked = writer.submit(check: { service throws(Problem) -> Void in
                try service.checkWritable()
                #expect(seen.withLock { $0.map(\.edit) } == [1])
            }) { result in #expect((try? result.get()) != nil) }
            #expect(isChecked)
            return try service.store.newestInput()
        }
        // This edit comes after the others.
        _ = try await writer.perform { service throws(Problem) in try service.store.newestInput() }
        #expect(seen.withLock { $0.map(\.edit) } == [1, 2, 3, 4])
        #expect(seen.withLock { $0.map { $0.inputs > before } } == [false, true, true, true])
        writer.stop()
    }
}

extension ServiceWriter {
    /// Stores positions like the thread of a service.
    fileprivate func take(_ batch: FixBatch) throws {
        try transaction(ofPositions: true) { (transaction: borrowing Transaction) throws(Problem) in
            var group = try IntakeGroup(self)
            var intake = PositionIntake(service: self, policy: .exact)
            var rows = batch.rows.indices
            _ = try intake.evaluate(TimeOrderedBatch(batch), rows: &rows, in: &group, transaction)
            try group.saveStates(in: transaction)
        }
    }
}
