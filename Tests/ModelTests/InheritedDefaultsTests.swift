import TestSupport
import Testing

@testable import Model

@Suite("Values that devices inherit")
struct InheritedDefaultsTests {
    private static func window(_ text: String) throws -> [WeeklyWindow] { [try WeeklyWindow(text, field: "quietHours")] }

    @Test("A device's own value goes before its groups', theirs before the settings', and those before the built-in one")
    func order() throws {
        var device = Device(id: "anna", groups: ["family"])
        #expect(device.silentAfter == Device.defaultSilentAfter && device.keepPositions == nil && device.policy.isEmpty)
        let general = DeviceDefaults(silentAfter: 7200, policy: .init(base: .phone), quietHours: try Self.window("20:00-08:00"))
        device.inherited = InheritedDefaults(groups: device.groups, general: general, ofGroups: [:])
        #expect(device.silentAfter == 7200 && device.policy.base == .phone)
        #expect(device.applied.quietHours?.map(\.text) == ["20:00-08:00"])
        #expect(device.inherited.source(of: "silentAfter") == .setting)
        let family = DeviceDefaults(silentAfter: 3600, keepPositions: 90, quietHours: [])
        device.inherited = InheritedDefaults(groups: device.groups, general: general, ofGroups: ["family": family])
        #expect(device.silentAfter == 3600 && device.policy.base == .phone && device.keepPositions == 90)
        #expect(device.applied.quietHours == [] && device.inherited.source(of: "quietHours") == .group("family"))
        device.silentAfter = 60
        device.policy = PolicyOverride(base: .exact)
        device.keepPositions = .infinity
        #expect(device.silentAfter == 60 && device.policy.base == .exact && device.keepPositions == .infinity)
        device.own = DeviceDefaults()
        #expect(device.silentAfter == 3600 && device.policy.base == .phone && device.keepPositions == 90)
    }

    @Test("Of several groups the shortest times hold, and the other values of the first group by name")
    func groups() throws {
        let groups = [
            "work": DeviceDefaults(silentAfter: 60, policy: .init(base: .exact), keepPositions: 500),
            "family": DeviceDefaults(silentAfter: 90, policy: .init(base: .phone), keepPositions: 100, quietHours: []),
            "club": DeviceDefaults(quietHours: try Self.window("22:00-06:00")),
            "other": DeviceDefaults(silentAfter: 1, policy: .init(base: .balanced), keepPositions: 0),
        ]
        for order in [["work", "family", "club"], ["club", "family", "work"]] {
            let inherited = InheritedDefaults(groups: order, general: DeviceDefaults(silentAfter: 5), ofGroups: groups)
            #expect(inherited.values.silentAfter == 60 && inherited.source(of: "silentAfter") == .group("work"))
            #expect(inherited.values.keepPositions == 100 && inherited.source(of: "keepPositions") == .group("family"))
            #expect(inherited.values.policy?.base == .phone && inherited.source(of: "policy") == .group("family"))
            #expect(inherited.values.quietHours?.count == 1 && inherited.source(of: "quietHours") == .group("club"))
        }
    }

    @Test("What a device inherits is the same after JSON", arguments: 1...4 as ClosedRange<UInt64>)
    func json(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func defaults() throws -> DeviceDefaults {
            DeviceDefaults(
                silentAfter: [nil, 60, 21_600].randomElement(using: &random)!,
                policy: [nil, PolicyOverride(base: .phone)].randomElement(using: &random)!,
                keepPositions: [nil, 0, 90, .infinity].randomElement(using: &random)!,
                quietHours: [nil, [], try Self.window("22:00-06:00")].randomElement(using: &random)!)
        }
        for _ in 0..<200 {
            var device = Device(id: "anna", groups: ["a", "b"])
            device.own = try defaults()
            device.inherited = InheritedDefaults(
                groups: device.groups, general: try defaults(), ofGroups: ["a": try defaults(), "b": try defaults()])
            let json = InheritedDefaults.json(of: device)
            var read = Device(id: "anna", groups: ["a", "b"])
            read.own = device.own
            read.inherited = try InheritedDefaults(json: json)
            #expect(read.silentAfter == device.silentAfter && read.policy == device.policy, "seed \(seed): \(json)")
            #expect(read.keepPositions == device.keepPositions, "seed \(seed): \(json)")
            #expect((read.applied.quietHours ?? []) == (device.applied.quietHours ?? []), "seed \(seed): \(json)")
            #expect(InheritedDefaults.json(of: read) == json, "seed \(seed)")
            #expect(try DeviceDefaults(json: device.own.json, of: .device) == device.own, "seed \(seed)")
        }
    }
}
