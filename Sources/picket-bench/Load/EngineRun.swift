import Foundation
import Model
import Monitor

/// Devices that move among geofences, and an engine that evaluates their fixes.
struct EngineRun {
    private var workload: EngineWorkload
    private let engine: TransitionEngine
    private var states: [DeviceState]
    private var fixes: [Fix] = []
    private var next = 0
    private var device = 0
    private var transitions: [Transition] = []

    init(
        _ set: FenceSet, motion: EngineWorkload.Motion, policy: DecisionPolicy.Name, side: Double, devices: Int,
        seed: UInt64
    ) {
        workload = EngineWorkload(side: side, devices: devices, motion, seed: seed)
        engine = TransitionEngine(fences: set)
        states = (0..<devices).map { DeviceState(device: Device(id: "device-\($0)"), policy: policy.policy) }
    }

    /// Measures how many fixes a second are evaluated, for at least `patience` seconds of processor time.
    ///
    /// The first minute of fixes is not counted, because the first fix of each device has to establish its state.
    mutating func measureFixesPerSecond(_ patience: Double) -> Double {
        var seconds = 0.0
        var evaluated = 0
        var warming = 6
        while seconds < patience {
            generateFixes()
            let start = Self.processorSeconds()
            evaluateFixes(fixes.count)
            let taken = Self.processorSeconds() - start
            if warming > 0 {
                warming -= 1
                continue
            }
            seconds += taken
            evaluated += fixes.count
        }
        return Double(evaluated) / seconds
    }

    private mutating func generateFixes() {
        workload.fixes(seconds: 10, into: &fixes)
        next = 0
    }

    /// Evaluates `count` fixes, and generates new ones when there are none left.
    mutating func evaluateFixes(_ count: Int) {
        var left = count
        while left > 0 {
            if next == fixes.count { generateFixes() }
            let end = min(fixes.count, next + left)
            left -= end - next
            evaluateFixes(to: end)
        }
    }

    /// The measured part. It is a separate function, so that a counter of instructions can be limited to it.
    @inline(never)
    private mutating func evaluateFixes(to end: Int) {
        // Local copies avoid reference counting for each fix.
        let engine = engine
        let fixes = fixes
        var (next, device) = (next, device)
        states.withUnsafeMutableBufferPointer { states in
            while next < end {
                engine.observe(fixes[next], &states[device], into: &transitions)
                if !transitions.isEmpty {
                    states[device].dropChanges()
                    transitions.removeAll(keepingCapacity: true)
                }
                next += 1
                device = device + 1 == states.count ? 0 : device + 1
            }
        }
        (self.next, self.device) = (next, device)
    }

    /// Processor time of the calling thread in seconds.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
