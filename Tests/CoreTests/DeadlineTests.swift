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

@Suite("Deadlines")
struct DeadlineTests {
    private let bench: Workbench
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private static let start = Instant("2026-05-01T10:00:00Z")!
    private var start: Instant { Self.start }

    init() throws { bench = try Workbench() }

    private func fence(dwell: Double? = nil) -> Geofence {
        Geofence(id: "a", name: "Fence a", shape: .circle(Circle(center: home, radius: 100)), dwell: dwell)
    }

    /// A fix at a number of seconds after ten o'clock and meters north of home.
    private func fix(_ seconds: Double, _ north: Double) -> Fix {
        Fix(
            time: start + seconds,
            coordinate: Coordinate(latitude: home.latitude + north / 111_000, longitude: home.longitude))
    }

    private func batch(_ fixes: [Fix], device: String = "d") -> FixBatch {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (line, fix) in fixes.enumerated() { batch.rows.append(.init(fix: fix, device: number, line: line)) }
        return batch
    }

    /// Stores fixes at the time at which they were made.
    @discardableResult
    private func accept(_ batch: FixBatch, by bench: Workbench) throws -> IntakeResult {
        if let newest = batch.rows.map(\.fix.time).max() { bench.clock.set(newest) }
        return try bench.service.accept(batch)
    }

    private func summaries(_ events: [Event]) -> [String] {
        events.map { "\($0.deviceId) \($0.type) \(JSONValue($0.occurredAt - start))" }
    }

    @Test("Deadlines confirm transitions, give dwells and silence, each once and at its time, and are stored")
    func fire() throws {
        try bench.add([fence(dwell: 300)])
        try accept(batch([fix(0, 500), fix(10, 0)]), by: bench)
        #expect(try bench.service.nextDeadline() == start + 70)
        #expect(try bench.service.fireDeadlines(upTo: start + 70).isEmpty)
        #expect(summaries(try bench.service.fireDeadlines(upTo: start + 71)) == ["d enter 10"])
        #expect(try bench.service.fireDeadlines(upTo: start + 71).isEmpty)
        #expect(summaries(try bench.service.fireDeadlines(upTo: start + 22_000)) == ["d dwell 310", "d silent 21610"])
        #expect(try bench.service.nextDeadline() == nil)
        let silent = try #require(try bench.events().last)
        #expect(silent.geofenceId == nil && silent.geofenceName == nil && silent.lastHeard == start + 10)
        #expect(silent.duration == 21_600 && silent.recordedAt == start + 22_000)
        #expect(silent.json["geofenceId"] == nil && silent.json["lastHeard"] != nil && silent.json["enteredAt"] == nil)
        #expect(try bench.service.deviceStatuses().first?.silentSince == start + 10)
        #expect(summaries(try accept(batch([fix(22_100, 0)]), by: bench).events) == ["d returned 22100"])
        #expect(try bench.service.deviceStatuses().first?.silentSince == nil)
        #expect(try bench.events().map(\.sequence) == [1, 2, 3, 4])
        #expect(Set(try bench.events().map(\.id)).count == 4)
        var filter = Queries.EventFilter()
        filter.types = [.silent]
        var found: [Event] = []
        try bench.service.forEachEvent(filter) { found.append($0) }
        #expect(found == [silent])
    }

    @Test("A fix older than a fired deadline is late, and one that is not older is evaluated")
    func late() throws {
        try bench.add([fence()])
        try accept(batch([fix(0, 500), fix(10, 0)]), by: bench)
        #expect(summaries(try bench.service.fireDeadlines(upTo: start + 100)) == ["d enter 10"])
        for _ in 0..<2 {
            let late = try accept(batch([fix(65, 500), fix(70, 600)]), by: bench)
            #expect(late.events.isEmpty && late.counts.late + late.counts.duplicates == 2)
        }
        #expect(try bench.service.totals().fixes == 4)
        #expect(summaries(try accept(batch([fix(71, 500), fix(75, 500)]), by: bench).events) == ["d exit 71"])
    }

    @Test("A clock that steps back loses no deadline and fires none twice")
    func steppedBack() throws {
        try bench.add([fence(dwell: 300)])
        try accept(batch([fix(0, 500), fix(10, 0)]), by: bench)
        var events = try bench.service.fireDeadlines(upTo: start + 100)
        for now in [-100_000.0, 50, 90, 311, 200, 312, -5] { events += try bench.service.fireDeadlines(upTo: start + now) }
        events += try bench.service.recordSignOfLife(deviceId: "d", at: start + -3600)
        for now in [30_000.0, -7200, 30_000] { events += try bench.service.fireDeadlines(upTo: start + now) }
        // The clock is still set back when the device is heard. Its return cannot be before its silence.
        events += try bench.service.recordSignOfLife(deviceId: "d", at: start + -7000)
        #expect(summaries(events) == ["d enter 10", "d dwell 310", "d silent 21910.001", "d returned 21910.002"])
        #expect(try bench.events() == events)
    }

    @Test("Deadlines are loaded after a restart, and follow changes of fences and devices")
    func restarted() throws {
        try bench.add([fence(dwell: 300)])
        try accept(batch([fix(0, 0)]), by: bench)
        _ = try bench.service.nextDeadline()
        try bench.add([fence(dwell: 200)])
        #expect(try bench.service.nextDeadline() == start + 200)
        var device = try bench.service.device(id: "d")
        device.silentAfter = 100
        try bench.service.save(device)
        #expect(try bench.service.nextDeadline() == start + 100, "a dwell that would come after the silence waits")
        device.silentAfter = 1000
        try bench.service.save(device)
        #expect(try bench.service.nextDeadline() == start + 200)
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: bench.data.storePath, toPath: copy.path + "/picket.sqlite")
        try? FileManager.default.copyItem(atPath: bench.data.storePath + "-wal", toPath: copy.path + "/picket.sqlite-wal")
        let other = try ServiceWriter(DataDirectory(path: copy.path), purpose: "test", clock: TestClock())
        for service in [bench.service, other] {
            #expect(summaries(try service.fireDeadlines(upTo: start + 5000)) == ["d dwell 200", "d silent 1000"])
        }
        try bench.service.removeDevice(id: "d")
        #expect(try bench.service.nextDeadline() == nil)
    }

    @Test("Deadlines in a transaction that is undone fire again")
    func undone() throws {
        try accept(batch([fix(0, 0)]), by: bench)
        #expect(throws: Problem.cancelled) {
            try bench.service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                let fired = try bench.service.fireDeadlines(upTo: start + 50_000, limit: 10, in: transaction)
                #expect(fired.count == 1)
                throw .cancelled
            }
        }
        #expect(try bench.events().isEmpty)
        #expect(summaries(try bench.service.fireDeadlines(upTo: start + 50_000)) == ["d silent 21600"])
    }

    @Test("Deadlines fire for a limited number of devices at a time, until all have fired")
    func limit() throws {
        for number in 0..<25 { try accept(batch([fix(Double(number), 0)], device: "d\(number)"), by: bench) }
        _ = try bench.service.nextDeadline()
        // Devices that were heard meanwhile are checked, and do not become silent.
        for number in 0..<5 { try accept(batch([fix(9000, 0)], device: "d\(number)"), by: bench) }
        let now = start + 21_700
        var rounds = 0
        var silent: [String] = []
        while let next = try bench.service.nextDeadline(), next < now {
            rounds += 1
            silent += try bench.service.fireDeadlines(upTo: now, limit: 10).map(\.deviceId)
        }
        #expect(silent == (5..<25).map { "d\($0)" } && rounds == 3)
    }

    /// The events of a device that are not retracted, in order of time.
    private func standing(_ bench: Workbench) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var events: [Event] = []
        try bench.service.forEachEvent(filter) { events.append($0) }
        return summaries(events.sorted { ($0.occurredAt, $0.sequence) < ($1.occurredAt, $1.sequence) })
    }

    /// A queue of positions that a phone has stored while the service was down: each `every` seconds, inside the geofence until `leaves`.
    struct StoredQueue: Sendable, CustomTestStringConvertible {
        var silentAfter: Double
        var dwell: Double?
        var every: Double
        var leaves: Double
        var down: Double
        var isOneRequest: Bool

        var testDescription: String { "silent after \(silentAfter) s, down for \(down) s, in one request: \(isOneRequest)" }
    }

    @Test(
        "Positions that a phone has stored while the service was down give the events that they give in time",
        arguments: [true, false].flatMap { isOne in
            [
                StoredQueue(silentAfter: 4, every: 0.5, leaves: .infinity, down: 8, isOneRequest: isOne),
                StoredQueue(silentAfter: 4, every: 0.5, leaves: 2, down: 8, isOneRequest: isOne),
                StoredQueue(silentAfter: 600, dwell: 300, every: 60, leaves: 200, down: 3600, isOneRequest: isOne),
                StoredQueue(silentAfter: 600, dwell: 300, every: 60, leaves: .infinity, down: 2000, isOneRequest: isOne),
            ]
        }, [true, false])
    func storedQueue(queue: StoredQueue, isDown: Bool) throws {
        let other = try Workbench()
        for bench in [bench, other] {
            bench.service.serve()
            try bench.add([fence(dwell: queue.dwell)])
            try bench.service.save(Device(id: "d", policy: PolicyOverride(base: .exact), silentAfter: queue.silentAfter))
            try accept(batch([fix(-1, 500), fix(0, 0)]), by: bench)
        }
        let count = Int(queue.down / queue.every)
        let stored = (1...count).map { fix(Double($0) * queue.every, Double($0) * queue.every < queue.leaves ? 0 : 500) }
        // The service is down, or it is up and the phone has no network.
        bench.clock.set(start + queue.down)
        if isDown {
            try bench.service.forget()
            bench.service.listeningSince = bench.clock.now()
        }
        bench.clock.set(start + queue.down + 1)
        let fired = summaries(try bench.service.fireDeadlines(upTo: bench.clock.now()))
        if isDown { #expect(!fired.contains { $0.contains("silent") }) } else { #expect(!fired.isEmpty) }
        for part in queue.isOneRequest ? [stored] : stored.map({ [$0] }) {
            _ = try bench.service.accept(batch(part))
        }
        _ = try bench.service.replayLate(all: true) { _ in }
        for fix in stored { try accept(batch([fix]), by: other) }
        #expect(try standing(bench) == standing(other))
        #expect(try !standing(bench).contains { $0.contains("silent") })
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("Edits of geofences after a position that came after a deadline still count as later", arguments: [false, true])
    func editsAfterLateFix(isEditedBeforeReplay: Bool) throws {
        try bench.service.save(Device(id: "d", policy: PolicyOverride(base: .exact), silentAfter: 60))
        try accept(batch([fix(0, 500)]), by: bench)
        bench.clock.set(start + 100)
        #expect(summaries(try bench.service.fireDeadlines(upTo: bench.clock.now())) == ["d silent 60"])
        #expect(try bench.service.accept(batch([fix(50, 0)])).counts.late == 1)
        if isEditedBeforeReplay { try bench.service.apply([.save(fence())]) }
        _ = try bench.service.replayLate(all: true) { _ in }
        if !isEditedBeforeReplay { try bench.service.apply([.save(fence())]) }
        #expect(try standing(bench) == ["d enter 50"])
        try bench.service.apply([.remove(id: "a")])
        #expect(try standing(bench).count == 2)
        for seconds in [nil, 105.0] {
            if let seconds { try accept(batch([fix(seconds, 0)]), by: bench) }
            let counts = try bench.service.replay(device: "d", since: nil) { _ in }
            #expect(counts.new + counts.retracted == 0)
            let check = try bench.service.checkStore()
            #expect(check.isSound && check.replay.unprovenDevices == 0, "\(check.flaws.first)")
        }
    }

    @Test("A device that stays silent after the start of a service is silent from its deadline on", arguments: [4.0, 21_600])
    func silentAfterStart(silentAfter: Double) throws {
        try bench.service.save(Device(id: "d", silentAfter: silentAfter))
        try accept(batch([fix(0, 0)]), by: bench)
        let begin = start + 3 * silentAfter
        bench.service.listeningSince = begin
        #expect(try bench.service.fireDeadlines(upTo: begin + 1).isEmpty)
        #expect(try bench.service.nextDeadline() == begin + silentAfter)
        #expect(try bench.service.fireDeadlines(upTo: begin + silentAfter).isEmpty)
        let events = try bench.service.fireDeadlines(upTo: begin + silentAfter + 1)
        #expect(summaries(events) == ["d silent \(JSONValue(silentAfter))"])
        #expect(try bench.service.nextDeadline() == nil)
    }

    @Test("A sign of life makes no device, and has no effect before the first fix")
    func strangers() throws {
        #expect(try bench.service.recordSignOfLife(deviceId: "stranger", at: start).isEmpty)
        #expect(try !bench.service.hasDevice(id: "stranger"))
        try bench.service.save(Device(id: "d"))
        #expect(try bench.service.recordSignOfLife(deviceId: "d", at: start).isEmpty)
        #expect(try bench.service.nextDeadline() == nil)
        try accept(batch([fix(0, 0)]), by: bench)
        #expect(try bench.service.recordSignOfLife(deviceId: "d", at: start + 3600).isEmpty)
        #expect(try bench.service.fireDeadlines(upTo: start + 3600 + 21_600).isEmpty)
        let stored = try ServiceReader(bench.data).storedStates()["d"]
        #expect(stored.flatMap { state in state.deadline.map { $0 + state.lag } } == start + 3600 + 21_600, "it is on disk")
    }

    @Test("A phone that sends stored positions for hours gets no deadline in between")
    func backlog() throws {
        try bench.add([fence()])
        bench.clock.set(start + 30_000)
        for step in 0..<20 {
            // A second between requests and half a minute between fixes; the clock's deadlines are checked after each request.
            bench.clock.set(start + 30_000 + Double(step))
            let result = try bench.service.accept(batch([fix(Double(step) * 30, step % 10 < 5 ? 0 : 900)]))
            #expect(result.counts.late == 0)
            #expect(try bench.service.fireDeadlines(upTo: start + 30_000 + Double(step) + 0.5).isEmpty)
        }
        #expect(try bench.events().map(\.type) == [.enter, .exit, .enter, .exit])
        // The device's time is hours behind, and it becomes silent after the same duration as others.
        #expect(try bench.service.fireDeadlines(upTo: start + 30_019 + 21_600).isEmpty)
        #expect(summaries(try bench.service.fireDeadlines(upTo: start + 30_020 + 21_600)) == ["d silent \(570 + 21_600)"])
    }

    // MARK: - Against the same history without a clock

    /// The inputs of some devices, in the order of arrival.
    private struct Story {
        var fences: [Geofence] = []
        var devices: [Device] = []
        /// A nil fix is a sign of life without a position.
        var arrivals: [(device: String, time: Instant, fix: Fix?)] = []

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            let home = Coordinate(latitude: 52.5, longitude: 13.4)
            func place() -> Coordinate {
                Coordinate(
                    latitude: home.latitude + .random(in: -0.01...0.01, using: &random),
                    longitude: home.longitude + .random(in: -0.01...0.01, using: &random))
            }
            for number in 0..<12 {
                fences.append(
                    Geofence(
                        id: "f\(number)", name: "f",
                        shape: .circle(Circle(center: place(), radius: .random(in: 100...900, using: &random))),
                        dwell: Bool.random(using: &random) ? Double.random(in: 20...1500, using: &random).rounded() : nil))
            }
            for number in 0..<4 {
                let policy = DecisionPolicy.Name.allCases.randomElement(using: &random)
                devices.append(
                    Device(
                        id: "d\(number)", policy: PolicyOverride(base: policy),
                        silentAfter: [60.0, 600, 3600].randomElement(using: &random)!))
            }
            var time = DeadlineTests.start
            for _ in 0..<160 {
                time = time + Double([0.0, 1, 7, 30, 90, 1200].randomElement(using: &random)!)
                let isSign = Int.random(in: 0..<8, using: &random) == 0
                let fix = Fix(time: time, coordinate: place(), accuracy: .random(in: 1...60, using: &random))
                arrivals.append((devices.randomElement(using: &random)!.id, time, isSign ? nil : fix))
            }
        }

        func begin(_ bench: Workbench) throws {
            try bench.add(fences)
            for device in devices { try bench.service.save(device) }
        }
    }

    /// Events without the time and number of their recording.
    private func essence(_ events: [Event]) -> [String] {
        events.map { event in
            var event = event
            event.sequence = 0
            event.recordedAt = start
            return event.json.description
        }.sorted()
    }

    @Test(
        "Deadlines fired by the clock give the events that the next fix would have given",
        arguments: Histories.seeds(1...12))
    func ticks(seed: UInt64) throws {
        let story = Story(seed: seed)
        var random = SeededRandom(seed: seed &* 31)
        let ticked = try Workbench()
        for bench in [bench, ticked] { try story.begin(bench) }
        var last = start
        for (number, arrival) in story.arrivals.enumerated() {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let now = last + Double.random(in: 0...(arrival.time - last), using: &random)
                _ = try ticked.service.fireDeadlines(upTo: now, limit: .random(in: 1...5, using: &random))
            }
            // Fences and devices are read from the store again, as after a restart.
            if number % 40 == 39 { try ticked.service.forget() }
            for bench in [bench, ticked] {
                if let fix = arrival.fix {
                    let result = try accept(batch([fix], device: arrival.device), by: bench)
                    #expect(result.counts.late == 0, "seed \(seed)")
                } else {
                    try bench.service.recordSignOfLife(deviceId: arrival.device, at: arrival.time)
                }
            }
            last = arrival.time
        }
        for bench in [bench, ticked] { while try !bench.service.fireDeadlines(upTo: last + 1e6, limit: 2).isEmpty {} }
        let events = try ticked.events()
        #expect(essence(events) == essence(try bench.events()), "seed \(seed)")
        #expect(events.map(\.sequence) == (1...Int64(events.count)).map { $0 })
        #expect(Set(events.map(\.type)) == [.enter, .exit, .dwell, .silent, .returned], "a dull story, seed \(seed)")
    }

    @Test("A late fix does not change the decisions that are made without it", arguments: Histories.seeds(1...12))
    func lateFixes(seed: UInt64) throws {
        let story = Story(seed: seed)
        var random = SeededRandom(seed: seed &* 37)
        let without = try Workbench()
        for bench in [bench, without] { try story.begin(bench) }
        var late = 0
        for arrival in story.arrivals {
            guard let fix = arrival.fix else { continue }
            // The fix arrives minutes after its time, and the clock has moved on.
            let now = arrival.time + [0.0, 50, 300].randomElement(using: &random)!
            for bench in [bench, without] { _ = try bench.service.fireDeadlines(upTo: now) }
            let result = try accept(batch([fix], device: arrival.device), by: bench)
            late += result.counts.late
            if result.counts.late == 0 { try accept(batch([fix], device: arrival.device), by: without) }
        }
        #expect(essence(try bench.events()) == essence(try without.events()), "seed \(seed)")
        #expect(late > 0, "a story without late fixes, seed \(seed)")
    }
}

@Suite("Deadline queue")
struct DeadlineQueueTests {
    @Test(
        "The queue gives devices in order of their deadlines, and none before its time", arguments: 1...30 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = DeadlineQueue()
        var deadlines: [DeviceKey: Int64] = [:]
        func moment(_ time: Int64) -> Instant { Instant(milliseconds: time) }
        var now: Int64 = 0
        var looks = 0
        for _ in 0..<3000 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let device = DeviceKey(.random(in: 1...60, using: &random))
                let deadline = Bool.random(using: &random) ? nil : now + .random(in: 0...400, using: &random)
                deadlines[device] = deadline
                queue.schedule(deadline.map(moment), of: device)
                continue
            }
            now += .random(in: 0...60, using: &random)
            let due = Set(deadlines.filter { $0.value < now }.map(\.key))
            var found: Set<DeviceKey> = []
            while let device = queue.popDevice(before: moment(now)) {
                looks += 1
                guard let deadline = deadlines[device] else { continue }
                if deadline < now {
                    #expect(found.insert(device).inserted, "twice, seed \(seed)")
                    deadlines[device] = nil
                } else {
                    queue.schedule(moment(deadline), of: device)
                }
            }
            #expect(found == due, "seed \(seed)")
            #expect(queue.count <= 60, "one entry a device, or it would grow with every change, seed \(seed)")
            #expect(queue.next.map { $0 >= moment(now) } ?? true, "seed \(seed)")
        }
        #expect(looks > 100)
    }

    @Test("A removed device is not given, and all others are", arguments: 1...10 as ClosedRange<UInt64>)
    func removal(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = DeadlineQueue()
        var left: [DeviceKey: Instant] = [:]
        for number in 1...40 {
            // After a failed transaction, several devices have the earliest moment.
            let moment = Bool.random(using: &random) ? .earliest : Instant(milliseconds: .random(in: 0...9, using: &random))
            left[DeviceKey(Int64(number))] = moment
            queue.schedule(moment, of: DeviceKey(Int64(number)))
        }
        for number in (1...40).shuffled(using: &random).prefix(25) {
            queue.remove(DeviceKey(Int64(number)))
            left[DeviceKey(Int64(number))] = nil
        }
        var found: [DeviceKey] = []
        while let device = queue.popDevice(before: .latest) { found.append(device) }
        let expected = left.sorted { ($0.value, $0.key.value) < ($1.value, $1.key.value) }.map(\.key)
        #expect(found == expected, "seed \(seed)")
    }
}
