import Model
import SQLite
import Store
import TestSupport
import Testing

@testable import Service

@Suite("Timeline of inputs")
struct OneTimelineTests {
    /// A service after a history in which all positions are kept.
    ///
    /// - Parameter hasDefaults: See `RecordedHistory.init`.
    private func live(seed: UInt64, count: Int, hasDefaults: Bool = true) throws -> Workbench {
        let bench = try Workbench()
        bench.service.serve()
        for (now, input) in RecordedHistory(seed: seed, count: count, hasDefaults: hasDefaults).keepingPositions {
            bench.clock.set(now)
            _ = try bench.service.apply(input, at: now)
        }
        return bench
    }

    @Test(
        "The live events agree with a replay in order of input, in order of time and with explanations",
        arguments: Histories.seeds(1...8))
    func agreement(seed: UInt64) throws {
        let bench = try live(seed: seed + 7000, count: 300)
        let service = bench.service
        let check = try service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")

        // Fixes that came late wait for a replay.
        var events: [Event] = []
        _ = try service.replay(device: nil, since: nil) { events += $0 }
        let again = try service.replay(device: nil, since: nil) { _ in }
        #expect(again.new + again.retracted == 0 && again.confirmed > 20, "seed \(seed): \(again)")
        let supposed = try service.simulateReplay(device: nil, since: nil) { finding in
            #expect(finding.lines.isEmpty, "seed \(seed), \(finding.deviceId): \(finding.lines.first?.description ?? "")")
        }
        #expect(supposed.confirmed == again.confirmed, "seed \(seed)")
        let after = try service.checkStore()
        #expect(after.isSound && after.replay.unprovenDevices == 0, "seed \(seed): \(after.flaws.first)")

        var explained = 0
        for device in RecordedHistory.devices {
            for fence in (1...8).map({ "f\($0)" }) where try service.knownGeofence(id: fence) != nil {
                var filter = RegionStore.EventFilter()
                filter.deviceId = device
                filter.geofenceId = fence
                filter.excludesRetracted = true
                var recorded: [String] = []
                try service.forEachEvent(filter) { if $0.type != .missed { recorded.append("\($0.occurredAt) \($0.type)") } }
                let steps = try service.explain(.init(deviceId: device, geofenceId: fence, around: 100_000)).steps
                let told = steps.flatMap(\.transitions).map { "\($0.occurredAt) \($0.type)" }
                #expect(told.sorted() == recorded.sorted(), "seed \(seed), \(device), \(fence)")
                explained += told.count
            }
        }
        #expect(explained > 20, "seed \(seed)")
    }

    @Test(
        "A store of a version without an input log gets one by migration, and is sound", arguments: Histories.seeds(1...8))
    func migration(seed: UInt64) throws {
        let bench = try live(seed: seed + 9000, count: 250, hasDefaults: false)
        try bench.service.writeAllDerived()
        let events = try bench.service.allEvents()
        let copy = try TemporaryDirectory()
        let data = DataDirectory(path: copy.path + "/data")
        try bench.service.copyStore(to: data)
        let connection = try Connection(path: data.storePath, access: .write)
        // The previous version did not store inputs other than positions.
        try connection.execute(
            """
            UPDATE device SET gaps = gaps | 16 WHERE key IN (SELECT device FROM input WHERE kind = 3);
            ALTER TABLE device_rules ADD COLUMN until INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE device_rules ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
            UPDATE device_rules SET
            revision = (SELECT ifnull(max(r.revision), 0) FROM fence_revision r WHERE r.number < device_rules.number),
            number = (SELECT ifnull(max(f.number), 0) FROM fix f WHERE f.number < device_rules.number);
            ALTER TABLE checkpoint DROP COLUMN next;
            DROP TABLE input;
            DROP TABLE fence_revision;
            DROP INDEX geofence_devices;
            DROP INDEX geofence_name;
            DROP TABLE staged_geofence;
            DROP TABLE retained_topic;
            DROP TABLE retained_place;
            ALTER TABLE registry_report DROP COLUMN lost_at;
            ALTER TABLE registry_report DROP COLUMN is_loss_answered;
            ALTER TABLE token DROP COLUMN devices;
            ALTER TABLE token DROP COLUMN groups;
            DROP TABLE device_default;
            DROP TABLE damaged_registry_journal;
            DROP TABLE device_removal;
            ALTER TABLE device_state DROP COLUMN stay_last;
            ALTER TABLE device DROP COLUMN quiet_hours;
            ALTER TABLE device DROP COLUMN inherited;
            ALTER TABLE device DROP COLUMN input_time_zone;
            ALTER TABLE device_rules DROP COLUMN quiet_hours;
            UPDATE device_state SET applied = (SELECT max(number) FROM fix);
            UPDATE setting SET value = (SELECT max(number) FROM fix) WHERE name = 'states_saved';
            PRAGMA user_version = 18;
            """)
        let service = try ServiceWriter(data, purpose: "test", clock: bench.clock)
        service.serve()
        #expect(service.copyBeforeUpdate != nil)
        #expect(try service.allEvents() == events, "seed \(seed)")
        let check = try service.checkStore()
        #expect(check.isSound, "seed \(seed): \(check.flaws.first)")
        #expect(check.replay.devices >= 3, "seed \(seed): \(check.replay)")
        // The upgraded store continues like the other one.
        for (then, input) in RecordedHistory(seed: seed + 9500, count: 60, hasDefaults: false).keepingPositions {
            guard case .positions(var batch, _) = input else { continue }
            let now = bench.clock.now() + 400
            bench.clock.set(now)
            for row in batch.rows.indices { batch.rows[row].fix.time = batch.rows[row].fix.time + (now - then) }
            let told = try bench.service.apply(.positions(batch, nil), at: now)
            #expect(try service.apply(.positions(batch, nil), at: now) == told, "seed \(seed)")
        }
    }
}
