import Core
import Foundation
import Model

/// Measures how long positions and other requests wait while a service handles what once blocked it.
///
/// Each scenario runs its own service. One connection sends a position at a steady rate, and another one the requests of the
/// scenario.
struct BlockedBenchmark {
    let bench: Benchmark
    /// Whether to send positions at a tenth of the rate, to check that the benchmark works.
    let isShort: Bool
    /// Positions that are not in order; nil for a million, and then five million.
    let fixes: Int?
    /// Events among which none is found.
    let events: Int
    /// The names of the scenarios to measure; empty for all.
    let chosen: [String]

    /// The scenarios: each builds a temporary store, and prints a row for each measurement. To add one, extend this type in its own file.
    private static let scenarios: [(name: String, measure: @Sendable (Self) -> () throws(Problem) -> Void)] = [
        ("unordered-fixes", measureUnorderedFixes), ("filtered-events", measureFilteredEvents),
        ("mended-polygons", measureRepairedPolygons), ("phone-totals", measurePhoneTotals),
        ("abandoned-queries", measureAbandonedQueries), ("imported-geofences", measureImports),
        ("late-devices", measureLateDevices), ("same-spot", measureSameSpot), ("wide-geofences", measureWideGeofences),
        ("edited-devices", measureEditedDevices), ("erased-devices", measureErasedDevices), ("long-polls", measureLongPolls),
    ]

    func run() throws(Problem) {
        let names = Self.scenarios.map(\.name)
        if let unknown = chosen.first(where: { !names.contains($0) }) {
            throw .validationFailed(field: "--scenario", value: unknown, reason: .noSuchValue, expected: .oneOf(names))
        }
        bench.printText(
            "blocked: what waits while a service handles what once blocked it, durability normal; requests of the situation, their "
                + "longest time, and the waits of another client's requests meanwhile, in ms")
        bench.printText("  " + Self.columns.heading)
        for (name, measure) in Self.scenarios where chosen.isEmpty || chosen.contains(name) { try measure(self)() }
    }

    /// The path of a data directory for a scenario. It does not exist yet.
    func data(_ name: String) -> String { "\(bench.folder)/blocked-\(name)" }

    // MARK: - Measuring

    /// Starts a service, sends it positions steadily, and stops it after `body`.
    func withService(
        _ data: String, options: [String] = ServedService.usualOptions, _ body: (ServedService) throws(Problem) -> Void
    ) throws(Problem) {
        var service = try ServedService(data, options: options)
        do {
            service.steady = SteadyPositions(
                port: service.child.port, rate: isShort ? 100 : 1000, devices: DenseDevices(100, seed: 1000))
            // The first positions of devices create these.
            _ = try service.steady?.waits()
            try body(service)
            _ = try service.steady?.stop()
            try service.child.stop()
        } catch {
            service.child.killProcess()
            throw error
        }
    }

    /// Does something once, and prints how long it took and how long the positions of `withService` waited meanwhile.
    func measurePositions(_ name: String, beside service: ServedService, _ body: () throws(Problem) -> Void) throws(Problem) {
        guard let steady = service.steady else { return }
        _ = try steady.waits()
        steady.reset()
        let start = Monotonic.nanoseconds()
        try body()
        let milliseconds = Double(Monotonic.nanoseconds() - start) * 1e-6
        printRow(name, took: milliseconds, waiting: "positions", try steady.waits())
    }

    /// Prints one result.
    ///
    /// - Parameters:
    ///   - milliseconds: How long the blocking requests took.
    ///   - what: The requests that waited, such as `positions`.
    ///   - waits: How long they waited.
    func printRow(_ name: String, took milliseconds: Double, waiting what: String, _ waits: LatencyHistogram) {
        let most = Double(waits.maximum) * 1e-6
        bench.printResult(
            "blocked",
            members: [
                ("situation", .string(name)), ("took", .benchmarkFigure(milliseconds)), ("waiting", .string(what)),
                ("requests", JSONValue(waits.count)), ("p50", .benchmarkFigure(waits.quantile(0.5))),
                ("p99", .benchmarkFigure(waits.quantile(0.99))), ("max", .benchmarkFigure(most)),
            ],
            text: "  "
                + Self.columns.row([
                    name, Format.decimal(milliseconds, 1), what, Format.number(waits.count),
                    Format.decimal(waits.quantile(0.5), 2), Format.decimal(waits.quantile(0.99), 2), Format.decimal(most, 1),
                ]))
    }

    private static let columns = BenchmarkColumns([
        ("SITUATION", 52), ("TOOK", 9), ("WAITING", 12), ("REQUESTS", 8), ("WAITS P50", 9), ("P99", 9), ("MAX", 9),
    ])
}
