import Core
import Foundation
import Model

/// Measures how long a position waits while the service handles administrative requests. One connection sends positions at a steady rate;
/// another sends one administrative request at a time.
struct EditsBenchmark {
    let bench: Benchmark
    /// Whether to use a tenth of the rate and of the times, to check that the benchmark works.
    let isShort: Bool
    let geofences: Int
    let devices: Int
    /// Positions that are stored before the measurement.
    let fixes: Int
    /// The number of unknown devices whose first positions come in one request.
    let newDevices: Int

    func run() throws(Problem) {
        let data = "\(bench.folder)/edits"
        try bench.run(["--data", data, "geofence", "import", "\(bench.folder)/dense.csv", "--json"])
        var devices = DenseDevices(devices, seed: 100)
        let late = devices.start + 1.5
        var service = try ServedService(data)
        do {
            try service.preload(fixes, of: &devices)
            let rate = isShort ? 100.0 : 1000
            bench.printText(
                "edits: \(Format.number(fixes)) positions stored, \(Format.number(Int(rate))) positions/s on one connection, durability "
                    + "normal; the longest request of each kind and the waits of the positions meanwhile, in ms")
            bench.printText("  " + Self.columns.heading)
            service.steady = SteadyPositions(port: service.child.port, rate: rate, devices: devices)
            pause(3)
            let base = try measure([], during: 10, name: "nothing else", over: nil, service: service)
            for edit in edits {
                for request in edit.before { _ = try service.send(request) }
                try measure(edit.requests, name: edit.name, over: base, service: service)
            }
            try measure([.init("POST", "/v1/replay", body: "{}")], name: "replay of all devices", over: base, service: service)
            // Geofences were edited above, so that the past of many devices changes.
            try measure(
                [.init("POST", "/v1/replay", body: #"{"all":true}"#)], name: "correction of the past", over: base,
                service: service)
            try service.restart(rate: rate)
            pause(3)
            // The service evaluates a late position again two seconds after its arrival.
            try measure(
                [.init("POST", "/v1/positions", body: Self.position("d12", late))], during: 4,
                name: "late position after restart",
                over: base,
                service: service)
            let many = (0..<newDevices).map { Self.position("many-\($0)", late) }.joined(separator: "\n")
            try measure(
                [.init("POST", "/v1/positions", body: many, type: "application/x-ndjson")],
                name: "\(Format.number(newDevices)) new devices", over: base, service: service)
            _ = try service.steady?.stop()
            try service.child.stop()
        } catch {
            service.child.killProcess()
            throw error
        }
    }

    /// Sleeps for a number of seconds, or for a tenth of it when `isShort`.
    private func pause(_ seconds: Double) {
        Monotonic.sleep(until: Monotonic.nanoseconds() + Int64(seconds * (isShort ? 1e8 : 1e9)))
    }

    private static func position(_ device: String, _ time: Instant) -> String {
        #"{"device":"\#(device)","timestamp":"\#(time)","latitude":0.5,"longitude":0.5}"#
    }

    // MARK: - What is asked

    /// Requests of one kind. Each is sent when the one before it has been answered. The requests in `before` are sent first and not
    /// measured.
    private struct Edit {
        let name: String
        var before: [ServedService.Request] = []
        let requests: [ServedService.Request]
    }

    private var edits: [Edit] {
        let twenty = 0..<20
        let patch = "application/merge-patch+json"
        let batch = self.batch(seed: 21)
        let refused = self.batch(seed: 22) + [#"{"remove":"no-such-geofence"}"#]
        return [
            Edit(
                name: "create a device",
                requests: twenty.map { .init("POST", "/v1/devices", body: #"{"id":"new-\#($0)","name":"New \#($0)"}"#) }),
            Edit(
                name: "edit a device",
                requests: twenty.map { .init("PATCH", "/v1/devices/d\($0)", body: #"{"name":"Van \#($0)"}"#, type: patch) }),
            Edit(
                name: "edit a device's groups",
                requests: twenty.map { .init("PATCH", "/v1/devices/d\($0)", body: #"{"groups":["fleet"]}"#, type: patch) }),
            Edit(name: "remove a device", requests: (20..<40).map { .init("DELETE", "/v1/devices/d\($0)") }),
            Edit(
                name: "erase a device, keep files",
                requests: [.init("POST", "/v1/devices/d10:erase?keepFiles=true")]),
            Edit(name: "erase a device", requests: [.init("POST", "/v1/devices/d11:erase")]),
            Edit(
                name: "edit a geofence",
                requests: twenty.map { .init("PATCH", "/v1/geofences/fence-\($0)", body: #"{"radius":321}"#, type: patch) }),
            Edit(
                name: "edit a geofence's groups",
                requests: twenty.map { .init("PATCH", "/v1/geofences/fence-\($0)", body: #"{"groups":["fleet"]}"#, type: patch) }),
            Edit(
                name: "edit \(Format.number(batch.count)) geofences",
                requests: [.init("POST", "/v1/geofences:edit", body: Self.edits(batch))]),
            Edit(
                name: "refused edit of \(Format.number(batch.count))",
                requests: [
                    .init(
                        "POST", "/v1/geofences:edit", body: Self.edits(refused), expecting: 404...404)
                ]),
            Edit(
                name: "geofence over a third",
                requests: [
                    .init(
                        "PUT", "/v1/geofences/third",
                        body: #"{"id":"third","name":"Third","latitude":0.5,"longitude":0.5,"radius":36200}"#)
                ]),
            Edit(name: "remove that geofence", requests: [.init("DELETE", "/v1/geofences/third")]),
            Edit(
                name: "app's report after an edit",
                before: [
                    .init("PATCH", "/v1/devices/d13", body: #"{"platform":"ios","registry":"app"}"#, type: patch), Self.report,
                    .init("PATCH", "/v1/geofences/fence-30", body: #"{"radius":222}"#, type: patch),
                ], requests: [Self.report]),
            Edit(
                name: "repair of a phone",
                before: [.init("PATCH", "/v1/devices/d14", body: #"{"platform":"ios","registry":"simulated"}"#, type: patch)],
                requests: [.init("POST", "/v1/devices/d14/fix-registration")]),
        ]
    }

    private static let report = ServedService.Request(
        "PUT", "/v1/devices/d13/registry", body: #"{"authorizationStatus":"always","regions":[]}"#)

    /// The edits of up to 1,000 geofences, each of which moves one to another position.
    private func batch(seed: UInt64) -> [String] {
        var random = SplitMix64(state: seed)
        return (0..<min(1000, geofences)).map { number in
            #"{"put":{"id":"fence-\#(number)","name":"Fence \#(number)","latitude":\#(random.unit()),"#
                + #""longitude":\#(random.unit()),"radius":\#(100 + (400 * random.unit()).rounded())}}"#
        }
    }

    private static func edits(_ edits: [String]) -> String { #"{"edits":["# + edits.joined(separator: ",") + "]}" }

    // MARK: - Measuring

    private static let columns = BenchmarkColumns([
        ("BESIDE POSITIONS", 28), ("REQUESTS", 8), ("LONGEST", 9), ("WAITS P50", 9), ("P99", 9), ("MAX", 9), ("MAX LONGER", 10),
    ])

    /// Sends requests while positions are sent steadily, and measures and prints how long the positions waited.
    ///
    /// - Parameters:
    ///   - requests: Sent one after the other.
    ///   - seconds: How long the positions are watched after the last answer.
    ///   - base: The waits without any request.
    /// - Returns: The waits of the positions.
    @discardableResult
    private func measure(
        _ requests: [ServedService.Request], during seconds: Double = 0.3, name: String, over base: LatencyHistogram?,
        service: ServedService
    ) throws(Problem) -> LatencyHistogram {
        guard let steady = service.steady else { return LatencyHistogram() }
        // The pause and the reset keep the effects of the previous measurement out of this one.
        pause(0.3)
        _ = try steady.waits()
        steady.reset()
        var longest = 0.0
        for request in requests { longest = max(longest, try service.send(request)) }
        pause(seconds)
        let waits = try steady.waits()
        let most = Double(waits.maximum) * 1e-6
        let longer = base.map { max(0, most - Double($0.maximum) * 1e-6) }
        bench.printResult(
            "dense",
            members: [
                ("part", "edits"), ("beside", .string(name)), ("requests", JSONValue(requests.count)),
                ("longestRequest", requests.isEmpty ? nil : .benchmarkFigure(longest)), ("positions", JSONValue(waits.count)),
                ("p50", .benchmarkFigure(waits.quantile(0.5))), ("p99", .benchmarkFigure(waits.quantile(0.99))),
                ("max", .benchmarkFigure(most)), ("longer", longer.map(JSONValue.benchmarkFigure)),
            ],
            text: "  "
                + Self.columns.row([
                    name, Format.number(requests.count), requests.isEmpty ? "-" : Format.decimal(longest, 1),
                    Format.decimal(waits.quantile(0.5), 2), Format.decimal(waits.quantile(0.99), 2), Format.decimal(most, 1),
                    longer.map { Format.decimal($0, 1) } ?? "-",
                ]))
        return waits
    }
}
