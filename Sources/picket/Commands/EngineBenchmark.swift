import Foundation
import Geodesy
import Model
import Monitor
import Service

/// How many fixes the transition engine judges, on one core, with everything in memory.
struct EngineBenchmark {
    let invocation: Invocation
    let devices = 10_000
    /// Seconds that each measurement takes, at least.
    let patience: Double

    private static let seed: UInt64 = 5

    func run() {
        say("engine: \(Wording.number(devices)) devices in turn, seed \(Self.seed), one core")
        say("  \("geofences".padding(28))\("policy".padding(10))walking     driving teleporting  fixes/s")
        for count in [1000, 10_000, 100_000, 1_000_000] {
            let side = (Double(count) / 100_000).squareRoot()
            measure(.circles, count, side: side, "\(Wording.number(count)) circles")
        }
        measure(.polygons, 100_000, side: 1, "100,000 polygons")
        measure(.wide, 23_000, side: 10, "23,000 circles of 5 km")
    }

    private func measure(_ field: EngineWorkload.Field, _ count: Int, side: Double, _ name: String) {
        let entries = EngineWorkload.fences(field, count, side: side, seed: Self.seed)
        let start = ContinuousClock.now
        let set = FenceSet(revision: 1, entries)
        let build = (ContinuousClock.now - start).seconds
        for policy in [DecisionPolicy.Name.exact, .balanced] {
            var rates: [Double] = []
            for motion in EngineWorkload.Motion.allCases {
                rates.append(rate(set, motion, policy, side: side))
            }
            let text = rates.map { Wording.number(Int($0)).leading(11) }.joined(separator: " ")
            say("  \(name.padding(28))\(policy.rawValue.padding(10))\(text)")
        }
        say("    built in \(Wording.decimal(build, 3)) s")
    }

    /// Fixes a second.
    private func rate(_ set: FenceSet, _ motion: EngineWorkload.Motion, _ policy: DecisionPolicy.Name, side: Double) -> Double {
        var workload = EngineWorkload(side: side, devices: devices, motion, seed: Self.seed)
        let engine = TransitionEngine(fences: set)
        var states = (0..<devices).map { DeviceState(device: Device(id: "device-\($0)"), policy: policy.policy) }
        var fixes: [Fix] = []
        var transitions: [Transition] = []
        var seconds = 0.0
        var judged = 0
        var told = 0
        // The first rounds find every device inside of something for the first time.
        var warming = 5
        while seconds < patience {
            workload.fixes(seconds: 10, into: &fixes)
            let start = ContinuousClock.now
            var device = 0
            for fix in fixes {
                engine.observe(fix, &states[device], &transitions)
                if !transitions.isEmpty {
                    states[device].dropChanges()
                    told += transitions.count
                    transitions.removeAll(keepingCapacity: true)
                }
                device = device + 1 == devices ? 0 : device + 1
            }
            if warming > 0 {
                warming -= 1
                continue
            }
            seconds += (ContinuousClock.now - start).seconds
            judged += fixes.count
        }
        return Double(judged) / seconds
    }

    private func say(_ text: String) {
        if !invocation.isJSON { invocation.output.print(text) }
        invocation.output.flush()
    }
}
