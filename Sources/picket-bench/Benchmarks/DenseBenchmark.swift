import Core
import Foundation
import Model
import Presence
import Settings
import ToolSupport

/// Measures how many positions a running service takes in among densely laid geofences. Each cell uses a new store, and the load generator
/// runs on the same machine.
struct DenseBenchmark {
    let bench: Benchmark
    /// Whether to send a tenth of the load only, to check that the benchmark works.
    let isShort: Bool
    /// The number of geofences, all within one square degree.
    let geofences: Int
    let devices: Int
    /// Positions that the largest cell sends, before `isShort` reduces them.
    let fixes: Int

    private var scale: Int { isShort ? 10 : 1 }

    /// One way of sending: how many connections send, how many positions a request holds, and which share of `fixes` is sent.
    private struct LoadPattern {
        let connections: Int
        let batch: Int
        let share: Double
    }

    private static let cells = [
        LoadPattern(connections: 4, batch: 1000, share: 1), LoadPattern(connections: 4, batch: 100, share: 0.5),
        LoadPattern(connections: 64, batch: 1, share: 0.1), LoadPattern(connections: 1, batch: 1, share: 0.03),
    ]

    func run() throws(Problem) {
        try Descriptors.raise()
        bench.printText(
            "dense: \(Format.number(geofences)) geofences of 100 to 500 m over one square degree, \(Format.number(devices)) devices, "
                + "the load generator on the same machine")
        try ServiceBenchmark(bench: bench, isShort: isShort).measureSync()
        try bench.writeGeofences(geofences, to: "\(bench.folder)/dense.csv", side: 1)
        bench.printText(
            "  positions of moving devices; times of a request in ms; processor time, bytes and crossings by position")
        bench.printText("  " + Self.columns.heading)
        var seed = 0
        for cell in Self.cells {
            for durability in [Durability.full, .normal] {
                seed += 1
                try printResult(cell, durability: durability, measured: measure(cell, durability, seed: seed))
            }
        }
        try EditsBenchmark(
            bench: bench, isShort: isShort, geofences: geofences, devices: devices, fixes: fixes / scale / 2,
            newDevices: fixes / scale * 9 / 100
        ).run()
    }

    // MARK: - Measuring

    private struct Measured {
        var positions: Int
        var seconds: Double
        var latency: LatencyHistogram
        /// Processor time of the service in seconds.
        var processor: Double
        /// Bytes that the service wrote from before the load to its last answer.
        var written: Int
        /// Bytes that the service wrote from before the load to its end.
        var writtenWithStop: Int
        /// Bytes by which the store file has grown.
        var growth: Int
        /// Peak resident memory of the service in bytes.
        var memory: Int
        var events: Int
    }

    private func measure(_ cell: LoadPattern, _ durability: Durability, seed: Int) throws(Problem) -> Measured {
        let data = "\(bench.folder)/dense-\(seed)"
        let store = data + "/picket.sqlite"
        try bench.run(["--data", data, "geofence", "import", "\(bench.folder)/dense.csv", "--json"])
        let sizeBefore = DataDirectory.size(store)
        var devices = DenseDevices(devices, seed: seed)
        let requests = PreparedRequests(
            max(1, Int(Double(fixes / scale) * cell.share) / cell.batch), positions: cell.batch, of: &devices)
        let service = try ServedChild(
            data: data, options: ["--durability", durability.rawValue, "--auto-repair-interval", "0"])
        let writtenBefore = service.bytesWritten()
        var measured: Measured
        do {
            let processor = service.processorTime()
            var load = try LoadGenerator(port: service.port, connections: cell.connections)
            defer { load.close() }
            let start = Monotonic.nanoseconds()
            try load.run(requests)
            measured = Measured(
                positions: requests.count * cell.batch, seconds: Double(Monotonic.nanoseconds() - start) * 1e-9,
                latency: try load.measured(), processor: service.processorTime() - processor,
                written: service.bytesWritten() - writtenBefore, writtenWithStop: 0, growth: 0, memory: service.memory().most,
                events: 0)
            measured.writtenWithStop = try service.stop() - writtenBefore
        } catch {
            service.killProcess()
            throw error
        }
        measured.growth = DataDirectory.size(store) - sizeBefore
        let totals = try ServiceReader(DataDirectory(path: data)).totals()
        guard totals.fixes == measured.positions else {
            throw .benchmark(
                "the service answered 200 to \(measured.positions) positions, and its store has \(totals.fixes)")
        }
        measured.events = totals.events
        return measured
    }

    // MARK: - Telling

    private static let columns = BenchmarkColumns([
        ("SENT AS", 20), ("DURABILITY", 10), ("POSITIONS/S", 11), ("P50", 7), ("P99", 7), ("P99.9", 7), ("MAX", 7), ("CPU µs", 7),
        ("WRITTEN B", 9), ("WITH STOP", 9), ("STORE B", 7), ("PEAK MB", 7), ("CROSSINGS", 9),
    ])

    private func printResult(_ cell: LoadPattern, durability: Durability, measured: Measured) {
        let positions = Double(measured.positions)
        let rate = positions / measured.seconds
        let processor = measured.processor / positions * 1e6
        let latency = measured.latency
        let most = Double(latency.maximum) * 1e-6
        let bytes = [measured.written, measured.writtenWithStop, measured.growth].map { Double($0) / positions }
        let crossings = Double(measured.events) / positions
        bench.printResult(
            "dense",
            members: [
                ("part", "cell"), ("geofences", JSONValue(geofences)), ("devices", JSONValue(devices)),
                ("connections", JSONValue(cell.connections)), ("batch", JSONValue(cell.batch)),
                ("durability", .string(durability.rawValue)), ("positions", JSONValue(measured.positions)),
                ("positionsPerSecond", JSONValue(rate.rounded())),
                ("p50", .benchmarkFigure(latency.quantile(0.5))), ("p99", .benchmarkFigure(latency.quantile(0.99))),
                ("p999", .benchmarkFigure(latency.quantile(0.999))), ("max", .benchmarkFigure(most)),
                ("processorMicrosecondsPerPosition", .benchmarkFigure(processor)),
                ("bytesWrittenPerPosition", .benchmarkFigure(bytes[0])),
                ("bytesWrittenPerPositionWithStop", .benchmarkFigure(bytes[1])),
                ("storeBytesPerPosition", .benchmarkFigure(bytes[2])), ("peakMemory", JSONValue(measured.memory)),
                ("events", JSONValue(measured.events)), ("eventsPerPosition", .benchmarkFigure(crossings)),
            ],
            text: "  "
                + Self.columns.row(
                    ["\(cell.connections) × \(Format.number(cell.batch))", durability.rawValue, Format.number(Int(rate))]
                        + [0.5, 0.99, 0.999].map { Format.decimal(latency.quantile($0), 2) }
                        + [Format.decimal(most, 1), Format.decimal(processor, 2)] + bytes.map { Format.decimal($0, 0) }
                        + [Format.number(measured.memory >> 20), Format.decimal(crossings, 3)]))
    }
}
