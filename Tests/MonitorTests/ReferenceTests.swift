import Model
import TestSupport
import Testing

@testable import Monitor

/// The compared values of a transition as text, for failure messages.
func describe(_ transition: Transition) -> String {
    func second(_ instant: Instant) -> String { "\(JSONValue(instant - Scene.start))" }
    let visit = transition.visit.map { " since \(second($0.enteredAt)) \($0.cause)\($0.hasDwelt ? " dwelt" : "")" } ?? ""
    return
        "\(transition.type) \(transition.fence.map { "\($0.value)" } ?? "-") \(second(transition.occurredAt)) sure "
        + "\(second(transition.confirmedAt)) crossed \(transition.crossedAt.map(second) ?? "-") \(transition.cause)"
        + "\(transition.inferred ? " inferred" : "") by \(second(transition.fix.time))\(visit)"
}

/// Whether two transitions are equal. Moments that are computed from a straight path may differ by a millisecond.
func agree(_ a: Transition, _ b: Transition) -> Bool {
    func near(_ a: Instant?, _ b: Instant?) -> Bool {
        guard let a, let b else { return a == b }
        return abs(a.milliseconds - b.milliseconds) <= 1
    }
    guard near(a.crossedAt, b.crossedAt), near(a.visit?.enteredAt, b.visit?.enteredAt), near(a.occurredAt, b.occurredAt) else {
        return false
    }
    var b = b
    b.crossedAt = a.crossedAt
    if a.inferred, a.crossedAt != nil {
        b.occurredAt = a.occurredAt
        if let enteredAt = a.visit?.enteredAt { b.visit?.enteredAt = enteredAt }
    }
    return a == b
}

/// The first difference between two lists of transitions; nil when they agree.
func difference(_ found: [Transition], _ expected: [Transition]) -> String? {
    let same = zip(found, expected).prefix { agree($0, $1) }.count
    if same == found.count, same == expected.count { return nil }
    func around(_ list: [Transition]) -> String {
        list[min(same, list.count)..<min(same + 3, list.count)].map(describe(_:)).joined(separator: "\n    ")
    }
    return "after \(same) that agree, of \(found.count) and \(expected.count):\n  found\n    \(around(found))\n  expected\n    "
        + around(expected)
}

@Suite("The reference engine")
struct ReferenceTests {
    @Test("The reference engine gives the transitions of the real engine, event by event", arguments: Histories.seeds(1...150))
    func engine(seed: UInt64) throws {
        try compare(Wandering(seed: seed), seed)
    }

    @Test(
        "The reference engine gives the transitions of the real engine among circles for all devices",
        arguments: Histories.seeds(1...60))
    func plain(seed: UInt64) throws {
        try compare(Wandering(seed: seed &+ 1_000_000, plain: true), seed &+ 1_000_000)
    }

    private func compare(_ wandering: Wandering, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed &* 31)
        let engine = TransitionEngine(fences: FenceSet(revision: 1, wandering.entries))
        var state = DeviceState(device: wandering.device, policy: wandering.policy)
        var found: [Transition] = []
        var reference = try ReferenceEngine(wandering.entries, device: wandering.device, policy: wandering.policy)
        var last = Scene.start
        for (number, fix) in wandering.fixes.enumerated() {
            if Int.random(in: 0..<20, using: &random) == 0, fix.time - last > 2 {
                // A sign of life between two fixes.
                let moment = last + ((fix.time - last) * Double.random(in: 0...1, using: &random)).rounded(.down)
                engine.recordSignOfLife(at: moment, &state, into: &found)
                reference.heard(at: moment)
            }
            last = fix.time
            engine.observe(fix, &state, into: &found)
            reference.observe(fix)
            guard let difference = difference(found, reference.emitted) else { continue }
            let fences = Set(
                (found + reference.emitted).suffix(6).compactMap(\.fence).compactMap { engine.fences.geofence($0) })
            Issue.record(
                """
                seed \(seed), fix \(number) at \(JSONValue(fix.time - Scene.start)), home \(wandering.home): \(difference)
                \(wandering.fixes[max(0, number - 4)...number].map { "\(JSONValue($0.time - Scene.start)) \($0.coordinate) ±\($0.accuracy ?? -1)" }.joined(separator: "\n"))
                \(state.policy)
                \(fences.map { "\($0)" }.joined(separator: "\n"))
                """)
            return
        }
    }
}
