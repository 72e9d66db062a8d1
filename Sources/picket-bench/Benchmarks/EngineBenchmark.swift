import Core
import Foundation
import Model
import Monitor
import Synchronization
import ToolSupport

/// Measures how many fixes a second the transition engine evaluates on one core, with everything in memory.
struct EngineBenchmark {
    let bench: Benchmark
    /// The minimum processor time of each measurement, in seconds.
    let minimumSeconds: Double

    private static let devices = 10_000
    private static let seed: UInt64 = 5

    /// Geofences of one kind, spread over a square area.
    private struct FenceField {
        var kind: EngineWorkload.FenceKind
        var count: Int
        /// Degrees along each side of the square.
        var side: Double
        var name: String
    }

    private static let fields: [FenceField] =
        [1000, 10_000, 100_000, 1_000_000].map {
            FenceField(kind: .circles, count: $0, side: (Double($0) / 100_000).squareRoot(), name: "\(Format.number($0)) circles")
        } + [
            FenceField(kind: .polygons, count: 100_000, side: 1, name: "100,000 polygons"),
            FenceField(kind: .wide, count: 23_000, side: 10, name: "23,000 circles of 5 km"),
        ]

    func run() {
        bench.printText("engine: \(Format.number(Self.devices)) devices in turn, seed \(Self.seed), one core, processor time")
        bench.printText("  \("geofences".padding(24))\("policy".padding(10))    walking     driving teleporting   fixes/s")
        for field in Self.fields { measure(field) }
        measureDistance()
        measureEdits()
        measureCores()
        measureMemory()
        bench.printText("  a device takes \(DeviceState.bytes) bytes")
        printResult([("part", "device"), ("bytes", JSONValue(DeviceState.bytes))])
    }

    /// Evaluates 100,000 fixes of 1,000 devices among 10,000 circles, under the policies `exact` and `balanced`. The work is the same on
    /// every run, so that its instructions can be counted.
    func runFixedWorkload(_ motion: EngineWorkload.Motion) {
        let (set, _) = build(Self.fields[1])
        for policy in [DecisionPolicy.Name.exact, .balanced] {
            var course = EngineRun(set, motion: motion, policy: policy, side: Self.fields[1].side, devices: 1000, seed: Self.seed)
            course.evaluateFixes(100_000)
            bench.printText("\(policy.rawValue): 100,000 \(motion.rawValue) fixes evaluated")
        }
    }

    private func measure(_ field: FenceField) {
        let (set, seconds) = build(field)
        for policy in [DecisionPolicy.Name.exact, .balanced] {
            var text = "  \(field.name.padding(24))\(policy.rawValue.padding(10))"
            for motion in EngineWorkload.Motion.allCases {
                var course = EngineRun(
                    set, motion: motion, policy: policy, side: field.side, devices: Self.devices, seed: Self.seed)
                let rate = course.measureFixesPerSecond(minimumSeconds)
                text += Format.number(Int(rate)).leading(11) + " "
                printResult([
                    ("part", "engine"), ("geofences", .string(field.name)), ("policy", .string(policy.rawValue)),
                    ("motion", .string(motion.rawValue)), ("fixesPerSecond", JSONValue(rate.rounded())),
                ])
            }
            bench.printText(text)
        }
        let bytes = set.bytes / field.count
        bench.printText("    \(bytes) bytes a fence (names apart), built in \(Format.decimal(seconds, 3)) s")
        printResult([
            ("part", "fences"), ("geofences", .string(field.name)), ("bytes", JSONValue(bytes)),
            ("buildSeconds", JSONValue((seconds * 10_000).rounded() / 10_000)),
        ])
    }

    private func build(_ field: FenceField) -> (FenceSet, Double) {
        let entries = EngineWorkload.fences(field.kind, field.count, side: field.side, seed: Self.seed)
        func timed() -> (FenceSet, Double) {
            let start = EngineRun.processorSeconds()
            let set = FenceSet(revision: 1, entries)
            return (set, EngineRun.processorSeconds() - start)
        }
        // The fastest of three builds: the first has to wait for the system to provide memory.
        var best = timed()
        for _ in 1..<3 {
            let again = timed()
            if again.1 < best.1 { best = again }
        }
        return best
    }

    // MARK: - The curve

    /// Measures the cost of a fix when the devices stay within a hundredth of a square degree and ever more geofences are elsewhere.
    private func measureDistance() {
        bench.printText("  the same devices among 1,000 circles, and more and more circles further away (exact, driving)")
        for field in Self.fields.prefix(4) {
            let (set, _) = build(field)
            var course = EngineRun(set, motion: .driving, policy: .exact, side: 0.1, devices: Self.devices, seed: Self.seed)
            let rate = course.measureFixesPerSecond(minimumSeconds)
            bench.printText("    \(field.name.padding(24))\(Format.decimal(1e9 / rate, 0).leading(6)) ns a fix")
            printResult([
                ("part", "far"), ("geofences", .string(field.name)), ("nanoseconds", JSONValue((1e10 / rate).rounded() / 10)),
            ])
        }
    }

    // MARK: - Edits

    /// Measures 1,000 inserts and 1,000 removals of geofences between the fixes of a stream.
    private func measureEdits() {
        let field = Self.fields[2]
        let (set, _) = build(field)
        let spare = EngineWorkload.fences(.circles, 1000, side: field.side, seed: Self.seed + 1).map {
            FenceSet.KeyedGeofence(key: FenceKey($0.key.value + Int32(field.count)), geofence: $0.geofence)
        }
        var course = EngineRun(set, motion: .walking, policy: .exact, side: field.side, devices: Self.devices, seed: Self.seed)
        _ = course.measureFixesPerSecond(minimumSeconds / 4)
        var editing = 0.0
        var evaluating = 0.0
        for entry in spare {
            var start = EngineRun.processorSeconds()
            set.upsert(entry)
            editing += EngineRun.processorSeconds() - start
            start = EngineRun.processorSeconds()
            course.evaluateFixes(1000)
            evaluating += EngineRun.processorSeconds() - start
            start = EngineRun.processorSeconds()
            set.remove(entry.key)
            editing += EngineRun.processorSeconds() - start
        }
        let microseconds = editing / 2000 * 1e6
        let rate = 1_000_000 / evaluating
        bench.printText(
            "  1,000 inserts and 1,000 removes among 100,000 circles: \(Format.decimal(microseconds, 2)) µs each, "
                + "\(Format.number(Int(rate))) fixes/s of walkers between them")
        printResult([
            ("part", "edits"), ("microseconds", JSONValue((microseconds * 100).rounded() / 100)),
            ("fixesPerSecond", JSONValue(rate.rounded())),
        ])
    }

    // MARK: - Cores

    /// Measures one engine per core. The engines have their own devices and share one set of fences.
    private func measureCores() {
        let field = Self.fields[2]
        // `nonisolated(unsafe)` is safe: the threads only read the set, and nothing changes it before they have ended. `done` waits for
        // them.
        let built = build(field).0
        nonisolated(unsafe) let set = built
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let rates = Mutex<[Double]>([])
        let patience = minimumSeconds
        var threads: [Thread] = []
        let done = DispatchSemaphore(value: 0)
        for core in 0..<cores {
            let thread = Thread {
                var course = EngineRun(
                    set, motion: .walking, policy: .exact, side: field.side, devices: Self.devices / cores,
                    seed: Self.seed + UInt64(core))
                let rate = course.measureFixesPerSecond(patience)
                rates.withLock { $0.append(rate) }
                done.signal()
            }
            thread.stackSize = 8 << 20
            threads.append(thread)
            thread.start()
        }
        for _ in threads { done.wait() }
        let sum = rates.withLock { $0.reduce(0, +) }
        bench.printText(
            "  \(cores) engines, one a core, over 100,000 circles: \(Format.number(Int(sum))) walking fixes/s together")
        printResult([("part", "cores"), ("cores", JSONValue(cores)), ("fixesPerSecond", JSONValue(sum.rounded()))])
    }

    // MARK: - What memory allows

    /// Measures how fast this machine reads memory, sequentially and at random, and prints how many bytes a fix touches for comparison.
    private func measureMemory() {
        let count = 32 << 20
        var random = SplitMix64(state: Self.seed)
        let words = (0..<count).map { _ in UInt32(random.unit() * Double(count)) }
        var sum: UInt32 = 0
        var start = EngineRun.processorSeconds()
        for word in words { sum &+= word }
        let inRow = Double(count * 4) / (EngineRun.processorSeconds() - start)
        // Each word holds the index of the next, so that no read can begin before the one before it has ended.
        var place = sum & 1
        let jumps: UInt32 = 1_000_000
        start = EngineRun.processorSeconds()
        for jump in 0..<jumps { place = words[Int((place ^ jump) & UInt32(count - 1))] }
        let atRandom = (EngineRun.processorSeconds() - start) / Double(jumps) * 1e9
        // The bytes of a fix, and three cache lines of the device's state: what a fix without a transition reads and writes.
        let touched = MemoryLayout<Fix>.size + 3 * 64
        let limit = inRow / Double(touched)
        bench.printText(
            "  memory: \(Format.decimal(inRow / 1e9, 1)) GB/s in a row, \(Format.decimal(atRandom, 0)) ns at random (\(place & 1)); a quiet "
                + "fix touches \(touched) bytes, so that \(Format.number(Int(limit))) fixes/s are the most that memory allows")
        printResult([
            ("part", "memory"), ("bytesPerSecond", JSONValue(inRow.rounded())),
            ("randomNanoseconds", JSONValue(atRandom.rounded())), ("bytesTouched", JSONValue(touched)),
            ("mostFixesPerSecond", JSONValue(limit.rounded())),
        ])
    }

    // MARK: - Telling

    private func printResult(_ members: [(String, JSONValue?)]) { bench.printResult("engine", members: members) }
}
