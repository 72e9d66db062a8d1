import Foundation
import Geodesy
import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Schema of the store")
struct SchemaTests {
    @Test("Every earlier version is updated, with all its data")
    func versions() throws {
        for version in 1..<Schema.migrations.newest {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/picket.sqlite"
            do {
                let connection = try Connection(path: path, access: .write)
                try Schema.migrations.run(on: connection, upTo: version)
                try connection.execute(
                    """
                    INSERT INTO device (id, name, registry, auto_repair, silent_after) VALUES ('d', 'D', 'none', 0, 21600);
                    INSERT INTO device (id, name, policy, registry, auto_repair, silent_after)
                    VALUES ('e', 'E', '{"base":"exact"}', 'none', 0, 60);
                    INSERT INTO geofence (key, from_revision, id, name, latitude, longitude, radius, active, priority, triggers)
                    VALUES (1, 1, 'home', 'Home', 52.5, 13.4, 100, 1, 0, 7);
                    INSERT INTO fix (device, time, latitude, longitude, revision) VALUES (1, 1777629600000, 52.5, 13.4, 1);
                    INSERT INTO device_state (device, time, latitude, longitude) VALUES (1, 1777629600000, 52.5, 13.4);
                    INSERT INTO event (sequence, id, type, device, geofence, revision, occurred_at, recorded_at, confirmed_at, cause,
                    inferred, fix_time, fix_latitude, fix_longitude)
                    VALUES (1, 'x', 'enter', 1, 1, 1, 1777629600000, 1777629600000, 1777629600000, 'initial', 0, 1777629600000, 52.5, 13.4);
                    """)
            }
            let store = try RegionStore(writing: path)
            #expect(try store.connection.schemaVersion() == Schema.migrations.newest)
            #expect(try store.geofences().map(\.geofence.id) == ["home"])
            #expect(try store.fixCount() == 1)
            let device = try #require(try store.device(id: "d"))
            // Nobody has set six hours, because they were the default. Every other value is the device's own.
            #expect(device.device.own.isEmpty && device.device.silentAfter == Device.defaultSilentAfter)
            let other = try #require(try store.device(id: "e")).device
            #expect(other.own == DeviceDefaults(silentAfter: 60, policy: PolicyOverride(base: .exact)))
            #expect(try store.deviceDefaults().ofGroups.isEmpty)
            #expect(try store.journal(of: device.key).entries.isEmpty)
            // Earlier versions evaluated fixes by other rules, so a replay cannot reproduce their events; those before 5 did not store
            // what a replay needs. The update marks their devices. Those from 27 on evaluated fixes by the present rules.
            let gaps = try #require(try store.replayNotes()[device.key]).gaps
            #expect(gaps.contains(.olderStore) == (version < 5) && gaps.contains(.olderDecisions) == (version < 27))
            var events: [Event] = []
            try store.forEachEvent { events.append($0) }
            #expect(events.map(\.geofenceId) == ["home"])
            let state = try store.state(of: device, policy: .balanced)
            #expect(state.lastHeard == state.newest?.time && state.deadlinesFiredBefore == nil && !state.isSilent)
            // All events belong to the store's first generation (`StoreGeneration`), because the store was never restored.
            let generations = try store.generations()
            #expect(generations.all == [StoreGeneration(id: generations.store)])
            #expect(try store.newestSequence() == 1)
            // The table `event` has no foreign key, because with one, SQLite would read all events when a device is erased.
            let references = try store.connection.uncachedStatement("SELECT 1 FROM pragma_foreign_key_list('event')")
            #expect(try !references.hasRow())
        }
    }

    @Test("The update derives the start of seen times, where positions had been removed")
    func seenFrom() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/picket.sqlite"
        do {
            let connection = try Connection(path: path, access: .write)
            try Schema.migrations.run(on: connection, upTo: 5)
            // Device `all` still has all positions, `trimmed` has only its newest two, and `none` has none. Device `removed` was
            // removed, and `back` was removed and added again. `seen_from` is the moment from which it is known when the device
            // was seen; NULL: always. `gaps` has the bits of `ReplayGaps`.
            try connection.execute(
                """
                INSERT INTO device (key, id, name, registry, auto_repair, silent_after, gaps, removed, replay_after) VALUES
                (1, 'all', '', 'none', 0, 60, 4, 0, 0), (2, 'trimmed', '', 'none', 0, 60, 6, 0, 0),
                (3, 'none', '', 'none', 0, 60, 2, 0, 0), (4, 'removed', '', 'none', 0, 60, 0, 1, 2),
                (5, 'back', '', 'none', 0, 60, 0, 0, 3);
                INSERT INTO fix (device, time, latitude, longitude, revision) VALUES
                (1, 1000, 1, 2, 0), (2, 7000, 1, 2, 0), (2, 5000, 1, 2, 0), (5, 9000, 1, 2, 0);
                INSERT INTO device_state (device, time, latitude, longitude) VALUES
                (1, 1000, 1, 2), (2, 7000, 1, 2), (3, 8000, 1, 2), (5, 9000, 1, 2);
                INSERT INTO event (sequence, id, type, device, geofence, revision, occurred_at, recorded_at, confirmed_at, cause,
                inferred, fix_time, fix_latitude, fix_longitude)
                VALUES (1, 'a', 'enter', 4, 1, 1, 2000, 1, 1, 'moved', 0, 1, 1, 2),
                (2, 'b', 'exit', 4, 1, 1, 4000, 1, 1, 'moved', 0, 1, 1, 2);
                """)
        }
        let store = try RegionStore(writing: path)
        let row = try store.connection.uncachedStatement("SELECT seen_from FROM device ORDER BY key")
        #expect(try row.values(Int64?.self) == [nil, 5000, 8001, 4001, 9000])
    }

    /// Makes a store of an earlier version with one device, and returns the path of the database.
    private func makeStore(_ version: Int, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/picket.sqlite"
        let connection = try Connection(path: path, access: .write)
        try Schema.migrations.run(on: connection, upTo: version)
        try connection.execute(
            "INSERT INTO device (id, name, registry, auto_repair, silent_after) VALUES ('d', 'D', 'none', 0, 21600)")
        return path
    }

    /// The names of the files in the directory, without the write-ahead log and the shared memory of SQLite.
    private func fileNames(_ directory: TemporaryDirectory) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory.path)).filter {
            !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
    }

    @Test("An update keeps a copy of the earlier store, and only the newest copy", arguments: 1..<Schema.migrations.newest)
    func copy(version: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try makeStore(version, in: directory)
        for earlier in 1..<version { try directory.write("older", to: "picket.sqlite.v\(earlier).bak") }
        let store = try RegionStore(writing: path)
        let copy = "\(path).v\(version).bak"
        #expect(store.copyBeforeUpdate == copy)
        #expect(try fileNames(directory) == ["picket.sqlite", "picket.sqlite.v\(version).bak"])
        let kept = try Connection(path: copy, access: .read)
        #expect(try kept.schemaVersion() == version)
        #expect(try kept.value(of: "SELECT id FROM device", as: String.self) == "d")
        #expect(try RegionStore(writing: path).copyBeforeUpdate == nil, "nothing to do the second time")
    }

    @Test("A failed update leaves the store unchanged", arguments: 1..<Schema.migrations.newest)
    func failure(version: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try makeStore(version, in: directory)
        // The migration that adds this table fails, after all those before it have run.
        try Connection(path: path, access: .write).execute("CREATE TABLE retained_place (key INTEGER)")
        let before = try schemaSQL(path)
        #expect {
            try RegionStore(writing: path)
        } throws: { ($0 as? Problem)?.code == "migrationFailed" }
        #expect(try schemaSQL(path) == before)
        #expect(try Connection(path: path, access: .read).schemaVersion() == version)
    }

    /// The SQL of all tables and indexes.
    private func schemaSQL(_ path: String) throws -> String {
        let connection = try Connection(path: path, access: .read)
        return try connection.value(of: "SELECT group_concat(sql, ';') FROM sqlite_master") ?? ""
    }
}
