import Foundation
import Model
import Monitor

/// Devices on their way among geofences, judged by an engine of their own.
struct EngineRun {
    private var workload: EngineWorkload
    private let engine: TransitionEngine
    private var states: [DeviceState]
    private var fixes: [Fix] = []
    private var next = 0
    private var device = 0
    private var transitions: [Transition] = []

    init(
        _ set: FenceSet, _ motion: EngineWorkload.Motion, _ policy: DecisionPolicy.Name, side: Double, devices: Int,
        seed: UInt64
    ) {
        workload = EngineWorkload(side: side, devices: devices, motion, seed: seed)
        engine = TransitionEngine(fences: set)
        states = (0..<devices).map { DeviceState(device: Device(id: "device-\($0)"), policy: policy.policy) }
    }

    /// Fixes that are judged in a second, measured for so many seconds of the processor.
    ///
    /// The first minute of every device is not counted: it finds out where it is.
    mutating func rate(_ patience: Double) -> Double {
        var seconds = 0.0
        var judged = 0
        var warming = 6
        while seconds < patience {
            prepare()
            let start = Self.processorSeconds()
            judge(fixes.count)
            let taken = Self.processorSeconds() - start
            if warming > 0 {
                warming -= 1
                continue
            }
            seconds += taken
            judged += fixes.count
        }
        return Double(judged) / seconds
    }

    private mutating func prepare() {
        workload.fixes(seconds: 10, into: &fixes)
        next = 0
    }

    /// Judges so many fixes; new ones are made when there are no more.
    mutating func judge(_ count: Int) {
        var left = count
        while left > 0 {
            if next == fixes.count { prepare() }
            let end = min(fixes.count, next + left)
            left -= end - next
            judge(to: end)
        }
    }

    /// What is measured, and what an instruction counter counts.
    @inline(never)
    private mutating func judge(to end: Int) {
        // Taken out of `self`, so that no reference is counted for each fix.
        let engine = engine
        let fixes = fixes
        var (next, device) = (next, device)
        states.withUnsafeMutableBufferPointer { states in
            while next < end {
                engine.observe(fixes[next], &states[device], &transitions)
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

    /// Processor time of this thread.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
