import Foundation
import Geodesy
import Model
import Monitor
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Store")
struct PicketStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/picket.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    private let fence = Geofence(
        id: "school", name: "Schule am Park", shape: .circle(Circle(center: .init(latitude: 52.5, longitude: 13.4), radius: 120)),
        isActive: false, priority: 3, triggers: [.enter, .dwell], dwell: 600, devices: ["a", "b"], groups: ["family"],
        policy: PolicyOverride(base: .exact), properties: [.init("kind", "school"), .init("rooms", .number("12"))])

    @Test("A geofence is read as it was stored, under one key through all versions")
    func geofences() throws {
        let store = try PicketStore(writing: path)
        let key = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.saveGeofence(fence, revision: store.beginFenceRevision(in: transaction), in: transaction)
        }
        #expect(try store.geofence(id: "school")?.geofence == fence)
        var changed = fence
        changed.shape = .polygons([
            Polygon(
                exterior: [(0.0, 0.0), (0, 1), (1, 1)].map { Coordinate(latitude: $0.0, longitude: $0.1) } + [
                    Coordinate(latitude: 0, longitude: 0)
                ])
        ])
        let again = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.saveGeofence(changed, revision: store.beginFenceRevision(in: transaction), in: transaction)
        }
        #expect(again == key)
        #expect(try store.geofence(id: "school")?.geofence == changed)
        #expect(try store.geofences().count == 1)
        #expect(try store.fenceRevision() == 2)
        try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.remove(key, revision: store.beginFenceRevision(in: transaction), in: transaction)
        }
        #expect(try store.geofence(id: "school") == nil)
        let next = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.saveGeofence(fence, revision: store.beginFenceRevision(in: transaction), in: transaction)
        }
        #expect(next != key, "a number is never used again")
    }

    @Test("A device is read as it was stored")
    func devices() throws {
        let store = try PicketStore(writing: path)
        var device = Device(
            id: "anna-phone", name: "Anna's phone", groups: ["family", "north"], policy: PolicyOverride(base: .phone),
            platform: .ios,
            registry: .simulated, autoRepair: true, silentAfter: 7200)
        let key = try store.saveDevice(device, in: Transaction())
        #expect(try store.device(id: "anna-phone")?.device == device)
        device.name = "Anna"
        #expect(try store.saveDevice(device, in: Transaction()) == key)
        #expect(try store.devices().map(\.device) == [device])
        try store.remove(key, in: Transaction())
        #expect(try store.devices().isEmpty)
    }

    @Test("A fix is recognized by device, time and place")
    func fixes() throws {
        let store = try PicketStore(writing: path)
        let device = try store.saveDevice(Device(id: "d"), in: Transaction())
        let other = try store.saveDevice(Device(id: "e"), in: Transaction())
        let time = Instant("2026-05-01T10:00:00Z")!
        let fix = Fix(time: time, coordinate: .init(latitude: 1, longitude: 2), accuracy: 5)
        try store.append(fix, of: device, revision: 0, evaluation: .onReceipt, attributes: nil, in: Transaction())
        #expect(try store.contains(fix, of: device))
        #expect(try !store.contains(fix, of: other))
        #expect(try !store.contains(Fix(time: time + 1, coordinate: fix.coordinate), of: device))
        #expect(try !store.contains(Fix(time: time, coordinate: .init(latitude: 1, longitude: 2.000001)), of: device))
        // This also holds for fixes that were stored since the last pass that ordered fixes.
        let late = Fix(time: time + -60, coordinate: .init(latitude: 1, longitude: 2))
        try store.append(late, of: device, revision: 0, evaluation: .byReplay, attributes: "{\"a\":1}", in: Transaction())
        #expect(try store.contains(late, of: device))
        #expect(try store.contains(late, of: device, isValid: false))
    }

    @Test("An invalid fix does not hide a valid one of the same time and place")
    func unevaluatedFixes() throws {
        let store = try PicketStore(writing: path)
        let device = try store.saveDevice(Device(id: "d"), in: Transaction())
        #expect(try store.newestFixTime(of: device) == nil)
        let fix = Fix(time: Instant("2026-05-01T10:00:00Z")!, coordinate: .init(latitude: 1, longitude: 2))
        try store.append(fix, of: device, revision: 0, evaluation: .never, attributes: nil, in: Transaction())
        #expect(try !store.contains(fix, of: device))
        #expect(try store.contains(fix, of: device, isValid: false))
        #expect(try store.newestFixTime(of: device) == fix.time)
        try store.append(fix, of: device, revision: 0, evaluation: .byReplay, attributes: nil, in: Transaction())
        #expect(try store.contains(fix, of: device))
    }

    @Test("The state of a device is read as it was stored")
    func states() throws {
        let store = try PicketStore(writing: path)
        let stored = PicketStore.StoredDevice(
            key: try store.saveDevice(Device(id: "d"), in: Transaction()), device: Device(id: "d"))
        let fences = (0..<3).map { number in
            Geofence(
                id: "f\(number)", name: "f",
                shape: .circle(Circle(center: .init(latitude: 0, longitude: 0), radius: 100 + Double(number) * 200)))
        }
        let engine = TransitionEngine(
            fences: FenceSet(
                revision: 1, fences.enumerated().map { .init(key: FenceKey(Int32($0.offset + 1)), geofence: $0.element) }))
        var state = DeviceState(device: stored.device, policy: .balanced)
        var reported: [Transition] = []
        let start = Instant("2026-05-01T10:00:00Z")!
        // The device is first inside the two large ones, then has a pending exit from all of them, and then a pending enter into the
        // smallest.
        for (second, degrees) in [(0.0, 0.002), (5, 0.01), (10, 0.0001), (30_000, 0.0001), (30_005, 0.01)] {
            engine.observe(
                Fix(time: start + second, coordinate: .init(latitude: degrees, longitude: 0), accuracy: 8, speed: 3), &state,
                into: &reported)
            try store.save(&state, of: stored.key, applied: 0, in: Transaction())
            let back = try store.state(of: stored, policy: .balanced)
            #expect(back.newest == state.newest)
            #expect(
                back.deadline == state.deadline && back.fenceDeadline == state.fenceDeadline
                    && back.deadlinesFiredBefore == state.deadlinesFiredBefore)
            #expect(back.lastHeard == state.lastHeard && back.isSilent == state.isSilent)
            #expect(back.fenceStates.map(\.fence).sorted() == state.fenceStates.map(\.fence).sorted())
            for presence in state.fenceStates {
                let other = try #require(back.fenceState(of: presence.fence))
                #expect(other.phase == presence.phase && other.visit == presence.visit)
                #expect(other.pending?.count == presence.pending?.count && other.pending?.fix.time == presence.pending?.fix.time)
                #expect(other.pending?.fix.coordinate == presence.pending?.fix.coordinate)
                #expect(other.pending?.crossedAt == presence.pending?.crossedAt)
            }
        }
    }

    @Test("A transaction that throws is undone completely")
    func rollback() throws {
        let store = try PicketStore(writing: path)
        #expect(throws: Problem.cancelled) {
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.saveDevice(Device(id: "d"), in: transaction)
                throw .cancelled
            }
        }
        #expect(try store.devices().isEmpty)
        try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            _ = try store.saveDevice(Device(id: "e"), in: transaction)
        }
        #expect(try PicketStore(reading: path).devices().map(\.device.id) == ["e"])
    }

    // MARK: - Files that are not a store

    @Test("A store of a newer version is refused, and left unchanged")
    func newer() throws {
        _ = try PicketStore(writing: path)
        try Connection(path: path, access: .write).execute("PRAGMA user_version = 99")
        let expected = Problem.storeTooNew(path: path, version: 99, supported: PicketStore.newestVersion)
        #expect(throws: expected) { try PicketStore(writing: path) }
        #expect(throws: expected) { try PicketStore(reading: path) }
        #expect(try Connection(path: path, access: .read).schemaVersion() == 99)
    }

    @Test("A store from before the first release is refused with what to do, and left unchanged", arguments: [1, 31])
    func beforeFirstRelease(version: Int) throws {
        do {
            let connection = try Connection(path: path, access: .write)
            try connection.execute("CREATE TABLE setting (name, value); PRAGMA user_version = \(version)")
        }
        for open in [{ _ = try PicketStore(writing: path) }, { _ = try PicketStore(reading: path) }] {
            do {
                try open()
                Issue.record("it opened")
            } catch let problem as Problem {
                #expect(problem.code == "migrationFailed")
                #expect(problem.details(in: .english)?.contains("before the first release") == true)
            }
        }
        let connection = try Connection(path: path, access: .read)
        #expect(try connection.schemaVersion() == version)
        #expect(try connection.value(of: "SELECT group_concat(name) FROM sqlite_schema", as: String.self) == "setting")
    }

    @Test("A new store has version 4, and events without a foreign key")
    func schema() throws {
        let store = try PicketStore(writing: path)
        #expect(try store.schemaVersion() == 4)
        // With one, SQLite would read all events when a device is erased.
        let connection = try Connection(path: path, access: .read)
        #expect(try !connection.uncachedStatement("SELECT 1 FROM pragma_foreign_key_list('event')").hasRow())
    }

    @Test("The steps of the schema are those of the releases: a change is a further step, with its digest here")
    func releasedSteps() {
        // 1: version 1.0.0; 2: the last uses of tokens; 3: labels of geofences; 4: the answers of the geocoder.
        #expect(
            Schema.migrations.steps.map(StepDigest.of)
                == ["d86411c7e7e4fb86", "3bff6f022b9c9e9d", "fc9ac7ac63e32bbb", "56b0597a03ac9eb9"])
    }

    @Test("A damaged file is reported as such")
    func damaged() throws {
        try directory.write(String(repeating: "this is no database ", count: 500), to: "picket.sqlite")
        do {
            _ = try PicketStore(writing: path)
            Issue.record("it opened")
        } catch {
            #expect(error.code == "storeCorrupt")
        }
    }

    @Test("A full disk is reported, stored data stays, and the store continues when there is room")
    func full() throws {
        let store = try PicketStore(writing: path)
        try store.saveDevice(Device(id: "before"), in: Transaction())
        // SQLite's maximum page count causes the same error as a full disk.
        try store.limitSize(pages: 0)
        do {
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                for number in 0..<5000 { try store.saveDevice(Device(id: "device-\(number)"), in: transaction) }
            }
            Issue.record("it found room")
        } catch {
            #expect(error == .storeFull(path: path))
        }
        #expect(try store.devices().map(\.device.id) == ["before"])
        try store.limitSize(pages: 1_000_000)
        try store.saveDevice(Device(id: "after"), in: Transaction())
        #expect(try store.devices().map(\.device.id) == ["after", "before"])
    }
}
