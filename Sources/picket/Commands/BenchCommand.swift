import Foundation
import Geodesy
import Model
import Service

/// `picket bench`: measures speed and memory on this machine, with the workloads whose results the README quotes.
enum BenchCommand {
    static let command = Command(
        name: "bench", summary: "Measure speed and memory on this machine.",
        arguments: "[feed|startup|reconcile|engine|service|sinks]",
        count: 0...1,
        choices: ["feed", "startup", "reconcile", "engine", "service", "sinks"],
        options: [
            Option("--fixes", "N", "Rows of the feed, and fixes in batches to the service (1000000; with --dense 2000000)"),
            Option("--geofences", "N", "Circles of the feed and the service (10000; with --dense 100000)"),
            Option("--requests", "N", "Single positions to the service (300000)"),
            Option("--dense", "Of the service: positions of moving devices among circles that all lie in one square degree"),
            Option("--devices", "N", "Of the service with --dense: devices (10000)"),
            Option("--events", "N", "Events that wait for a sink (1000000)"),
            Option("--broker", "URL", "Of the sinks: an MQTT broker to publish at, too, as mqtt://127.0.0.1:1883"),
            Option(
                "--workload", "MOTION",
                "Of the engine only this, always the same: walking, driving or teleporting, for a counter of instructions"),
            Option("--short", "A tenth of the load of service, sinks and engine, to see that it works"),
            Option("--keep", "DIR", "Work in this directory, and leave what was made there"),
        ],
        discussion: """
            feed: a CSV of N rows of 1,000 devices that drive, interleaved, against circles of 100 to 500 m, stored with a synced
            commit every 20,000 rows. startup: commands over a store of 100,000 geofences. Both are the program itself, run as you
            would run it. reconcile: plans and health of phones among 100,000 geofences, in memory. engine: the
            transition engine alone, one core, by motion, policy and number of geofences. service: 'picket serve' over
            real sockets: positions in batches and one by one, live streams, memory; processor time is the service's alone. service
            --dense: 15 in 100 positions cross a boundary, sent in batches and one by one with both durabilities, each time to a new
            store; then how long a position waits while devices and geofences are edited. sinks: webhooks of a backlog (and messages to a broker), and from a position to the webhook of its event.
            Build it with 'swift build -c release' first.
            """,
        examples: [
            "picket bench", "picket bench feed --fixes 200000 --json", "picket bench engine", "picket bench service --short",
            "picket bench service --dense --geofences 10000",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let part = invocation.words.first
        guard ["feed", "startup", "reconcile", "engine", "service", "sinks", nil].contains(part) else {
            throw .usage(
                reason: .noBenchmark(part ?? ""),
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
        let fixes = try invocation.whole("--fixes", in: 1000...1_000_000_000) ?? (isDense ? 2_000_000 : 1_000_000)
        let geofences = try invocation.whole("--geofences", in: 1...1_000_000) ?? (isDense ? 100_000 : 10_000)
        if isDense {
            try dense(bench, fixes: fixes, geofences: geofences, invocation)
            return .done
        }
        if part == "feed" || part == nil { try bench.feed(fixes: fixes, geofences: geofences) }
        if part == "startup" || part == nil { try bench.startup(geofences: 100_000) }
        if part == "reconcile" || part == nil { ReconcileBenchmark(invocation: invocation).run() }
        if part == "engine" || part == nil {
            let engine = EngineBenchmark(invocation: invocation, patience: invocation.has("--short") ? 0.1 : 1)
            if let motion = invocation.value("--workload") {
                guard let motion = EngineWorkload.Motion(rawValue: motion) else {
                    throw .usage(
                        reason: .noWorkload(motion),
                        help: "picket bench --help")
                }
                engine.runAlways(motion)
            } else {
                engine.run()
            }
        }
        if part == "service" || part == nil {
            try ServiceBenchmark(bench: bench, isShort: invocation.has("--short")).run(
                fixes: fixes, requests: try invocation.whole("--requests", in: 1000...1_000_000_000) ?? 300_000,
                geofences: geofences)
        }
        if part == "sinks" || part == nil {
            try SinkBenchmark(bench: bench, isShort: invocation.has("--short"), broker: invocation.value("--broker")).run(
                events: try invocation.whole("--events", in: 1000...100_000_000) ?? 1_000_000)
        }
        return .done
    }

    private static func dense(_ bench: Benchmark, fixes: Int, geofences: Int, _ invocation: Invocation) throws(Problem) {
        guard invocation.words.first == "service" else {
            throw .usage(reason: .denseBelongsToService, help: "picket bench service --dense")
        }
        guard geofences >= 100 else {
            throw .validationFailed(
                field: "--geofences", value: String(geofences), reason: .someAreEdited, expected: .atLeast(100))
        }
        let devices = try invocation.whole("--devices", in: 50...1_000_000) ?? 10_000
        try DenseBenchmark(
            bench: bench, isShort: invocation.has("--short"), geofences: geofences, devices: devices, fixes: fixes
        ).run()
    }
}

/// Runs `picket` as a child process over generated input, and prints results. Also used by the benchmarks of the service and of sinks.
struct Benchmark {
    let folder: String
    let invocation: Invocation

    /// Measures speed, memory and bytes on disk of `picket feed`, with the policies `exact` and `balanced`.
    func feed(fixes: Int, geofences: Int) throws(Problem) {
        try say("feed: \(Wording.number(fixes)) fixes of 1,000 devices, \(Wording.number(geofences)) circles")
        try writeGeofences(geofences, to: "\(folder)/fences.csv")
        try writeTrack(fixes, devices: 1000, to: "\(folder)/track.csv")
        for policy in ["exact", "balanced"] {
            let data = "\(folder)/feed-\(policy)"
            try run(["--data", data, "geofence", "import", "\(folder)/fences.csv", "--json"])
            let result = try run(["--data", data, "feed", "\(folder)/track.csv", "--policy", policy, "--json", "--quiet"])
            let rate = Double(fixes) / result.seconds
            let size = DataDirectory.size(data + "/picket.sqlite")
            try tell(
                "feed",
                [
                    ("policy", .string(policy)), ("fixes", JSONValue(fixes)), ("geofences", JSONValue(geofences)),
                    ("seconds", JSONValue((result.seconds * 1000).rounded() / 1000)),
                    ("fixesPerSecond", JSONValue(rate.rounded())),
                    ("peakMemory", JSONValue(result.peakMemory)), ("bytesPerFix", JSONValue(size / fixes)),
                ],
                "  \(policy.padding(9)) \(Wording.number(Int(rate)).leading(10)) fixes/s, \(result.peakMemory >> 20) MB at most, "
                    + "\(size / fixes) bytes on disk a fix (events included)")
        }
    }

    /// Measures how long commands with little to do take when the store has many geofences: the median of five runs each.
    func startup(geofences: Int) throws(Problem) {
        try say("startup: commands over \(Wording.number(geofences)) geofences (the median of five runs)")
        let data = "\(folder)/startup"
        try writeGeofences(geofences, to: "\(folder)/many.csv")
        let imported = try run(["--data", data, "geofence", "import", "\(folder)/many.csv", "--json"])
        try report("geofence import", imported.seconds)
        try writeTrack(1000, devices: 10, to: "\(folder)/short.csv")
        try run(["--data", data, "feed", "\(folder)/short.csv"])
        for arguments in [
            ["--version"], ["status"], ["events", "--limit", "10"], ["geofence", "show", "fence-77"],
            ["feed", "\(folder)/short.csv"],
            ["geofence", "edit", "fence-77", "--circle"], ["geofence", "list", "--matching", "fence-777"],
        ] {
            let times = try (0..<5).map { run throws(Problem) in
                // Each run edits the geofence to another radius, because an edit that changes nothing would be faster than a real one.
                let last = arguments.last == "--circle" ? ["0.5,0.5,\(200 + run)"] : []
                return try self.run(["--data", data] + arguments + last).seconds
            }
            try report(arguments.prefix(2).filter { !$0.hasPrefix("/") }.joined(separator: " "), times.sorted()[2])
        }
    }

    private func report(_ name: String, _ seconds: Double) throws(Problem) {
        try tell(
            "startup", [("command", .string(name)), ("seconds", JSONValue((seconds * 10_000).rounded() / 10_000))],
            "  \(name.padding(26)) \(Wording.decimal(seconds * 1000, 0).leading(6)) ms")
    }

    /// Prints text for a person; prints nothing with `--json`.
    func say(_ text: String) throws(Problem) {
        if !invocation.isJSON { invocation.output.print(text) }
        invocation.output.flush()
    }

    /// Prints one result: a JSON object with `--json`, else `text`.
    func tell(_ name: String, _ members: [(String, JSONValue?)], _ text: String) throws(Problem) {
        invocation.output.print(
            invocation.isJSON ? JSONValue.compact([("benchmark", .string(name))] + members).description : text)
        invocation.output.flush()
    }

    // MARK: - Running

    struct Result {
        var seconds: Double
        /// Peak resident memory in bytes.
        var peakMemory: Int
    }

    /// Runs this program with its standard output discarded, and waits until it ends.
    ///
    /// - Throws: `Problem.unknown` when it cannot be started or ends with another status than 0.
    @discardableResult
    func run(_ arguments: [String]) throws(Problem) -> Result {
        var process = pid_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = (["picket"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let start = ContinuousClock.now
        let failure = posix_spawn(&process, "/proc/self/exe", &actions, nil, words, environ)
        guard failure == 0 else { throw .unknown(details: "the program cannot be run: \(String(cString: strerror(failure)))") }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        let duration = ContinuousClock.now - start
        guard status == 0 else {
            throw .unknown(details: "picket \(arguments.joined(separator: " ")) ended with status \(status >> 8)")
        }
        return Result(
            seconds: duration.seconds,
            peakMemory: Int(usage.ru_maxrss) << 10)
    }

    // MARK: - Inputs

    /// Writes a CSV of circles of 100 to 500 m radius, at random positions in a square whose south-west corner is latitude 0, longitude 0.
    /// The circles are the same on every run.
    ///
    /// - Parameter side: Degrees along each side of the square. When left out, the square has one square degree for each 10,000 circles.
    func writeGeofences(_ count: Int, to path: String, side: Double? = nil) throws(Problem) {
        var random = SplitMix(state: 7)
        let side = side ?? max(1, (Double(count) / 10_000).squareRoot())
        var text = "id,name,latitude,longitude,radius\n"
        for number in 0..<count {
            let latitude = random.unit() * side
            let longitude = random.unit() * side
            let radius = (100 + 400 * random.unit()).rounded()
            text += "fence-\(number),Fence \(number),\(latitude),\(longitude),\(radius)\n"
        }
        try write(text, to: path)
    }

    /// Writes a CSV of devices that drive at 15 m/s within one degree by one degree and turn back at its edge. Each device has one fix a
    /// second, and the devices take turns.
    private func writeTrack(_ count: Int, devices: Int, to path: String) throws(Problem) {
        var random = SplitMix(state: 11)
        var cars = (0..<devices).map { _ in
            (latitude: random.unit(), longitude: random.unit(), course: random.unit() * 2 * .pi)
        }
        guard let file = fopen(path, "w") else {
            throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
        }
        defer { fclose(file) }
        fputs("device,timestamp,latitude,longitude,accuracy\n", file)
        let start = Instant(milliseconds: 1_767_225_600_000)
        let metre = 1 / 111_320.0
        for number in 0..<count {
            let car = number % devices
            cars[car].course += (random.unit() - 0.5) * 0.2
            cars[car].latitude += cos(cars[car].course) * 15 * metre
            cars[car].longitude += sin(cars[car].course) * 15 * metre
            if !(0...1).contains(cars[car].latitude) || !(0...1).contains(cars[car].longitude) { cars[car].course += .pi }
            let time = start + Double(number / devices)
            let latitude = (cars[car].latitude * 1e6).rounded() / 1e6
            let longitude = (cars[car].longitude * 1e6).rounded() / 1e6
            let accuracy = Int(4 + 12 * random.unit())
            fputs("car-\(car),\(time),\(latitude),\(longitude),\(accuracy)\n", file)
        }
    }

    private func write(_ text: String, to path: String) throws(Problem) {
        do {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw .fileFailed(path: path, reason: .verbatim(error.localizedDescription))
        }
    }
}

/// SplitMix64: repeatable random numbers for the inputs of benchmarks.
struct SplitMix {
    var state: UInt64

    /// A random number in 0 ..< 1.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
    }
}
