import Model
import SQLite
import TestSupport
import Testing

@testable import Places
@testable import Store

@Suite("Records of the values that devices inherit")
struct DefaultRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    @Test(
        "A device is read with its own values and those that it inherits, as they were saved",
        arguments: 1...4 as ClosedRange<UInt64>)
    func values(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func values() throws -> DeviceDefaults {
            DeviceDefaults(
                silentAfter: try #require([nil, 60, Device.defaultSilentAfter].randomElement(using: &random)),
                policy: try #require([nil, PolicyOverride(base: .phone)].randomElement(using: &random)),
                keepPositions: try #require([nil, 0, 90, .infinity].randomElement(using: &random)),
                quietHours: try #require(
                    [nil, [], [try WeeklyWindow("22:00-06:00", field: "quietHours")]].randomElement(using: &random)))
        }
        for _ in 0..<100 {
            let (general, group) = (try values(), try values())
            try store.save(general, ofGroup: "", in: Transaction())
            try store.save(group, ofGroup: "family", in: Transaction())
            let saved = try store.deviceDefaults()
            #expect(saved.general == general && (saved.ofGroups["family"] ?? DeviceDefaults()) == group, "seed \(seed)")
            for groups in [[], ["family"]] {
                var device = Device(id: "d", groups: groups)
                device.own = try values()
                device.inherit(try store.inheritedDefaults(ofGroups: groups))
                let key = try store.saveDevice(device, in: Transaction())
                #expect(try store.device(id: "d")?.device == device, "seed \(seed)")
                // Positions of a device with the settings' value are removed by those, and not by its own value.
                let kept = try store.connection.uncachedStatement("SELECT keep_positions FROM device WHERE key = \(key.value)")
                let specific = device.own.keepPositions ?? (groups.isEmpty ? nil : group.keepPositions)
                #expect(try kept.values(Double?.self) == [specific], "seed \(seed)")
            }
        }
    }
}
