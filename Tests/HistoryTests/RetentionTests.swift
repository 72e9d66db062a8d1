import Core
import Geodesy
import Model
import Places
import Presence
import SQLite
import Service
import ServiceTestSupport
import Store
import Testing

@testable import History

@Suite("Retention of positions")
struct RetentionTests {
    private let bench: Workbench
    private let start = Instant("2026-05-01T00:00:00Z")!

    init() throws { bench = try Workbench() }

    /// Stores one fix a minute of each device.
    private func feed(_ devices: [String], minutes: Range<Int>) throws {
        var batch = FixBatch()
        for minute in minutes {
            for device in devices {
                batch.rows.append(
                    .init(
                        fix: Fix(
                            time: start + Double(minute) * 60,
                            coordinate: Coordinate(latitude: 52 + Double(minute) / 1e5, longitude: 13)),
                        device: batch.number(ofDevice: device), line: batch.rows.count))
            }
        }
        _ = try bench.service.accept(batch)
    }

    /// The minutes with stored positions of a device.
    private func minutes(of device: String) throws -> [Int] {
        let store = try PicketStore(reading: bench.data.storePath)
        guard let key = try store.device(id: device)?.key else { return [] }
        var found: [Int] = []
        try store.forEachFix(store.fixNumbers(of: key)) { stored, _ in found.append(Int((stored.fix.time - start) / 60)) }
        return found
    }

    /// Trims until nothing is left to do, and returns the number of steps.
    @discardableResult
    private func trim(keeping: Double?, at minute: Int, limit: Int = 50) throws -> Int {
        var steps = 1
        while try bench.service.trimPositions(keeping: keeping, now: start + Double(minute) * 60, limit: limit).hasMore {
            steps += 1
        }
        return steps
    }

    @Test("Older positions are removed in small steps, each device by its own setting")
    func trims() throws {
        try bench.service.save(Device(id: "short", keepPositions: 600))
        try bench.service.save(Device(id: "ever", keepPositions: .infinity))
        try bench.service.save(Device(id: "none", keepPositions: 0))
        try feed(["short", "ever", "usual", "none"], minutes: 0..<100)
        #expect(try minutes(of: "none").isEmpty)
        let steps = try trim(keeping: 3600, at: 100, limit: 20)
        #expect(steps > 5)
        #expect(try minutes(of: "short") == Array(90..<100))
        #expect(try minutes(of: "usual") == Array(40..<100))
        #expect(try minutes(of: "ever") == Array(0..<100))
        // Nothing is examined twice.
        #expect(try trim(keeping: 3600, at: 100, limit: 20) == 1)
        try trim(keeping: 3600, at: 110)
        #expect(try minutes(of: "short").isEmpty)
        #expect(try minutes(of: "usual") == Array(50..<100))
        try trim(keeping: nil, at: 10_000)
        #expect(try minutes(of: "usual") == Array(50..<100))
    }

    @Test("A new setting deletes as many positions as announced, also of old tracks that came later")
    func lateTracks() throws {
        try feed(["mix", "other"], minutes: 1000..<1010)
        try feed(["mix"], minutes: 0..<100)
        try feed(["other"], minutes: 0..<10)
        bench.clock.set(start + 1010 * 60)
        let deletion = try bench.service.countDeletable(ofDevice: "mix", keeping: 600)
        #expect(deletion == PositionDeletion(positions: 100, of: 110))
        try bench.service.save(Device(id: "mix", keepPositions: 600))
        #expect(try trim(keeping: nil, at: 1010, limit: 20) > 5)
        #expect(try minutes(of: "mix") == Array(1000..<1010) && minutes(of: "other").count == 20)
        // A late position is deleted with those that arrived before it, because a replay may still need it.
        try feed(["mix"], minutes: 50..<60)
        try trim(keeping: nil, at: 1010)
        #expect(try minutes(of: "mix").count == 20)
        try trim(keeping: nil, at: 1021)
        #expect(try minutes(of: "mix").isEmpty)
        #expect(try trim(keeping: 600, at: 1010) >= 1)
        #expect(try minutes(of: "other") == Array(1000..<1010), "a new length of the store deletes them too")
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A setting that is restored counts as a new one")
    func lengthComesBack() throws {
        try feed(["a"], minutes: 1000..<1010)
        try trim(keeping: 600, at: 1010)
        try trim(keeping: 86_400, at: 1010)
        try feed(["a"], minutes: 500..<510)
        try trim(keeping: 86_400, at: 1010)
        #expect(try minutes(of: "a").count == 20)
        try trim(keeping: 600, at: 1010)
        #expect(try minutes(of: "a") == Array(1000..<1010))
    }

    @Test("When a device's setting changes, all positions are checked again")
    func changes() throws {
        try feed(["a", "b"], minutes: 0..<30)
        try bench.service.save(Device(id: "b", keepPositions: 100 * 86_400))
        try trim(keeping: 600, at: 30)
        #expect(try minutes(of: "a") == Array(20..<30))
        #expect(try minutes(of: "b") == Array(0..<30))
        try bench.service.save(Device(id: "b"))
        try trim(keeping: 600, at: 30)
        #expect(try minutes(of: "b") == Array(20..<30))
        try bench.service.save(Device(id: "b", keepPositions: 0))
        try trim(keeping: nil, at: 30)
        #expect(try minutes(of: "b").isEmpty && !minutes(of: "a").isEmpty)
    }

    @Test("Reused row numbers do not disturb duplicates or retention")
    func numbers() throws {
        try feed(["a"], minutes: 0..<20)
        // Duplicates cause an update of the order by device and time.
        try feed(["a"], minutes: 0..<20)
        try trim(keeping: 60, at: 1000)
        #expect(try minutes(of: "a").isEmpty)
        try feed(["a"], minutes: 1000..<1010)
        try feed(["a"], minutes: 1000..<1010)
        #expect(try minutes(of: "a") == Array(1000..<1010), "repeats are known")
        try trim(keeping: 60, at: 1006)
        #expect(try minutes(of: "a") == Array(1005..<1010))
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("Without stored positions, state and events are kept, and the newest fix is recognized")
    func none() throws {
        try bench.add([
            Geofence(id: "f", name: "F", shape: .circle(Circle(center: Coordinate(latitude: 52, longitude: 13), radius: 50)))
        ])
        bench.service.keepPositions = 0
        try feed(["a"], minutes: 0..<10)
        try feed(["a"], minutes: 9..<10)
        try feed(["a"], minutes: 3..<4)
        #expect(try bench.service.totals().fixes == 0)
        #expect(try bench.events().map(\.type) == [.enter])
        #expect(try bench.service.deviceStatuses()[0].newest?.time == start + 540)
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unproven.map(\.reason) == ["positionsRemoved"])
    }

    @Test("Freed space in the store is reused")
    func room() throws {
        func pages() throws -> Int {
            try Connection(path: bench.data.storePath, access: .read).statement("PRAGMA page_count").firstNumber
        }
        let names = (0..<20).map { "d\($0)" }
        try feed(names, minutes: 0..<500)
        let full = try pages()
        for day in 1..<5 {
            try trim(keeping: 60, at: day * 10_000, limit: 1000)
            try feed(names, minutes: day * 10_000..<day * 10_000 + 500)
        }
        #expect(try pages() < full + full / 10)
    }

    @Test("The setting of a device is stored and read back", arguments: [nil, 0, 86_400, Double.infinity])
    func stored(keeping: Double?) throws {
        try bench.service.save(Device(id: "d", keepPositions: keeping))
        #expect(try ServiceReader(bench.data).device(id: "d").keepPositions == keeping)
        #expect(Device(id: "d", keepPositions: -1).flaw != nil)
    }
}
