import Model
import SQLite
import TestSupport
import Testing

@testable import Service
@testable import Store

@Suite("Stores of earlier versions")
struct UpdatedStoreTests {
    @Test("A check of an updated store evaluates the geofences that are older than its first position", arguments: 5...18)
    func check(version: Int) throws {
        let folder = try TemporaryDirectory()
        let directory = DataDirectory(path: folder.path + "/data")
        try directory.createIfMissing()
        do {
            let connection = try Connection(path: directory.storePath, access: .write)
            try Schema.migrations.run(on: connection, upTo: version)
            try connection.execute(
                """
                INSERT OR REPLACE INTO setting VALUES ('fence_revision', 1);
                INSERT INTO device (id, name, registry, auto_repair, silent_after) VALUES ('d', 'D', 'none', 0, 21600);
                INSERT INTO geofence (key, from_revision, id, name, latitude, longitude, radius, active, priority, triggers)
                VALUES (1, 1, 'home', 'Home', 52.5, 13.4, 100, 1, 0, 7);
                INSERT INTO fix (device, time, latitude, longitude, accuracy, revision) VALUES (1, 1777629600000, 52.5, 13.4, 5, 1);
                INSERT INTO device_state (device, time, latitude, longitude, accuracy) VALUES (1, 1777629600000, 52.5, 13.4, 5);
                INSERT INTO presence (device, geofence, phase, entered_at, enter_cause, has_dwelt)
                VALUES (1, 1, 2, 1777629600000, 'initial', 0);
                INSERT INTO event (sequence, id, type, device, geofence, revision, occurred_at, recorded_at, confirmed_at, cause,
                inferred, fix_time, fix_latitude, fix_longitude, fix_accuracy, entered_at)
                VALUES (1, 'x', 'enter', 1, 1, 1, 1777629600000, 1777629600000, 1777629600000, 'initial', 0, 1777629600000, 52.5, 13.4, 5,
                1777629600000);
                """)
        }
        let check = try ServiceReader(directory).checkStore()
        #expect(check.isSound, "\(check.flaws)")
        #expect(check.replay.fixes == 1 && check.replay.revisions == 1)
    }
}
