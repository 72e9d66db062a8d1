import Geodesy
import Ingest
import Model
import SQLite
import TestSupport
import Testing

@testable import Service
@testable import SimulatedOS
@testable import Store

@Suite("Names in two forms of Unicode")
struct NameFormTests {
    private static let composed = "ren\u{E9}"
    private static let decomposed = "rene\u{301}"

    /// The answers of a service as bytes, which differ where strings are equal for Swift.
    private func answers(_ service: ServiceWriter) throws -> [[UInt8]] {
        var texts = try service.groups().map(\.json.description)
        for name in [Self.composed, Self.decomposed] {
            texts.append(try service.device(id: name).id)
            texts += try service.devices(inGroup: name).map(\.id)
            try service.forEachGeofence(inGroup: name) { texts.append($0.id + $0.groups.joined()) }
            var filter = Queries.EventFilter()
            filter.deviceId = name
            try service.forEachEvent(filter) { texts.append($0.deviceId) }
        }
        return texts.map { Array($0.utf8) }
    }

    @Test(
        "Both forms are one device and one group, before and after a restart",
        arguments: [(composed, decomposed), (decomposed, composed)])
    func restart(first: String, second: String) throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        func position(_ device: String, _ minute: Int) throws -> String {
            try directory.write(
                #"{"device":"\#(device)","timestamp":"2026-05-01T08:0\#(minute):00Z","latitude":52.5,"longitude":13.4,"accuracy":5}"#,
                to: "p\(minute).jsonl")
        }
        let (before, count): ([[UInt8]], Int)
        do {
            let service = try ServiceWriter(data, purpose: "test", clock: Workbench.Clock())
            try service.save(Device(id: first, groups: [first]))
            try service.apply([
                .save(
                    Geofence(
                        id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 100)), groups: [second]))
            ])
            let summary = FileFeed.run(
                [try position(first, 1), try position(second, 2)], into: service,
                options: .init(decoding: DecodingOptions(), policy: .exact),
                observer: .init(event: { _ in }, refusal: { _ in }, problem: { Issue.record("\($0)") }, progress: { _, _ in }))
            (before, count) = (try answers(service), try service.devices().count)
            #expect(summary.counts.fixes == 2)
        }
        let service = try ServiceWriter(data, purpose: "test", clock: Workbench.Clock())
        #expect(try answers(service) == before)
        #expect(before.contains(Array(Self.composed.utf8)) && !before.contains(Array(Self.decomposed.utf8)))
        #expect(try service.devices().count == count && count == 1)
    }

    @Test("An update keeps the phones of two devices apart whose ids differ in form only", arguments: [true, false])
    func phones(bothHavePhones: Bool) throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path)
        do {
            let store = try Connection(path: data.storePath, access: .write)
            try Schema.migrations.run(on: store, upTo: 22)
            try store.execute(
                """
                INSERT INTO device (key, id, name, registry, platform, auto_repair, silent_after) VALUES
                (1, '\(Self.decomposed)', 'A', 'simulated', 'ios', 0, 21600),
                (2, '\(Self.composed)', 'B', 'simulated', 'ios', 0, 21600)
                """)
            try RegistryFile(path: data.registryFilePath).change(Device(id: "a"), at: .earliest) { $0.reboot() }
            let phones = try Connection(path: data.registryFilePath, access: .write)
            try phones.execute("INSERT INTO phone SELECT '\(Self.decomposed)', state FROM phone")
            try phones.execute(
                bothHavePhones
                    ? "UPDATE phone SET device = '\(Self.composed)', state = '{}' WHERE device = 'a'"
                    : "DELETE FROM phone WHERE device = 'a'")
            try phones.execute("PRAGMA user_version = 1")
        }
        _ = try ServiceWriter(data, purpose: "test", clock: Workbench.Clock())
        let phones = try Connection(path: data.registryFilePath, access: .read)
        let rows = try phones.uncachedStatement("SELECT device || ' ' || (state = '{}') FROM phone ORDER BY device")
        let expected = bothHavePhones ? ["\(Self.composed) 1", "\(Self.composed) (1) 0"] : ["\(Self.composed) (1) 0"]
        #expect(try rows.values(String.self).map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        #expect(try RegionStore(reading: data.storePath).phonesToRename()?.isEmpty == nil)
    }

    @Test("The phone of a removed device is removed under each form of its name")
    func removedPhone() throws {
        let directory = try TemporaryDirectory()
        let file = try RegistryFile(path: directory.path + "/os-registry.sqlite")
        try file.change(Device(id: Self.composed), at: .earliest) { $0.reboot() }
        try file.connection.execute("UPDATE phone SET device = '\(Self.decomposed)'")
        try file.remove(Self.composed)
        #expect(try file.connection.value(of: "SELECT count(*) FROM phone", as: Int.self) == 0)
    }
}
