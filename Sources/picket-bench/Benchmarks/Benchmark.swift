import Core
import Foundation
import Model
import ToolSupport

/// Runs `picket` as a child process over generated input, and prints results. Also used by the benchmarks of the service and of sinks.
struct Benchmark {
    let folder: String
    let invocation: Invocation

    /// Measures speed, memory and bytes on disk of `picket feed`, with the policies `exact` and `balanced`.
    func feed(fixes: Int, geofences: Int) throws(Problem) {
        printText("feed: \(Format.number(fixes)) fixes of 1,000 devices, \(Format.number(geofences)) circles")
        try writeGeofences(geofences, to: "\(folder)/fences.csv")
        try writeTrack(fixes, devices: 1000, to: "\(folder)/track.csv")
        for policy in ["exact", "balanced"] {
            let data = "\(folder)/feed-\(policy)"
            try run(["--data", data, "geofence", "import", "\(folder)/fences.csv", "--json"])
            let result = try run(["--data", data, "feed", "\(folder)/track.csv", "--policy", policy, "--json", "--quiet"])
            let rate = Double(fixes) / result.seconds
            let size = DataDirectory.size(data + "/picket.sqlite")
            printResult(
                "feed",
                members: [
                    ("policy", .string(policy)), ("fixes", JSONValue(fixes)), ("geofences", JSONValue(geofences)),
                    ("seconds", JSONValue((result.seconds * 1000).rounded() / 1000)),
                    ("fixesPerSecond", JSONValue(rate.rounded())),
                    ("peakMemory", JSONValue(result.peakMemory)), ("bytesPerFix", JSONValue(size / fixes)),
                ],
                text:
                    "  \(policy.padding(9)) \(Format.number(Int(rate)).leading(10)) fixes/s, \(result.peakMemory >> 20) MB at most, "
                    + "\(size / fixes) bytes on disk a fix (events included)")
        }
    }

    /// Measures how long commands with little to do take when the store has many geofences: the median of five runs each.
    func startup(geofences: Int) throws(Problem) {
        printText("startup: commands over \(Format.number(geofences)) geofences (the median of five runs)")
        let data = "\(folder)/startup"
        try writeGeofences(geofences, to: "\(folder)/many.csv")
        let imported = try run(["--data", data, "geofence", "import", "\(folder)/many.csv", "--json"])
        report("geofence import", imported.seconds)
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
            report(arguments.prefix(2).filter { !$0.hasPrefix("/") }.joined(separator: " "), times.sorted()[2])
        }
    }

    private func report(_ name: String, _ seconds: Double) {
        printResult(
            "startup", members: [("command", .string(name)), ("seconds", JSONValue((seconds * 10_000).rounded() / 10_000))],
            text: "  \(name.padding(26)) \(Format.decimal(seconds * 1000, 0).leading(6)) ms")
    }

    /// Prints text for a person; prints nothing with `--json`.
    func printText(_ text: String) {
        if !invocation.isJSON { invocation.output.print(text) }
        invocation.output.flush()
    }

    /// Prints one result: a JSON object with `--json`, else the text, if there is one.
    func printResult(_ name: String, members: [(String, JSONValue?)], text: String? = nil) {
        if invocation.isJSON {
            invocation.output.print(JSONValue.compact([("benchmark", .string(name))] + members).description)
        } else if let text {
            invocation.output.print(text)
        }
        invocation.output.flush()
    }

    // MARK: - Running

    struct Result {
        var seconds: Double
        /// Peak resident memory in bytes.
        var peakMemory: Int
    }

    /// Runs `picket` with its standard output discarded, and waits until it ends.
    ///
    /// - Throws: `Problem.unknown` when it cannot be started or ends with another status than 0.
    @discardableResult
    func run(_ arguments: [String]) throws(Problem) -> Result {
        var process = pid_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let program = try SiblingProgram.picket
        let words = ([program.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let start = ContinuousClock.now
        let failure = posix_spawn(&process, program.path, &actions, nil, words, environ)
        guard failure == 0 else { throw .benchmark("the program cannot be run: \(String(cString: strerror(failure)))") }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        let duration = ContinuousClock.now - start
        guard status == 0 else {
            throw .benchmark("picket \(arguments.joined(separator: " ")) ended with status \(status >> 8)")
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
        var random = SplitMix64(state: 7)
        let side = side ?? max(1, (Double(count) / 10_000).squareRoot())
        var text = "id,name,latitude,longitude,radius\n"
        for number in 0..<count {
            let latitude = random.unit() * side
            let longitude = random.unit() * side
            let radius = (100 + 400 * random.unit()).rounded()
            text += "fence-\(number),Fence \(number),\(Self.degrees(latitude)),\(Self.degrees(longitude)),\(radius)\n"
        }
        try write(text, to: path)
    }

    /// Writes a CSV of devices that drive at 15 m/s within one degree by one degree and turn back at its edge. Each device has one fix a
    /// second, and the devices take turns.
    func writeTrack(_ count: Int, devices: Int, to path: String) throws(Problem) {
        var random = SplitMix64(state: 11)
        var cars = (0..<devices).map { _ in
            (latitude: random.unit(), longitude: random.unit(), course: random.unit() * 2 * .pi)
        }
        let start = Instant(milliseconds: 1_767_225_600_000)
        let meter = 1 / 111_320.0
        try writeLines(count, to: path, heading: "device,timestamp,latitude,longitude,accuracy") { number in
            let car = number % devices
            cars[car].course += (random.unit() - 0.5) * 0.2
            cars[car].latitude += cos(cars[car].course) * 15 * meter
            cars[car].longitude += sin(cars[car].course) * 15 * meter
            if !(0...1).contains(cars[car].latitude) || !(0...1).contains(cars[car].longitude) { cars[car].course += .pi }
            let time = start + Double(number / devices)
            let latitude = Self.degrees(cars[car].latitude)
            let longitude = Self.degrees(cars[car].longitude)
            let accuracy = Int(4 + 12 * random.unit())
            return "car-\(car),\(time),\(latitude),\(longitude),\(accuracy)"
        }
    }

    /// Degrees with six decimals and without an exponent, which a CSV of geofences must not have.
    static func degrees(_ value: Double) -> String {
        let millionths = Int((value * 1e6).rounded())
        var text: [UInt8] = millionths < 0 ? [UInt8(ascii: "-")] : []
        text.append(decimal: abs(millionths) / 1_000_000)
        text.append(".")
        text.append(decimal: abs(millionths) % 1_000_000, digits: 6)
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes a heading, and lines that are made one at a time.
    func writeLines(_ count: Int, to path: String, heading: String, line: (_ number: Int) -> String) throws(Problem) {
        guard let file = fopen(path, "w") else {
            throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
        }
        defer { fclose(file) }
        fputs(heading + "\n", file)
        for number in 0..<count { fputs(line(number) + "\n", file) }
    }

    private func write(_ text: String, to path: String) throws(Problem) {
        do {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw .fileFailed(path: path, reason: .verbatim(error.localizedDescription))
        }
    }
}
