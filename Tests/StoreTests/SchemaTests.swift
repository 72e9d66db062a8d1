import Geodesy
import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("The store's schema")
struct SchemaTests {
    @Test("Is brought up to date from every earlier version, with all that was in it")
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
            #expect(try store.connection.version() == Schema.migrations.newest)
            #expect(try store.geofences().map(\.geofence.id) == ["home"])
            #expect(try store.fixCount() == 1)
            let device = try #require(try store.device(id: "d"))
            #expect(try store.journal(of: device.key).entries.isEmpty)
            var events: [Event] = []
            try store.forEachEvent { events.append($0) }
            #expect(events.map(\.geofenceId) == ["home"])
            let state = try store.state(of: device, policy: .balanced)
            #expect(state.heardAt == state.newest?.time && state.reached == nil && !state.isSilent)
        }
    }
}
