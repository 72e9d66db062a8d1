import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Event numbers of the store")
struct EpochTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore
    private let noon = Instant("2026-05-01T12:00:00Z")!

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
        try store.saveDevice(Device(id: "d"), in: Transaction())
    }

    private func insert(_ sequence: Int64) throws {
        try store.connection.execute(
            """
            INSERT INTO event (sequence, id, type, device, revision, occurred_at, recorded_at, confirmed_at, cause, inferred, fix_time,
            fix_latitude, fix_longitude) VALUES (\(sequence), 'e\(sequence)', 'silent', 1, 0, 0, 0, 0, 'silence', 0, 0, 1, 2)
            """)
    }

    private func gaps() throws -> [String] {
        var flaws = StoreFlaws()
        try store.findGaps(&flaws)
        #expect(flaws.first.allSatisfy { $0.kind == .gap })
        return flaws.first.map(\.details)
    }

    private func begin() throws -> Int64 {
        try store.connection.transaction(failure: { $0 as any Error }) {
            try store.connection.beginEpoch(inPlaceOf: nil, at: noon)
        }
        return try store.epochs().current.start
    }

    @Test("Each store has its own identity from the beginning")
    func identity() throws {
        let other = try PicketStore(writing: directory.path + "/other.sqlite")
        let (a, b) = (try store.epochs(), try other.epochs())
        #expect(a.store.count == 16 && a.store != b.store && a.restores == 0 && a.current.start == 0)
        #expect(EventCursor(a.cursor(7).description) == a.cursor(7))
        #expect(try store.newestSequence() == 0)
    }

    @Test("A new epoch continues beyond its start")
    func start() throws {
        for sequence in 1...3 { try insert(Int64(sequence)) }
        let start = try begin()
        #expect(start == noon.milliseconds)
        #expect(try store.newestSequence() == start)
        try insert(start + 1)
        #expect(try store.newestSequence() == start + 1)
        #expect(try store.eventCount() == 4)
    }

    @Test("Only numbers that an epoch never uses may be missing")
    func lawful() throws {
        for sequence in 1...5 { try insert(Int64(sequence)) }
        let first = try begin()
        #expect(try gaps() == [])
        let second = try begin()
        for sequence in 1...3 { try insert(second + Int64(sequence)) }
        #expect(try gaps() == [])

        for (sql, expected) in [
            ("DELETE FROM event WHERE sequence = 3", ["event 3 is missing"]),
            ("DELETE FROM event WHERE sequence IN (4, 5)", ["events 4 to 5 are missing"]),
            ("DELETE FROM event WHERE sequence IN (5, \(second + 1))", ["event 5 is missing", "event \(second + 1) is missing"]),
            ("DELETE FROM event WHERE sequence > 4", ["event 5 is missing"]),
            (
                "UPDATE event SET sequence = \(first) WHERE sequence = 5",
                ["there is an event \(first), a number that is never used", "event 5 is missing"]
            ),
            ("UPDATE event SET sequence = 0 WHERE sequence = 1", ["there is an event 0", "event 1 is missing"]),
            (
                "UPDATE event SET sequence = \(second + 9) WHERE sequence = \(second + 3)",
                ["events \(second + 3) to \(second + 8) are missing"]
            ),
        ] {
            try store.connection.execute("SAVEPOINT before")
            try store.connection.execute(sql)
            #expect(try gaps() == expected, "\(sql)")
            try store.connection.execute("ROLLBACK TO before; RELEASE before")
        }
        #expect(try gaps() == [])
    }

    @Test("A store with missing epochs is corrupt")
    func noTree() throws {
        _ = try begin()
        try store.connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM generation WHERE number = 1")
        #expect {
            try store.epochs()
        } throws: { ($0 as? Problem)?.code == "storeCorrupt" }
    }

    @Test("After a power cut that may have lost reported events, a new epoch begins")
    func powerCut() throws {
        for sequence in 1...3 { try insert(Int64(sequence)) }
        // No unsynced commits were made, so a power cut loses nothing.
        #expect(try !store.renumberAfterPowerCut(boot: "monday", at: noon))
        // The process was killed or has ended normally, which loses nothing either.
        try store.beginUnsyncedCommits(boot: "monday")
        #expect(try !store.renumberAfterPowerCut(boot: "monday", at: noon))
        try store.beginUnsyncedCommits(boot: "monday")
        try store.endUnsyncedCommits()
        #expect(try !store.renumberAfterPowerCut(boot: "tuesday", at: noon))
        #expect(try store.newestSequence() == 3)
        // The machine has restarted, so unsynced commits may be lost.
        try store.beginUnsyncedCommits(boot: "monday")
        #expect(try store.renumberAfterPowerCut(boot: "tuesday", at: noon))
        #expect(try store.newestSequence() == noon.milliseconds)
        #expect(try store.epochs().current.branch == 3)
        #expect(try !store.renumberAfterPowerCut(boot: "wednesday", at: noon), "once")
        // The boot id is unknown, so a restart cannot be excluded.
        try store.beginUnsyncedCommits(boot: "")
        #expect(try store.renumberAfterPowerCut(boot: "", at: noon))
    }
}
