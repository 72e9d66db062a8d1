import Geodesy
import Geometry
import Model
import TestSupport
import Testing

@testable import Monitor

/// Random fences, and random walks among them.
struct History {
    var fences: [Geofence] = []
    var fixes: [Fix] = []

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let home = Coordinate(
            latitude: [52.5, 0, -16.5, 89.9, -89.95, 70].randomElement(using: &random)!,
            longitude: [13.4, 0, 179.99, -179.99, 100].randomElement(using: &random)!)
        for number in 0..<30 {
            let center = Geodesic.direct(
                home, azimuth: .random(in: 0...360, using: &random), distance: .random(in: 0...3000, using: &random))
            fences.append(
                Geofence(
                    id: "f\(number)", name: "f",
                    shape: .circle(Circle(center: center, radius: .random(in: 20...1500, using: &random))),
                    dwell: Bool.random(using: &random) ? Double.random(in: 10...900, using: &random).rounded() : nil))
        }
        var place = home
        var time = Scene.start
        var course = 0.0
        for _ in 0..<600 {
            let wait = [0.5, 1, 5, 30, 300].randomElement(using: &random)!
            course += Double.random(in: -60...60, using: &random)
            place = Geodesic.direct(place, azimuth: course, distance: min(2000, wait * .random(in: 0...30, using: &random)))
            if Geodesic.distance(place, home) > 4000 { place = home }
            let accuracy: Double? = [nil, 5.0, 20, 60, 400, 17_000].randomElement(using: &random)!
            let noise = Geodesic.direct(
                place, azimuth: .random(in: 0...360, using: &random), distance: abs(random.normal()) * min(accuracy ?? 0, 500))
            time = time + wait
            fixes.append(Fix(time: time, coordinate: noise, accuracy: accuracy))
        }
    }
}

@Suite("Random histories")
struct HistoryTests {
    private static let policies: [DecisionPolicy] = [.exact, .balanced, .phone]

    @Test(
        "Policy exact gives the transitions that geodesic distances give, fence by fence and fix by fix",
        arguments: Histories.seeds(1...40))
    func bruteForce(seed: UInt64) {
        let history = History(seed: seed)
        let engine = TransitionEngine(fences: Scene.set(history.fences))
        var state = DeviceState(device: Device(id: "d"), policy: .exact)
        var reported: [Transition] = []
        for fix in history.fixes { engine.observe(fix, &state, into: &reported) }
        let found = reported.filter { $0.type != .dwell }.map {
            "\($0.type) \($0.fence?.value ?? 0) \($0.occurredAt) \($0.cause)"
        }

        var expected: [String] = []
        var inside: Set<Int> = []
        for (number, fix) in history.fixes.enumerated() {
            var exits: [(String, String)] = []
            var enters: [(String, String)] = []
            for (index, fence) in history.fences.enumerated() {
                guard case .circle(let circle) = fence.shape else { continue }
                let isInside = Geodesic.distance(circle.center, fix.coordinate) <= circle.radius
                if isInside && inside.insert(index).inserted {
                    enters.append((fence.id, "enter \(index + 1) \(fix.time) \(number == 0 ? "initial" : "moved")"))
                } else if !isInside && inside.remove(index) != nil {
                    exits.append((fence.id, "exit \(index + 1) \(fix.time) moved"))
                }
            }
            expected += exits.sorted { $0.0 < $1.0 }.map(\.1) + enters.sorted { $0.0 < $1.0 }.map(\.1)
        }
        #expect(found == expected, "seed \(seed)")
        #expect(found.count > 20, "a history in which nothing happens, seed \(seed)")
    }

    @Test(
        "Enter and exit alternate for each fence, with at most one dwell in between", arguments: Histories.seeds(1...40),
        policies)
    func alternation(seed: UInt64, policy: DecisionPolicy) {
        let history = History(seed: seed)
        let engine = TransitionEngine(fences: Scene.set(history.fences))
        var state = DeviceState(device: Device(id: "d"), policy: policy)
        var reported: [Transition] = []
        for fix in history.fixes { engine.observe(fix, &state, into: &reported) }
        var visits: [FenceKey: (enteredAt: Instant, dwelt: Bool)] = [:]
        for transition in reported {
            guard let fence = transition.fence else { continue }
            let visit = visits[fence]
            switch transition.type {
            case .enter:
                #expect(visit == nil, "enter twice, seed \(seed)")
                visits[fence] = (transition.occurredAt, false)
            case .exit:
                #expect(visit != nil, "exit without enter, seed \(seed)")
                #expect(visit?.enteredAt == transition.visit?.enteredAt, "seed \(seed)")
                #expect(transition.occurredAt >= transition.visit?.enteredAt ?? .latest, "seed \(seed)")
                visits[fence] = nil
            default:
                #expect(visit?.dwelt == false, "dwell twice or outside, seed \(seed)")
                visits[fence]?.dwelt = true
            }
        }
        let open = Set(state.fenceStates.filter { $0.visit != nil }.map(\.fence))
        #expect(open == Set(visits.keys), "seed \(seed)")
    }

    @Test(
        "An engine that resumes from stored states gives the transitions of an engine that never stopped",
        arguments: Histories.seeds(1...20), policies)
    func resumed(seed: UInt64, policy: DecisionPolicy) {
        let history = History(seed: seed)
        let set = Scene.set(history.fences)
        var random = SeededRandom(seed: seed &* 77)
        let whole = TransitionEngine(fences: set)
        var engine = TransitionEngine(fences: set)
        var state = DeviceState(device: Device(id: "d"), policy: policy)
        var stopped = state
        var reported: [Transition] = []
        var reportedStopped: [Transition] = []
        for fix in history.fixes {
            whole.observe(fix, &state, into: &reported)
            engine.observe(fix, &stopped, into: &reportedStopped)
            if Int.random(in: 0..<10, using: &random) == 0 {
                engine = TransitionEngine(fences: set)
                stopped = stopped.reloaded(policy, presences: stopped.fenceStates.shuffled(using: &random))
            }
        }
        #expect(reported.count == reportedStopped.count && zip(reported, reportedStopped).allSatisfy { $0 == $1 }, "seed \(seed)")
    }

    @Test("The changes of a device state name every fence state that changed", arguments: 1...10 as ClosedRange<UInt64>)
    func changes(seed: UInt64) {
        let history = History(seed: seed)
        let engine = TransitionEngine(fences: Scene.set(history.fences))
        var state = DeviceState(device: Device(id: "d"), policy: .balanced)
        var stored: [FenceKey: FenceState] = [:]
        var reported: [Transition] = []
        for fix in history.fixes {
            engine.observe(fix, &state, into: &reported)
            for fence in state.takeChanges() { stored[fence] = state.fenceState(of: fence) }
            #expect(stored == Dictionary(uniqueKeysWithValues: state.fenceStates.map { ($0.fence, $0) }), "seed \(seed)")
        }
    }
}
