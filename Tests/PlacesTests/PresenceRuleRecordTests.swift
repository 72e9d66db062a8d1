import Model
import SQLite
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Store

@Suite("Presence rule records")
struct PresenceRuleRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private func rule(_ id: String, by time: String = "08:00") throws -> PresenceRule {
        try PresenceRule(
            json: .compact([
                ("geofenceId", "school"), ("kind", "entersBy"), ("by", .string(time)), ("from", "00:00"), ("deviceId", "a"),
            ]), id: id,
            now: Instant(milliseconds: 0))
    }

    @Test("A changed rule keeps its key, and a removed rule holds for no device")
    func rules() throws {
        let (a, b) = (
            try store.savePresenceRule(rule("a"), in: Transaction()), try store.savePresenceRule(rule("b"), in: Transaction())
        )
        #expect(a != b)
        #expect(try store.savePresenceRule(rule("a", by: "09:00"), in: Transaction()) == a)
        #expect(try store.presenceRules().map(\.rule) == [rule("a", by: "09:00"), rule("b")])
        let device = try store.saveDevice(Device(id: "a"), in: Transaction())
        let moment = Instant(milliseconds: 1000)
        try store.saveRuleAssignment(
            PicketStore.RuleAssignment(rule: a, device: device, fence: FenceKey(1), since: moment, evaluatedUpTo: moment),
            in: Transaction())
        #expect(try store.hasAssignments(a) && !store.hasAssignments(b))
        try store.remove(a, in: Transaction())
        #expect(try store.presenceRules().map(\.key) == [b])
        #expect(try !store.hasAssignments(a) && store.ruleAssignments().isEmpty)
        #expect(try store.savePresenceRule(rule("a"), in: Transaction()) != a, "a number is never used again")
    }

    @Test("The devices and geofences of rules are found by rule, by device and by both", arguments: 1...20 as ClosedRange<UInt64>)
    func devices(seed: UInt64) throws {
        struct Target: Hashable {
            var rule: RuleKey
            var device: DeviceKey
            var fence: FenceKey
        }
        var random = SeededRandom(seed: seed)
        let rules = try ["a", "b", "c"].map { try store.savePresenceRule(rule($0), in: Transaction()) }
        let devices = try ["x", "y"].map { try store.saveDevice(Device(id: $0), in: Transaction()) }
        var expected: [Target: Instant] = [:]
        for number in 0..<60 {
            let target = Target(
                rule: try #require(rules.randomElement(using: &random)),
                device: try #require(devices.randomElement(using: &random)), fence: FenceKey(.random(in: 1...2, using: &random)))
            let assignment = PicketStore.RuleAssignment(
                rule: target.rule, device: target.device, fence: target.fence, since: .earliest,
                evaluatedUpTo: Instant(milliseconds: Int64(number)))
            if Int.random(in: 0..<3, using: &random) == 0 {
                try store.remove(assignment, in: Transaction())
                expected[target] = nil
            } else {
                try store.saveRuleAssignment(assignment, in: Transaction())
                expected[target] = assignment.evaluatedUpTo
            }
            for rule in [nil, target.rule] {
                for device in [nil, target.device] {
                    let found = try store.ruleAssignments(of: rule, device: device)
                    let byTarget = Dictionary(
                        uniqueKeysWithValues: found.map {
                            (Target(rule: $0.rule, device: $0.device, fence: $0.fence), $0.evaluatedUpTo)
                        })
                    let wanted = expected.filter {
                        (rule ?? $0.key.rule) == $0.key.rule && (device ?? $0.key.device) == $0.key.device
                    }
                    #expect(byTarget == wanted, "seed \(seed), step \(number)")
                }
            }
        }
    }

    @Test("A rule of a store of the version before labels keeps its device, its geofence and how far it is evaluated")
    func olderStore() throws {
        let path = directory.path + "/older.sqlite"
        let old = try Connection(path: path, access: .write)
        try Migrations(Array(Schema.migrations.steps.prefix(2))).run(on: old)
        try old.execute(
            """
            INSERT INTO geofence (key, from_revision, to_revision, id, name, latitude, longitude, radius, active, priority, triggers)
                VALUES (3, 1, 2, 'school', 'School', 52.5, 13.4, 100, 1, 0, 7), (7, 3, NULL, 'school', 'School', 52.5, 13.4, 90, 1, 0, 7);
            INSERT INTO device (key, id, name, registry, auto_repair, silent_after) VALUES (5, 'a', 'A', 'none', 0, 21600);
            INSERT INTO presence_rule (key, id, config)
                VALUES (2, 'r', '{"deviceId":"a","geofenceId":"school","kind":"entersBy","by":"08:00"}');
            INSERT INTO presence_rule_device VALUES (2, 5, 1000, 2000);
            """)
        let store = try PicketStore(writing: path)
        let found = try #require(try store.ruleAssignments().first)
        #expect(found.rule.value == 2 && found.device.value == 5 && found.fence == FenceKey(7))
        #expect(found.since.milliseconds == 1000 && found.evaluatedUpTo.milliseconds == 2000)
        #expect(try store.geofence(id: "school")?.geofence.labels == [])
    }
}
