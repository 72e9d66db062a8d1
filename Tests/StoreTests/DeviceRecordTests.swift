import Geodesy
import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Device records")
struct DeviceRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private let place = Coordinate(latitude: 1, longitude: 2)

    @Test("Positions are read in order of arrival, with their attributes", arguments: [0, 2, 100])
    func fixes(ordered: Int) throws {
        let (device, other) = (try store.saveDevice(Device(id: "d")), try store.saveDevice(Device(id: "other")))
        let evaluations: [PicketStore.Evaluation] = [.onReceipt, .byReplay, .never, .byReplayAfterDeadline, .onReceipt]
        for (index, evaluation) in evaluations.enumerated() {
            let fix = Fix(time: Instant(milliseconds: Int64(10 - index) * 1000), coordinate: place, accuracy: Double(index))
            try store.append(
                fix, of: device, revision: Int64(index), evaluation: evaluation, attributes: index == 1 ? #"{"a":1}"# : nil)
            try store.append(fix, of: other, revision: 0, evaluation: .onReceipt, attributes: nil)
        }
        try store.orderFixes(atMost: ordered)
        var found: [PicketStore.StoredFix] = []
        var attributes: [JSONValue?] = []
        try store.forEachFix(store.fixNumbers(of: device)) {
            found.append($0)
            attributes.append($1)
        }
        #expect(found.map(\.fix.accuracy) == [0, 1, 2, 3, 4])
        #expect(found.map(\.isLate) == [false, true, false, true, false])
        #expect(found.map(\.isValid) == [true, true, false, true, true])
        let said: [JSONValue?] = [nil, .compact([("a", .number("1"))]), nil, nil, nil]
        #expect(attributes == said)
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
            try store.save(general, ofGroup: "")
            try store.save(group, ofGroup: "family")
            let saved = try store.deviceDefaults()
            #expect(saved.general == general && (saved.ofGroups["family"] ?? DeviceDefaults()) == group, "seed \(seed)")
            for groups in [[], ["family"]] {
                var device = Device(id: "d", groups: groups)
                device.own = try values()
                device.inherit(try store.inheritedDefaults(ofGroups: groups))
                let key = try store.saveDevice(device)
                #expect(try store.device(id: "d")?.device == device, "seed \(seed)")
                // Positions of a device with the settings' value are removed by those, and not by its own value.
                let kept = try store.connection.uncachedStatement("SELECT keep_positions FROM device WHERE key = \(key.value)")
                let specific = device.own.keepPositions ?? (groups.isEmpty ? nil : group.keepPositions)
                #expect(try kept.values(Double?.self) == [specific], "seed \(seed)")
            }
        }
    }

    @Test("Evidence is read as it was sent")
    func evidence() throws {
        let device = try store.saveDevice(Device(id: "d"))
        for number in 1...3 as ClosedRange<Int64> {
            try store.appendEvidence(
                #"{"_type":"\#(number == 2 ? "transition" : "waypoint")","n":\#(number)}"#, of: device,
                at: Instant(milliseconds: 10 - number), receivedAt: Instant(milliseconds: 100 + number))
        }
        var found: [String] = []
        try store.forEachEvidence(of: device) {
            found.append("\($0.milliseconds) \($1.milliseconds) \($2["n"]?.description ?? "")")
        }
        #expect(found == ["9 101 1", "8 102 2", "7 103 3"])
        var transitions: [Int64] = []
        try store.forEachTransition(of: device, since: Instant(milliseconds: 0)) { at, _ in transitions.append(at.milliseconds) }
        #expect(transitions == [8])
    }

    @Test("A removed device is known by its ID and no longer listed")
    func removed() throws {
        let device = Device(id: "d", name: "Anna", groups: ["north"])
        let key = try store.saveDevice(device)
        #expect(try store.knownDevice(id: "d")?.isRemoved == false)
        try store.transaction { () throws(Problem) in try store.remove(key) }
        let known = try #require(try store.knownDevice(id: "d"))
        #expect(known.isRemoved && known.stored.key == key && known.stored.device == device)
        #expect(try store.device(id: "d") == nil)
        #expect(try store.device(key: key) == nil)
        #expect(try store.hasKnownDevice(id: "d") && store.deviceCount() == 0)
        #expect(try store.saveDevice(device) == key)
    }
}
