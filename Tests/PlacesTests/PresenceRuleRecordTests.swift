import Model
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
            PicketStore.RuleAssignment(rule: a, device: device, since: moment, evaluatedUpTo: moment), in: Transaction())
        #expect(try store.hasAssignments(a) && !store.hasAssignments(b))
        try store.remove(a, in: Transaction())
        #expect(try store.presenceRules().map(\.key) == [b])
        #expect(try !store.hasAssignments(a) && store.ruleAssignments().isEmpty)
        #expect(try store.savePresenceRule(rule("a"), in: Transaction()) != a, "a number is never used again")
    }

    @Test("The devices of rules are found by rule, by device and by both", arguments: 1...20 as ClosedRange<UInt64>)
    func devices(seed: UInt64) throws {
        struct Pair: Hashable {
            var rule: RuleKey
            var device: DeviceKey
        }
        var random = SeededRandom(seed: seed)
        let rules = try ["a", "b", "c"].map { try store.savePresenceRule(rule($0), in: Transaction()) }
        let devices = try ["x", "y"].map { try store.saveDevice(Device(id: $0), in: Transaction()) }
        var expected: [Pair: Instant] = [:]
        for number in 0..<60 {
            let pair = Pair(
                rule: try #require(rules.randomElement(using: &random)),
                device: try #require(devices.randomElement(using: &random)))
            if Int.random(in: 0..<3, using: &random) == 0 {
                try store.remove(pair.rule, of: pair.device, in: Transaction())
                expected[pair] = nil
            } else {
                let evaluatedUpTo = Instant(milliseconds: Int64(number))
                try store.saveRuleAssignment(
                    PicketStore.RuleAssignment(
                        rule: pair.rule, device: pair.device, since: .earliest, evaluatedUpTo: evaluatedUpTo), in: Transaction())
                expected[pair] = evaluatedUpTo
            }
            for rule in [nil, pair.rule] {
                for device in [nil, pair.device] {
                    let found = try store.ruleAssignments(of: rule, device: device)
                    let byPair = Dictionary(
                        uniqueKeysWithValues: found.map { (Pair(rule: $0.rule, device: $0.device), $0.evaluatedUpTo) })
                    let wanted = expected.filter {
                        (rule ?? $0.key.rule) == $0.key.rule && (device ?? $0.key.device) == $0.key.device
                    }
                    #expect(byPair == wanted, "seed \(seed), step \(number)")
                }
            }
        }
    }
}
