import Geodesy
import Model
import Monitor
import SQLite
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Store

@Suite("Store check")
struct StoreCheckTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func live(
        seed: UInt64, steps: Int = 150, isPunctual: Bool = false, isReplayed: Bool = false
    ) throws -> LivedHistory {
        var history = LivedHistory(seed: seed)
        history.isPunctual = isPunctual
        history.isReplayed = isReplayed
        for (number, id) in history.devices.enumerated() {
            try bench.service.save(
                Device(
                    id: id, groups: number % 2 == 0 ? [] : ["odd"],
                    policy: number < 2 ? PolicyOverride(base: .exact) : PolicyOverride()))
        }
        for _ in 0..<steps { try history.step(bench.service) }
        return history
    }

    @Test(
        "A check reproduces the stored events and states, through every change of the fences",
        arguments: Array(Histories.seeds(1...12)) + [137, 148, 182, 238, 240])
    func sound(seed: UInt64) throws {
        _ = try live(seed: seed)
        let check = try bench.service.checkStore()
        #expect(check.isSound, "seed \(seed): \(check.flaws.first)")
        #expect(check.replay.devices == 6 && check.replay.unprovenDevices == 0, "seed \(seed)")
        #expect(check.replay.decisions > 20 && check.replay.lateFixes > 0, "seed \(seed)")
        #expect(check.replay.decisions == check.totals.events, "seed \(seed)")
    }

    @Test("Without late fixes, a check agrees with a replay in order of time", arguments: Array(Histories.seeds(1...10)) + [254])
    func punctual(seed: UInt64) throws {
        _ = try live(seed: seed, isPunctual: true)
        let counts = try bench.service.simulateReplay(device: nil, since: nil) { finding in
            #expect(finding.lines.isEmpty, "seed \(seed): \(finding.lines.first?.description ?? "")")
        }
        let events = Int(try bench.service.newestSequence())
        #expect(counts.devices == 6 && counts.unchanged == events, "seed \(seed)")
    }

    @Test(
        "The store stays sound when late fixes are replayed, and a second replay changes nothing",
        arguments: Array(Histories.seeds(1...10)) + [81, 99, 137, 153])
    func replayed(seed: UInt64) throws {
        _ = try live(seed: seed)
        let first = try bench.service.replay(device: nil, since: nil) { _ in }
        #expect(first.new + first.retracted > 0, "seed \(seed)")
        let second = try bench.service.replay(device: nil, since: nil) { _ in }
        #expect(second.new + second.retracted == 0, "seed \(seed): \(second)")
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
        #expect(check.replay.lateFixes == 0, "seed \(seed)")
    }

    @Test(
        "The store is sound while some late fixes are replayed and others wait",
        arguments: Array(Histories.seeds(1...10)) + [35, 125, 169, 175, 214, 229, 237, 244, 251, 508])
    func replayedAsTheyCome(seed: UInt64) throws {
        let history = try live(seed: seed, isReplayed: true)
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
        #expect(check.replay.devices == 6 && history.corrections > 0, "seed \(seed)")
    }

    @Test("The random histories include clocks that fire and phones that report")
    func variety() throws {
        let history = try live(seed: 3, steps: 600)
        #expect(history.fired > 0 && history.reports > 0)
        #expect(try bench.service.checkStore().isSound)
    }

    /// Changes that damage a store, and the kind of flaw that the check must report.
    private static let damage: [(sql: String, kind: StoreCheck.Flaw.Kind)] = [
        ("DELETE FROM event WHERE sequence = 5", .gap),
        ("UPDATE event SET type = 'enter' WHERE sequence = (SELECT min(sequence) FROM event WHERE type = 'exit')", .alternation),
        ("DELETE FROM presence WHERE entered_at IS NOT NULL", .presence),
        ("UPDATE presence SET entered_at = entered_at + 1", .presence),
        ("UPDATE event SET crossed_at = crossed_at + 1000 WHERE crossed_at IS NOT NULL", .replay),
        ("UPDATE event SET confirmed_at = confirmed_at + 1 WHERE sequence = 7", .replay),
        ("UPDATE device_state SET latitude = latitude + 0.001", .replay),
        ("UPDATE device_state SET deadline = 1", .replay),
        ("UPDATE presence SET has_dwelt = NOT has_dwelt WHERE has_dwelt IS NOT NULL", .replay),
        ("DELETE FROM fix WHERE number % 7 = 0", .replay),
        ("UPDATE fix SET latitude = latitude + 0.01 WHERE number % 3 = 0", .replay),
        ("DELETE FROM fix_order WHERE number = (SELECT min(number) FROM fix_order)", .order),
        (
            "INSERT INTO seen_span SELECT min(key), n.column1, n.column1 + 9 FROM device, (VALUES (0), (5)) n GROUP BY n.column1",
            .order
        ),
        ("PRAGMA foreign_keys = OFF; INSERT INTO evidence (device, at, received_at, body) VALUES (99, 0, 0, '{}')", .dangling),
        ("UPDATE event SET device = 99 WHERE sequence = 5", .dangling),
    ]

    @Test("A check finds damage in a device with corrected events", arguments: Histories.seeds(1...10))
    func unsoundCorrected(seed: UInt64) throws {
        _ = try live(seed: seed, isReplayed: true)
        let standing = """
            FROM event e JOIN device ON key = device WHERE gaps & 2 AND type IN ('enter', 'exit', 'dwell') AND retracts IS NULL
            AND NOT EXISTS (SELECT 1 FROM event r WHERE r.retracts = e.id)
            """
        // Changes to any event, and to any of the data that determine the events.
        let changes = [
            "occurred_at = occurred_at + 1", "crossed_at = ifnull(crossed_at, 0) + 1000", "inferred = NOT inferred",
            "geofence = geofence + 1", "type = 'dwell', entered_at = occurred_at - 1",
        ]
        var random = SeededRandom(seed: seed)
        for change in changes {
            let connection = try Connection(path: bench.data.storePath, access: .write)
            let sequences = try connection.uncachedStatement("SELECT sequence \(standing)").values(Int64.self)
            let sequence = try #require(sequences.randomElement(using: &random), "seed \(seed)")
            try connection.execute("CREATE TEMP TABLE old AS SELECT * FROM event WHERE sequence = \(sequence)")
            try connection.execute("UPDATE event SET \(change) WHERE sequence = \(sequence)")
            let check = try ServiceReader(bench.data).checkStore()
            #expect(check.flaws.first.contains { $0.kind == .replay }, "seed \(seed), event \(sequence): \(change)")
            try connection.execute("INSERT OR REPLACE INTO event SELECT * FROM old; DROP TABLE temp.old")
        }
        #expect(try ServiceReader(bench.data).checkStore().isSound, "seed \(seed)")
    }

    @Test("A check finds each kind of damage", arguments: damage.indices)
    func unsound(number: Int) throws {
        _ = try live(seed: 5)
        try bench.service.sortFixes()
        let (sql, kind) = Self.damage[number]
        do {
            let connection = try Connection(path: bench.data.storePath, access: .write)
            try connection.execute(sql)
        }
        let check = try ServiceReader(bench.data).checkStore()
        #expect(check.flaws.first.contains { $0.kind == kind }, "\(sql): \(check.flaws.first)")
        #expect(!check.isSound)
    }

    @Test("A check evaluates devices by the rules of the time, and those that came back from their return on")
    func gaps() throws {
        _ = try live(seed: 8)
        var device = try bench.service.device(id: "device-4")
        device.policy = PolicyOverride(base: .exact)
        try bench.service.save(device)
        try bench.service.removeDevice(id: "device-3")
        try bench.service.save(Device(id: "device-3"))
        var check = try bench.service.checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
        #expect(check.replay.devices == 6 && check.replay.unprovenDevices == 0)
        // A new name does not change the rules.
        device = try bench.service.device(id: "device-1")
        device.name = "Somebody"
        try bench.service.save(device)
        check = try bench.service.checkStore()
        #expect(check.replay.devices == 6)
        // With a policy other than the one of that time, the evaluation differs.
        try Connection(path: bench.data.storePath, access: .write).execute(
            "UPDATE device_rules SET policy = '{\"base\":\"exact\"}' WHERE device = (SELECT key FROM device WHERE id = 'device-4')"
        )
        check = try ServiceReader(bench.data).checkStore()
        #expect(check.flaws.first.map(\.kind) == [.replay], "\(check.flaws.first)")
    }

    @Test("A check reads one moment while a writer continues")
    func beside() throws {
        var history = try live(seed: 9)
        let reader = try ServiceReader(bench.data)
        var stages = 0
        let check = try reader.checkStore { stage, _, _ in
            guard stage != .phones else { return }
            stages += 1
            do { for _ in 0..<10 { _ = try bench.service.accept(history.request()) } } catch { Issue.record(error) }
        }
        #expect(stages > 4 && check.isSound, "\(check.flaws.first)")
        #expect(try reader.checkStore().totals.fixes > check.totals.fixes)
    }

    /// The work of SQLite in a check, in steps of 100,000 instructions, of a store with some events in no index, as a service that was killed
    /// or a backup of a running service leaves it.
    private func checkWork(events count: Int) throws -> Int {
        let bench = try Workbench()
        let home = Coordinate(latitude: 52, longitude: 13)
        try bench.add([Geofence(id: "f", name: "F", shape: .circle(Circle(center: home, radius: 500)))])
        bench.service.serve()
        let start = Instant("2026-05-01T10:00:00Z")!
        func send(_ range: Range<Int>) throws {
            var batch = FixBatch()
            for second in range {
                for device in 0..<2 {
                    batch.rows.append(
                        .init(
                            fix: Fix(time: start + Double(second), coordinate: home.north(second % 2 == 0 ? 0 : 9000)),
                            device: batch.number(ofDevice: "d\(device)"), line: 1))
                }
            }
            try bench.service.accept(batch, policy: .exact)
        }
        try send(0..<count)
        try bench.service.writeAllDerived()
        try send(count..<count + 2)
        let reader = try ServiceReader(bench.data)
        let work = Mutex(0)
        reader.store.connection.interrupt {
            work.withLock { $0 += 1 }
            return false
        }
        let check = try reader.checkStore()
        #expect(check.isSound && check.totals.events == 2 * (count + 2), "\(check.flaws.first)")
        #expect(check.replay.decisions == check.totals.events)
        return work.withLock { $0 }
    }

    @Test("The work of a check is linear in the events of a device, even while some of them are in no index")
    func linear() throws {
        // Some hundred instructions for each of 8,000 events. With a copy of all further events for each, it was a hundred times as many.
        let work = try checkWork(events: 4000)
        #expect(work > 0 && work < 100)
    }

    @Test("A file that is not a store is unsound")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "no database ", count: 900), to: "picket.sqlite")
        do {
            _ = try ServiceReader(DataDirectory(path: directory.path))
            Issue.record("it opened")
        } catch {
            #expect(ServiceWriter.failedCheck(error)?.isSound == false)
        }
        #expect(ServiceWriter.failedCheck(.cancelled) == nil)
    }
}
