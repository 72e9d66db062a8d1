import Core
import Foundation
import Model
import Settings
import Synchronization
import ToolSupport
import Workers

/// Measures how many positions a running service takes in and how fast it streams events, with the load generator on the same machine.
struct ServiceBenchmark {
    let bench: Benchmark
    /// Whether to send a tenth of the load only, to check that the benchmark works.
    let isShort: Bool

    private var scale: Int { isShort ? 10 : 1 }

    func run(fixes: Int, requests: Int, geofences: Int) throws(Problem) {
        try Descriptors.raise()
        bench.printText(
            "service: \(Format.number(geofences)) geofences, 1,000 devices, the load generator on the same machine")
        try measureSync()
        try bench.writeGeofences(geofences, to: "\(bench.folder)/fences.csv")
        for durability in Durability.allCases {
            try measureBatches(fixes / scale, durability: durability)
            try measureSingleRequests(requests / scale, durability: durability)
        }
        try stream(readers: 1, rate: 5000, count: 50_000 / scale, everyNthMoves: 10)
        try stream(readers: 1000, rate: 50, count: 500 / scale, everyNthMoves: 1)
        try memory(geofences: 100_000 / scale, devices: 100_000 / scale)
    }

    // MARK: - Parts

    /// Measures a synced write: 4 KiB appended, then `fdatasync`. Every commit with durability `full` waits for one.
    func measureSync() throws(Problem) {
        let path = "\(bench.folder)/sync"
        let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        defer { close(file) }
        let page = [UInt8](repeating: 7, count: 4096)
        let times = try (0..<300 / scale).map { _ throws(Problem) -> Double in
            let start = Monotonic.nanoseconds()
            guard write(file, page, page.count) == page.count, fdatasync(file) == 0 else {
                throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
            }
            return Double(Monotonic.nanoseconds() - start) * 1e-6
        }.sorted()
        let mean = times.reduce(0, +) / Double(times.count)
        printResult(
            "sync", members: [("median", .benchmarkFigure(times[times.count / 2])), ("mean", .benchmarkFigure(mean))],
            text:
                "a synced write of 4 KiB: median \(Format.decimal(times[times.count / 2], 3)) ms, mean \(Format.decimal(mean, 3)) ms"
        )
    }

    /// Sends NDJSON of 1,000 fixes a request over 4 connections.
    private func measureBatches(_ fixes: Int, durability: Durability) throws(Problem) {
        let connections = 4
        let devices = 1000 / connections
        let data = "\(bench.folder)/batches-\(durability.rawValue)"
        let requests = max(connections, fixes / 1000)
        // All fixes of a device go over one connection. Over several, a fix could arrive after a newer one and be late.
        var cars = self.loadDevices(connections * devices, fixesOfEach: requests * 1000 / (connections * devices) + 8)
        let result = try serve(data, durability) { service throws(Problem) in
            var load = try LoadGenerator(port: service.port, connections: connections)
            defer { load.close() }
            var body: [UInt8] = []
            return try Self.measure(service) { () throws(Problem) in
                try load.run(requests) { connection, request in
                    body.removeAll(keepingCapacity: true)
                    for number in 0..<1000 {
                        cars.writeNext(connection * devices + number % devices, into: &body)
                        body.append(10)
                    }
                    request.appendPost("/v1/positions", type: "application/x-ndjson", body: body)
                }
                return try load.measured()
            }
        }
        let count = requests * 1000
        let rate = Double(count) / result.seconds
        let size = DataDirectory.size(data + "/picket.sqlite")
        printResult(
            "batches",
            members: [
                ("durability", .string(durability.rawValue)), ("fixes", JSONValue(count)),
                ("fixesPerSecond", JSONValue(rate.rounded())),
                ("p50", .benchmarkFigure(result.latency.quantile(0.5))), ("p99", .benchmarkFigure(result.latency.quantile(0.99))),
                ("processorMicrosecondsPerFix", .benchmarkFigure(result.processor / Double(count) * 1e6)),
                ("bytesPerFix", JSONValue(size / count)),
            ],
            text:
                "batches of 1,000, 4 connections, \(durability.rawValue.padding(6)) \(Format.number(Int(rate)).leading(8)) fixes/s, "
                + "\(Format.decimal(result.processor / Double(count) * 1e6, 2)) µs of processor a fix, "
                + "\(size / count) bytes on disk a fix (events included)")
    }

    /// Sends one position a request over 64 connections.
    private func measureSingleRequests(_ requests: Int, durability: Durability) throws(Problem) {
        let connections = 64
        let devices = 16
        var cars = self.loadDevices(connections * devices, fixesOfEach: requests / (connections * devices) * 2 + 8)
        var turns = [Int](repeating: 0, count: connections)
        let result = try serve("\(bench.folder)/singles-\(durability.rawValue)", durability) { service throws(Problem) in
            var load = try LoadGenerator(port: service.port, connections: connections)
            defer { load.close() }
            var body: [UInt8] = []
            return try Self.measure(service) { () throws(Problem) in
                try load.run(requests) { connection, request in
                    body.removeAll(keepingCapacity: true)
                    turns[connection] += 1
                    cars.writeNext(connection * devices + turns[connection] % devices, into: &body)
                    request.appendPost("/v1/positions", type: "application/json", body: body)
                }
                return try load.measured()
            }
        }
        let rate = Double(requests) / result.seconds
        printResult(
            "singles",
            members: [
                ("durability", .string(durability.rawValue)), ("requests", JSONValue(requests)),
                ("requestsPerSecond", JSONValue(rate.rounded())),
                ("p50", .benchmarkFigure(result.latency.quantile(0.5))), ("p99", .benchmarkFigure(result.latency.quantile(0.99))),
                ("processorMicrosecondsPerRequest", .benchmarkFigure(result.processor / Double(requests) * 1e6)),
            ],
            text:
                "one position each, 64 connections, \(durability.rawValue.padding(6)) \(Format.number(Int(rate)).leading(6)) requests/s, "
                + "\(Self.latencyText(result.latency)), \(Format.decimal(result.processor / Double(requests) * 1e6, 1)) µs of processor a request"
        )
    }

    /// Measures the time from a position to its event on open streams. Every `share`th position enters or leaves a circle.
    private func stream(readers count: Int, rate: Double, count positions: Int, everyNthMoves share: Int) throws(Problem) {
        let visits = CircleVisits(positions)
        let events = Atomic<Int>(0)
        let result = try serve("\(bench.folder)/stream-\(count)", .full) { service throws(Problem) in
            var readers = try StreamReaders(port: service.port, count: count)
            let outcome = Mutex<Result<Measured, Problem>?>(nil)
            let sender = WorkThreads("load") {
                let measured = Result<Measured, Problem> { () throws(Problem) in
                    var load = try LoadGenerator(port: service.port, connections: 64)
                    defer { load.close() }
                    var body: [UInt8] = []
                    return try Self.measure(service) { () throws(Problem) in
                        try load.run(positions, rate: rate) { number, due, request in
                            let moves = number % share == 0
                            if moves { events.add(1, ordering: .relaxed) }
                            visits.write(number, due: due, moves: moves, into: &body)
                            request.appendPost("/v1/positions?policy=exact", type: "application/json", body: body)
                        }
                        return try load.measured()
                    }
                }
                outcome.withLock { $0 = measured }
            }
            let end = Monotonic.nanoseconds() + Int64(Double(positions) / rate * 1e9) + 20_000_000_000
            let fewest = try readers.read(until: positions / share) {
                Monotonic.nanoseconds() > end
            } due: {
                visits.due(at: $0)
            }
            sender.join()
            defer { readers.close() }
            guard let measured = try outcome.withLock({ $0 })?.get() else { throw Problem.cancelled }
            return (measured, readers.latency, fewest)
        }
        let wanted = events.load(ordering: .relaxed)
        printResult(
            "stream",
            members: [
                ("streams", JSONValue(count)), ("positionsPerSecond", JSONValue(rate)), ("events", JSONValue(wanted)),
                ("fewestEvents", JSONValue(result.2)),
                ("p50", .benchmarkFigure(result.1.quantile(0.5))), ("p99", .benchmarkFigure(result.1.quantile(0.99))),
                ("processorShare", .benchmarkFigure(result.0.processor / result.0.seconds)),
            ],
            text: "\(count.counted("stream", "streams")), \(Format.number(Int(rate))) positions/s, "
                + "\(Format.number(wanted)) events, every stream had \(result.2 == wanted ? "all" : "at least \(result.2)"): "
                + "\(Self.latencyText(result.1)) from POST to event; \(Format.decimal(result.0.processor / result.0.seconds * 100, 0)) % "
                + "of a processor")
    }

    /// Measures the memory after all devices have reported once, and after more load.
    private func memory(geofences: Int, devices: Int) throws(Problem) {
        try bench.writeGeofences(geofences, to: "\(bench.folder)/fences.csv")
        let connections = 4
        let rounds = 9
        var cars = self.loadDevices(devices, fixesOfEach: rounds + 1)
        var next = [Int](repeating: 0, count: connections)
        let share = devices / connections
        let result = try serve("\(bench.folder)/memory", .normal) { service throws(Problem) -> [(now: Int, most: Int)] in
            var load = try LoadGenerator(port: service.port, connections: connections)
            defer { load.close() }
            var body: [UInt8] = []
            func round(_ count: Int) throws(Problem) {
                try load.run(count * devices / 1000) { connection, request in
                    body.removeAll(keepingCapacity: true)
                    for _ in 0..<1000 {
                        cars.writeNext(connection * share + next[connection] % share, into: &body)
                        next[connection] += 1
                        body.append(10)
                    }
                    request.appendPost("/v1/positions", type: "application/x-ndjson", body: body)
                }
            }
            var seen: [(now: Int, most: Int)] = []
            for count in [1, (rounds - 1) / 2, (rounds - 1) / 2] {
                try round(count)
                seen.append(service.memory())
            }
            _ = try load.measured()
            return seen
        }
        let (first, last) = (result[0], result[2])
        printResult(
            "memory",
            members: [
                ("geofences", JSONValue(geofences)), ("devices", JSONValue(devices)), ("memory", JSONValue(first.now)),
                ("fixesAfter", JSONValue((rounds - 1) * devices)), ("halfway", JSONValue(result[1].now)),
                ("memoryAfter", JSONValue(last.now)),
                ("peakMemory", JSONValue(last.most)),
            ],
            text:
                "\(Format.number(geofences)) geofences, \(Format.number(devices)) devices that reported: \(first.now >> 20) MB; after "
                + "\(Format.number((rounds - 1) * devices)) more fixes \(last.now >> 20) MB (halfway \(result[1].now >> 20)), "
                + "\(last.most >> 20) MB at most")
    }

    // MARK: - Measuring

    struct Measured: Sendable {
        var seconds = 0.0
        /// Processor time of the service in seconds.
        var processor = 0.0
        var latency: LatencyHistogram
    }

    private static func measure(
        _ service: ServedChild, _ body: () throws(Problem) -> LatencyHistogram
    ) throws(Problem) -> Measured {
        let processor = service.processorTime()
        let start = Monotonic.nanoseconds()
        let latency = try body()
        return Measured(
            seconds: Double(Monotonic.nanoseconds() - start) * 1e-9, processor: service.processorTime() - processor,
            latency: latency)
    }

    /// Runs a service on a new store with the geofences, and stops it after `body`.
    private func serve<Result>(
        _ data: String, _ durability: Durability, _ body: (ServedChild) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        try bench.run(["--data", data, "geofence", "import", "\(bench.folder)/fences.csv", "--json"])
        try bench.run(["--data", data, "geofence", "add"] + CircleVisits.circle)
        let service = try ServedChild(
            data: data, options: ["--durability", durability.rawValue, "--auto-repair-interval", "0"])
        do {
            let result = try body(service)
            try service.stop()
            return result
        } catch {
            service.killProcess()
            throw error
        }
    }

    /// Devices whose fixes begin now. Their times run ahead of the clock, so that no deadline fires by the clock, but stay within the
    /// future that the service accepts.
    private func loadDevices(_ count: Int, fixesOfEach: Int) -> LoadDevices {
        LoadDevices(
            count, seed: 5, start: Int64(Date().timeIntervalSince1970 * 1000),
            step: Int64(min(1000, 540_000 / max(1, fixesOfEach))))
    }

    // MARK: - Telling

    private static func latencyText(_ latency: LatencyHistogram) -> String {
        "p50 \(Format.decimal(latency.quantile(0.5), 1)) ms, p99 \(Format.decimal(latency.quantile(0.99), 1)) ms"
    }

    private func printResult(_ part: String, members: [(String, JSONValue?)], text: String) {
        bench.printResult("service", members: [("part", .string(part))] + members, text: "  " + text)
    }
}

extension LoadGenerator {
    /// The latencies of the requests.
    ///
    /// - Throws: `Problem.unknown` when any answer had another status than 200.
    func measured() throws(Problem) -> LatencyHistogram {
        if let (status, count) = failedStatuses.max(by: { $0.value < $1.value }) {
            throw .benchmark(
                "\(count.counted("request was", "requests were")) answered with status \(status), for example with \(refusal ?? "nothing")"
            )
        }
        return latency
    }
}
