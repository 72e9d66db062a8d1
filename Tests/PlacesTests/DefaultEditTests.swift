import Geodesy
import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence

@Suite("Values of groups and of the settings")
struct DefaultEditTests {
    private let bench: Workbench
    private var service: ServiceWriter { bench.service }

    init() throws { bench = try Workbench() }

    @Test("A change of a group applies to its devices without their own value, and to those that join later")
    func group() throws {
        try service.save(Device(id: "anna", groups: ["family"]))
        try service.save(Device(id: "ben", groups: ["family"], silentAfter: 60))
        try service.save(Device(id: "van"))
        let edited = try service.patchGroup(
            "family",
            with: ["silentAfter": JSONValue(7200), "policy": "phone", "keepPositions": "forever", "quietHours": ["22:00-06:00"]])
        #expect(edited.changedDevices == 2 && edited.group.devices == 2 && edited.group.defaults.silentAfter == 7200)
        let silences = try service.devices().map(\.silentAfter)
        #expect(silences == [7200, 60, Device.defaultSilentAfter])
        #expect(try service.device(id: "ben").policy.base == .phone)
        try service.save(Device(id: "eve", groups: ["family"]))
        #expect(try service.device(id: "eve").silentAfter == 7200)
        // A device that leaves the group keeps none of its values, and a patch of one value leaves the others.
        _ = try service.patchDevice("eve", with: ["groups": []])
        #expect(try service.device(id: "eve") == Device(id: "eve"))
        _ = try service.patchGroup("family", with: ["silentAfter": .null])
        let anna = try service.device(id: "anna")
        #expect(anna.silentAfter == Device.defaultSilentAfter && anna.policy.base == .phone && anna.keepPositions == .infinity)
        #expect(anna.own.isEmpty)
        // The same patch again changes nothing.
        #expect(try service.patchGroup("family", with: ["silentAfter": .null]).changedDevices == 0)
    }

    @Test("The settings apply to devices without their own value or that of a group, including those that positions create")
    func settings() throws {
        try service.save(Device(id: "anna", groups: ["family"]))
        _ = try service.patchGroup("family", with: ["silentAfter": JSONValue(60)])
        try service.saveGeneralDefaults(DeviceDefaults(silentAfter: 1800, policy: .init(base: .exact)))
        var batch = FixBatch()
        let fix = Fix(time: bench.clock.now(), coordinate: Coordinate(latitude: 52.5, longitude: 13.4))
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "new"), line: 1))
        _ = try service.accept(batch, policy: nil)
        let (anna, new) = (try service.device(id: "anna"), try service.device(id: "new"))
        #expect(anna.silentAfter == 60 && anna.policy.base == .exact && new.silentAfter == 1800 && new.policy.base == .exact)
        #expect(new.inherited.source(of: "silentAfter") == .setting)
        try service.saveGeneralDefaults(DeviceDefaults())
        #expect(try service.device(id: "new") == Device(id: "new"))
    }

    @Test("A change of a group that is interrupted between two steps is completed at the next start")
    func interrupted() throws {
        let directory = bench.data
        do {
            let writer = try ServiceWriter(DataDirectory(path: directory.path + "-steps"), purpose: "test", clock: bench.clock)
            for number in 0..<250 { try writer.save(Device(id: "device-\(number)", groups: ["fleet"])) }
            let step = try writer.transaction { (transaction: borrowing Transaction) throws(Problem) in
                _ = try writer.beginGroupPatch("fleet", with: ["silentAfter": JSONValue(7200)], in: transaction)
                return try writer.continueGroupPatch("fleet", after: DeviceKey(0), in: transaction)
            }
            let changed = try writer.devices().count { $0.silentAfter == 7200 }
            #expect(changed == step.changedDevices && changed > 0 && changed <= 100 && step.next != nil)
            // A device that is made meanwhile inherits the new value.
            try writer.save(Device(id: "new", groups: ["fleet"]))
            #expect(try writer.device(id: "new").silentAfter == 7200)
        }
        let writer = try ServiceWriter(DataDirectory(path: directory.path + "-steps"), purpose: "test", clock: bench.clock)
        #expect(try writer.devices().allSatisfy { $0.silentAfter == 7200 })
        #expect(try writer.store.openGroupPatches() == 0)
    }

    @Test("Inherited values that a client sends back do not become the device's own")
    func roundTrip() throws {
        _ = try service.patchGroup("family", with: ["silentAfter": JSONValue(7200), "policy": ["maxSpeed": JSONValue(50)]])
        try service.save(Device(id: "anna", groups: ["family"]))
        let json = try service.device(id: "anna").json
        #expect(json["inherited"]?["silentAfter"] == ["value": JSONValue(7200), "from": "group", "group": "family"])
        _ = try service.saveDevice(json, id: "anna")
        #expect(try service.device(id: "anna").own.isEmpty)
        // A different value becomes the device's own, and so does the same value if a patch contains it.
        _ = try service.saveDevice(json.merged(with: ["silentAfter": JSONValue(60)]), id: "anna")
        #expect(try service.device(id: "anna").own == DeviceDefaults(silentAfter: 60))
        _ = try service.patchDevice("anna", with: ["silentAfter": JSONValue(7200)])
        #expect(try service.device(id: "anna").own == DeviceDefaults(silentAfter: 7200))
        _ = try service.patchDevice("anna", with: ["silentAfter": JSONValue(21_600)])
        _ = try service.patchGroup("family", with: ["silentAfter": JSONValue(90)])
        #expect(try service.device(id: "anna").silentAfter == 21_600)
        _ = try service.patchDevice("anna", with: ["silentAfter": .null])
        #expect(try service.device(id: "anna").silentAfter == 90)
    }

    @Test("A value that cannot be used is refused with its field, and nothing changes")
    func refused() throws {
        for (patch, field) in [
            (["silentAfter": JSONValue(-1)], "silentAfter"), (["policy": "fast"], "policy"),
            (["keepPositions": "soon"], "keepPositions"),
            (["quietHours": ["25:00-07:00"]], "quietHours"), (["silence": JSONValue(1)], "silence"), (JSONValue(7), "body"),
        ] as [(JSONValue, String)] {
            guard case .validationFailed(field, _, _, _)? = problem({ try service.patchGroup("family", with: patch) }) else {
                Issue.record("\(patch)")
                continue
            }
        }
        for name in ["", String(repeating: "g", count: 121)] {
            let found = problem { try service.patchGroup(name, with: ["silentAfter": JSONValue(60)]) }
            guard case .validationFailed("group", name, _, _)? = found else {
                Issue.record("\(name)")
                continue
            }
        }
        #expect(try service.groups().isEmpty && service.store.deviceDefaults().general.isEmpty)
    }

    @Test(
        "A change of a group's values has the effects of the same change of the device's own, even after a crash and a replay",
        arguments: Histories.seeds(1...3))
    func reproducible(seed: UInt64) throws {
        let single = try Workbench()
        let benches = [bench, single]
        for id in RecordedHistory.devices {
            for bench in benches { try bench.service.save(Device(id: id, groups: ["odd", id])) }
        }
        var changes = 0
        for (now, input) in RecordedHistory(seed: seed + 5000, count: 220, hasDefaults: false).keepingPositions {
            for bench in benches { bench.clock.set(now) }
            switch input {
            case .remove, .erase: continue
            case .saveDevice(let device):
                let values = DeviceDefaults(silentAfter: device.silentAfter, policy: device.policy)
                let edited = try service.patchGroup(device.id, with: values.json).events.map(\.word)
                var own = try single.service.device(id: device.id)
                own.own = values
                #expect(try single.service.save(own).map(\.word) == edited, "seed \(seed)")
                #expect(try service.device(id: device.id).own.isEmpty)
                changes += 1
            case .positions(let batch, _):
                let events = try service.accept(batch, policy: nil).events.map(\.word)
                #expect(try single.service.accept(batch, policy: nil).events.map(\.word) == events, "seed \(seed)")
            default:
                let events = try service.apply(input, at: now)
                #expect(try single.service.apply(input, at: now) == events, "seed \(seed)")
            }
        }
        #expect(changes > 5, "seed \(seed)")
        // Another process finds the store as a crash leaves it.
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        try service.copyStore(to: data)
        let survivor = try ServiceWriter(data, purpose: "test", clock: bench.clock)
        let recorded = try survivor.allEvents()
        #expect(try recorded == single.service.allEvents(), "seed \(seed)")
        _ = try survivor.replay(device: nil, since: nil) { _ in }
        let again = try survivor.replay(device: nil, since: nil) { _ in }
        #expect(again.new + again.retracted == 0 && again.unchanged > 10, "seed \(seed): \(again)")
        let check = try survivor.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
    }

    @Test(
        "A device's own value applies, else that of its groups, else that of the settings, in any order of edits, and the store is sound",
        arguments: Histories.seeds(1...3))
    func history(seed: UInt64) throws {
        let history = RecordedHistory(seed: seed + 4000, count: 220).keepingPositions
        var general = DeviceDefaults()
        var groups: [String: DeviceDefaults] = [:]
        var own: [String: Device] = [:]
        for (now, input) in history {
            bench.clock.set(now)
            switch input {
            case .defaults(let values, ""): general = values
            case .defaults(let values, let group): groups[group] = values
            case .saveDevice(let device): own[device.id] = device
            case .positions(_, _?): continue
            default: break
            }
            _ = try service.apply(input, at: now)
        }
        for device in try service.devices() {
            let said = try #require(own[device.id])
            let ofGroups = said.groups.sorted().compactMap { groups[$0] }
            let silence =
                said.own.silentAfter ?? ofGroups.compactMap(\.silentAfter).min() ?? general.silentAfter
                ?? Device.defaultSilentAfter
            let policy = said.own.policy ?? ofGroups.compactMap(\.policy).first ?? general.policy ?? PolicyOverride()
            #expect(device.silentAfter == silence && device.policy == policy, "seed \(seed), \(device.id)")
        }
        let check = try service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
    }
}
