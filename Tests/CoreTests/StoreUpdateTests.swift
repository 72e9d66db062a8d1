import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Core
@testable import Store

@Suite("The update of a store of an earlier version")
struct StoreUpdateTests {
    private let files: TemporaryDirectory
    private let directory: DataDirectory
    private let clock = TestClock(time: Instant("2026-11-29T12:00:00Z")!)

    init() throws {
        files = try TemporaryDirectory()
        directory = DataDirectory(path: files.path)
    }

    /// Creates a store of the first version with a geofence and a rule.
    private func makeOldStore(rule: String = #"{"deviceId":"a","geofenceId":"school","kind":"entersBy","by":"08:00"}"#) throws {
        let old = try Connection(path: directory.storePath, access: .write)
        try Migrations(Array(Schema.migrations.steps.prefix(1))).run(on: old)
        try old.execute(
            """
            INSERT INTO geofence (key, from_revision, id, name, latitude, longitude, radius, active, priority, triggers)
                VALUES (1, 1, 'school', 'School', 52.5, 13.4, 100, 1, 0, 7);
            INSERT INTO presence_rule (key, id, config) VALUES (2, 'r', '\(rule)');
            """)
    }

    private func version(of file: String) throws -> Int { try Connection(path: file, access: .read).schemaVersion() }

    private func open() throws -> ServiceWriter {
        try ServiceWriter(
            opening: directory, lock: DirectoryLock(directory, purpose: "test"), deviceGroups: DeviceGroups(), clock: clock)
    }

    /// Expects that the update fails with such details, and that nothing has changed.
    private func expectFailure(_ expected: String) throws {
        #expect {
            try open()
        } throws: { error in
            guard case .migrationFailed(directory.storePath, 1, let details) = error as? Problem else { return false }
            return details.contains(expected)
        }
        #expect(try version(of: directory.storePath) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy { !$0.contains("before") })
        #expect(directory.leftOvers.isEmpty && access(directory.restoring, F_OK) != 0)
    }

    @Test("A store is kept as it was, and updated after a trial on a copy; the next start does nothing of it")
    func updated() throws {
        try makeOldStore()
        let update = try #require(try open().care?.update)
        #expect(try open().care?.update == nil)
        #expect(update.previousVersion == 1 && update.copy == "before-update-20261129T120000Z.backup")
        #expect(try version(of: directory.storePath) == PicketStore.newestVersion)
        let copy = directory.path + "/" + (update.copy ?? "")
        #expect(try version(of: copy) == 1 && StoreFileName.isOwn(update.copy ?? ""))
        #expect(try PicketStore(reading: copy).geofenceCount() == 1)
        #expect(directory.leftOvers.isEmpty && access(directory.restoring, F_OK) != 0)
    }

    @Test("A new store and one of this version are not copied")
    func current() throws {
        do { #expect(try open().care?.update == nil) }
        #expect(try open().care?.update == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy { !StoreFileName.isCopy($0) })
    }

    @Test("If the trial fails, the store stays as it is, no copy is left, and the problem names the store")
    func failed() throws {
        try makeOldStore(rule: "not JSON")
        try Connection(path: directory.storePath, access: .write).execute(
            """
            INSERT INTO device (key, id, name, registry, auto_repair, silent_after) VALUES (5, 'a', 'A', 'none', 0, 21600);
            INSERT INTO presence_rule_device VALUES (2, 5, 1000, 2000);
            """)
        for _ in 0..<2 { try expectFailure("JSON") }
    }

    @Test("What the new version cannot read makes the trial fail, although the schema can be updated")
    func unreadable() throws {
        try makeOldStore(rule: #"{"deviceId":"a","geofenceId":"school","kind":"leavesBy"}"#)
        try expectFailure("leavesBy")
    }

    @Test("Without room for two copies, none is made")
    func full() throws {
        try makeOldStore()
        let store = try PicketStore(reading: directory.storePath)
        let least = 2 * directory.size + ServiceWriter.minFreeSpace
        let without = try StoreUpdate(trying: store, 1, in: directory, freeBytes: least - 1, at: clock.now())
        #expect(without.copy == nil)
        #expect(try StoreUpdate(trying: store, 1, in: directory, freeBytes: least, at: clock.now()).copy != nil)
    }
}
