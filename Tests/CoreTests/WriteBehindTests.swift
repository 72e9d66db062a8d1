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

@Suite("States written behind")
struct WriteBehindTests {
    @Test("A reader sees the states that a service writing all at once has", arguments: 1...3 as ClosedRange<UInt64>)
    func reading(seed: UInt64) throws {
        let history = RecordedHistory(seed: seed + 500, count: 150)
        var random = SeededRandom(seed: seed + 3000)
        let (live, plain) = (try Workbench(), try Workbench())
        live.service.serve()
        plain.service.isServing = true
        let old = try ServiceReader(live.data, clock: live.clock)
        var looks = 0
        for (number, (now, input)) in history.inputs.enumerated() {
            let place: Comment = "seed \(seed), input \(number), \(input.word)"
            live.clock.set(now)
            plain.clock.set(now)
            _ = try live.service.apply(input, at: now)
            _ = try plain.service.apply(input, at: now)
            if Int.random(in: 0..<4, using: &random) == 0 {
                try live.service.writeStates(atMost: .random(in: 1...4, using: &random))
            }
            guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
            if try live.service.store.mayHaveUnsavedStates() { looks += 1 }
            let reader = try ServiceReader(live.data, clock: live.clock)
            #expect(try reader.answers() == plain.service.answers(), place)
            let difference = try reader.storedDifference(from: plain.service)
            #expect(difference == nil, place)
            for (name, service) in [("plain", plain.service as Queries), ("reader", reader), ("old", old)] {
                let check = try service.checkStore()
                #expect(check.isSound, "seed \(seed), input \(number), \(name): \(check.flaws.first)")
            }
            // A reader that was opened long before sees the current state after a refresh.
            try old.refresh()
            #expect(try old.answers() == plain.service.answers(), place)
        }
        #expect(looks > 5, "seed \(seed)")
        try live.service.writeStates()
        #expect(try old.checkStore().isSound && live.service.answers() == plain.service.answers(), "seed \(seed)")
    }

    /// A fix of each of several devices, which give visits of `home`.
    ///
    /// - Parameter stay: The number of consecutive requests inside, and outside.
    private func request(_ number: Int, devices: Int = 5, stay: Int = 1, at now: Instant) -> FixBatch {
        var batch = FixBatch()
        for device in 0..<devices {
            let name = batch.number(ofDevice: "d\(device)")
            let place = RecordedHistory.home.north(number / stay % 2 == 0 ? Double(device % 100) : 2000)
            batch.rows.append(.init(fix: Fix(time: now + Double(number), coordinate: place, accuracy: 5), device: name, line: 1))
        }
        return batch
    }

    private let home = Geofence(
        id: "home", name: "Home", shape: .circle(Circle(center: RecordedHistory.home, radius: 150)), dwell: 600)

    @Test("States that a request waits for are written in few parts, while positions and queries keep arriving")
    func settling() throws {
        let bench = try Workbench()
        bench.service.serve()
        try bench.add([home])
        let start = bench.clock.now() + -3600
        var number = 0
        func take() throws {
            _ = try bench.service.accept(request(number, devices: 4000, stay: 10, at: start), policy: .exact)
            number += 1
        }
        try take()
        // A batch of states is being written when the first query arrives.
        try bench.service.writeStates(atMost: 100)
        var goals: [WritingGoal] = []
        var answered = 0
        for step in 0..<60 {
            try take()
            if step < 12 { goals.append(try bench.service.writingGoal(isOnly: goals.isEmpty)) }
            guard let goal = goals.first else { break }
            try bench.service.writeDerived(for: goal)
            if step == 0 {
                let reader = try PicketStore(reading: bench.data.storePath)
                #expect(try reader.count("SELECT count(*) FROM device_state") < 4000)
            }
            let before = goals.count
            goals.removeAll { bench.service.hasReached($0) }
            if before > goals.count {
                answered += before - goals.count
                // Everything that was stored before the query is visible.
                let reader = try PicketStore(reading: bench.data.storePath)
                #expect(try reader.count("SELECT count(*) FROM device_state") == 4000)
                #expect(try reader.count("SELECT value FROM setting WHERE name = 'events_indexed'") > 0)
            }
        }
        #expect(answered == 12 && goals.isEmpty)
    }

    @Test("Few states with many changed geofences are written in as many parts as many states")
    func rows() throws {
        let bench = try Workbench()
        bench.service.serve()
        try bench.add(
            (0..<400).map { number in
                let circle = Circle(center: RecordedHistory.home, radius: 1500 + Double(number))
                return Geofence(id: "f\(number)", name: "F", shape: .circle(circle))
            })
        _ = try bench.service.accept(request(0, devices: 12, at: bench.clock.now()), policy: .exact)
        var parts = 0
        while bench.service.hasStatesToWrite {
            try bench.service.writeStates(atMost: WriteBehind.rowsAtOnce)
            parts += 1
        }
        // Two devices are 802 rows.
        #expect(parts == 6)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("States that cannot be written stay queued, wherever the write fails")
    func failing() throws {
        let bench = try Workbench()
        bench.service.serve()
        try bench.add([home])
        let start = bench.clock.now()
        let fault = try StoreFault(bench.service)
        var failures = 0
        for number in 0..<12 {
            bench.clock.set(start + Double(number))
            _ = try bench.service.accept(request(number, at: start), policy: number == 0 ? .exact : nil)
            if number % 3 == 1 { try bench.service.writeStates(atMost: 2) }
            try fault.arm(after: number)
            do {
                if number % 4 == 3 {
                    _ = try bench.service.deviceStatus(of: "d3")
                } else {
                    try bench.service.writeStates()
                }
            } catch { failures += 1 }
            try fault.disarm()
            // A copy of the files simulates a crash.
            let data = DataDirectory(path: bench.directory.path + "/copy-\(number)")
            try bench.service.copyStore(to: data)
            let copy = try ServiceWriter(data, purpose: "test", clock: bench.clock)
            #expect(try copy.difference(from: bench.service) == nil, "request \(number)")
            #expect(try copy.checkStore().isSound, "request \(number)")
        }
        #expect(failures > 6)
        try bench.service.writeStates()
        #expect(try !bench.service.store.mayHaveUnsavedStates() && bench.service.checkStore().isSound)
    }

    // MARK: - Together with a writer

    private func accept(_ writer: Writer, _ batch: FixBatch) async throws {
        _ = try await withCheckedContinuation { continuation in
            if !writer.submit(batch, policy: nil, { continuation.resume(returning: $0) }) {
                continuation.resume(returning: .failure(.cancelled))
            }
        }.get()
    }

    private func readers(_ directory: DataDirectory, _ writer: Writer, _ clock: TestClock) -> Readers {
        Readers(directory, clock: clock, settle: { [writer] completion in writer.writeDerivedData(completion) })
    }

    /// The number of devices at home.
    private func atHome(_ readers: Readers) async throws -> Int {
        try await readers.ask { service throws(Problem) in
            try service.deviceStatuses(.init(), after: nil, limit: 100).items.count { !$0.inside.isEmpty }
        }
    }

    @Test("Readers see states as soon as their positions are acknowledged", .timeLimit(.minutes(60)))
    func readers() async throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        let clock = TestClock()
        let writer = try Writer(data, purpose: "test", durability: .normal, clock: clock)
        // Nothing waits, so the closure is called on this thread before `settle` returns.
        let isTold = Mutex(false)
        writer.writeDerivedData { isTold.withLock { $0 = true } }
        #expect(isTold.withLock { $0 })
        let readers = readers(data, writer, clock)
        let home = home
        try await writer.perform { service throws(Problem) in
            _ = try service.apply([.save(home)])
            for number in 0..<5 { _ = try service.save(Device(id: "d\(number)", policy: PolicyOverride(base: .exact))) }
        }
        let start = clock.now() + -1000
        for number in 0..<20 {
            try await accept(writer, request(number, at: start))
            #expect(try await atHome(readers) == (number % 2 == 0 ? 5 : 0), "request \(number)")
        }
        // Positions may also be stored within other work, when an app sends them together with other messages.
        for number in 20..<30 {
            let batch = request(number, at: start)
            _ = try await writer.perform { service throws(Problem) in try service.accept(batch) }
            #expect(try await atHome(readers) == (number % 2 == 0 ? 5 : 0), "request \(number)")
        }
        // What a failed transaction discards from memory is visible to readers, too.
        try await accept(writer, request(30, at: start))
        let failing = request(31, at: start)
        let isRefused = try await writer.perform { service throws(Problem) in
            do {
                let fault = try StoreFault(service)
                try fault.armCommit()
                defer { try? fault.disarm() }
                _ = try service.accept(failing)
                return false
            } catch { return true }
        }
        #expect(isRefused)
        #expect(try await atHome(readers) == 5)
        readers.stop()
        writer.stop()
    }

    @Test("A stopped writer has written everything", .timeLimit(.minutes(60)), arguments: [false, true])
    func stopping(hasFailed: Bool) async throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        let clock = TestClock()
        let writer = try Writer(data, purpose: "test", clock: clock)
        let home = home
        try await writer.perform { service throws(Problem) in _ = try service.apply([.save(home)]) }
        let start = clock.now() + -1000
        for number in 0..<3 { try await accept(writer, request(number, devices: 1200, at: start)) }
        if hasFailed {
            let failing = request(3, devices: 1200, at: start)
            try await writer.perform { service throws(Problem) in
                do {
                    let fault = try StoreFault(service)
                    try fault.armCommit()
                    defer { try? fault.disarm() }
                    _ = try service.accept(failing)
                } catch {}
            }
        }
        writer.stop()
        let store = try PicketStore(reading: data.storePath)
        #expect(try !store.mayHaveUnsavedStates())
        #expect(try ServiceReader(data).checkStore().isSound)
    }

    @Test("When all queued states are undone, nothing is due")
    func nothingLeft() {
        var behind = WriteBehind()
        behind.add(5)
        #expect(behind.since != nil)
        behind.drop(from: 5)
        #expect(behind.isEmpty && behind.since == nil)
    }
}
