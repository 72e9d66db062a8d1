import Foundation
import Model
import ToolSupport

/// The benchmarks, which `picket bench` runs.
@main
enum PicketBench {
    static func main() {
        let environment = ProcessInfo.processInfo.environment
        let output = Output(descriptor: STDOUT_FILENO, environment: environment)
        let status = run(Array(CommandLine.arguments.dropFirst()), environment, output)
        output.flush()
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String], _ environment: [String: String], _ output: Output) -> ExitStatus {
        let command = Command.bench(run: measure)
        do throws(Problem) {
            let invocation = try Invocation(command, arguments, environment: environment, output: output)
            if invocation.has("--help") {
                command.printHelp(to: output)
                return .done
            }
            return try command.run(invocation)
        } catch {
            output.flush()
            ProblemPrinter(arguments, environment).print(error)
            return ExitStatus(error)
        }
    }

    @Sendable private static func measure(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let part = invocation.words.first
        guard ["feed", "startup", "reconcile", "engine", "service", "sinks", "blocked", nil].contains(part) else {
            throw .usage(
                reason: Phrase(
                    "There is no benchmark '\(part ?? "")'; there are feed, startup, reconcile, engine, service and sinks"),
                help: "picket bench --help")
        }
        let folder = invocation.value("--keep") ?? NSTemporaryDirectory() + "picket-bench-\(getpid())"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .fileFailed(path: folder, reason: .verbatim(error.localizedDescription))
        }
        // An error is ignored here: a leftover temporary folder changes no result, and the system removes it later.
        defer { if !invocation.has("--keep") { try? FileManager.default.removeItem(atPath: folder) } }
        #if DEBUG
            Output(descriptor: STDERR_FILENO, environment: invocation.environment).print(
                "This is a debug build: its figures mean nothing. Build with 'swift build -c release'.")
        #endif
        let bench = Benchmark(folder: folder, invocation: invocation)
        let isDense = invocation.has("--dense")
        let fixes = try invocation.integer("--fixes", in: 1000...1_000_000_000) ?? (isDense ? 2_000_000 : 1_000_000)
        let geofences = try invocation.integer("--geofences", in: 1...1_000_000) ?? (isDense ? 100_000 : 10_000)
        if isDense {
            try dense(bench, fixes: fixes, geofences: geofences, invocation)
            return .done
        }
        if part == "feed" || part == nil { try bench.feed(fixes: fixes, geofences: geofences) }
        if part == "startup" || part == nil { try bench.startup(geofences: 100_000) }
        if part == "reconcile" || part == nil { ReconcileBenchmark(bench: bench).run() }
        if part == "engine" || part == nil {
            let engine = EngineBenchmark(bench: bench, minimumSeconds: invocation.has("--short") ? 0.1 : 1)
            if let motion = invocation.value("--workload") {
                guard let motion = EngineWorkload.Motion(rawValue: motion) else {
                    throw .usage(
                        reason: Phrase("There is no workload '\(motion)'; there are walking, driving and teleporting"),
                        help: "picket bench --help")
                }
                engine.runFixedWorkload(motion)
            } else {
                engine.run()
            }
        }
        if part == "service" || part == nil {
            try ServiceBenchmark(bench: bench, isShort: invocation.has("--short")).run(
                fixes: fixes, requests: try invocation.integer("--requests", in: 1000...1_000_000_000) ?? 300_000,
                geofences: geofences)
        }
        if part == "sinks" || part == nil {
            try SinkBenchmark(bench: bench, isShort: invocation.has("--short"), broker: invocation.value("--broker")).run(
                events: try invocation.integer("--events", in: 1000...100_000_000) ?? 1_000_000)
        }
        if part == "blocked" || part == nil {
            try BlockedBenchmark(
                bench: bench, isShort: invocation.has("--short"),
                fixes: invocation.value("--fixes") == nil ? nil : fixes,
                events: try invocation.integer("--events", in: 1000...100_000_000) ?? 288_000,
                chosen: invocation.all("--scenario")
            ).run()
        }
        return .done
    }

    private static func dense(_ bench: Benchmark, fixes: Int, geofences: Int, _ invocation: Invocation) throws(Problem) {
        guard invocation.words.first == "service" else {
            throw .usage(
                reason: Phrase("--dense can be used only with the benchmark of the service"), help: "picket bench service --dense"
            )
        }
        guard geofences >= 100 else {
            throw .validationFailed(
                field: "--geofences", value: String(geofences), reason: Phrase("some of them are being edited"),
                expected: .atLeast(100))
        }
        let devices = try invocation.integer("--devices", in: 50...1_000_000) ?? 10_000
        try DenseBenchmark(
            bench: bench, isShort: invocation.has("--short"), geofences: geofences, devices: devices, fixes: fixes
        ).run()
    }
}
