import Core
import Foundation
import Model
import Notifications
import Synchronization
import ToolSupport

/// Measures how fast a running service sends to a sink whose endpoint is on the same machine.
struct SinkBenchmark {
    let bench: Benchmark
    let isShort: Bool
    /// The URL of an MQTT broker to publish to as well; nil for webhooks only.
    let broker: String?

    func run(events: Int) throws(Problem) {
        try Descriptors.raise()
        bench.printText("sinks: webhooks to an endpoint on the same machine\(broker == nil ? "" : ", messages to a broker")")
        let events = isShort ? events / 10 : events
        try webhookBacklog(events)
        if let broker { try brokerBacklog(events, at: broker) }
        try measureLatency(rate: 1000, seconds: isShort ? 3 : 30)
    }

    /// Creates a store with one geofence and one sink.
    ///
    /// - Parameter sink: The kind of the sink, its target and its options.
    private func prepare(_ data: String, _ sink: [String]) throws(Problem) {
        try bench.run(["--data", data, "geofence", "add"] + CircleVisits.circle)
        try bench.run(["--data", data, "sink", "add"] + sink + ["--id", "bench", "--initial", "yes", "--json"])
    }

    private static func webhook(_ endpoint: LoadEndpoint) -> [String] { ["webhook", "http://127.0.0.1:\(endpoint.port)/hook"] }

    private func webhookBacklog(_ events: Int) throws(Problem) {
        let endpoint = try LoadEndpoint { _ in }
        defer { endpoint.close() }
        try measureBacklog(events, of: "webhooks", data: "\(bench.folder)/backlog", sink: Self.webhook(endpoint)) {
            endpoint.count
        }
    }

    private func brokerBacklog(_ events: Int, at broker: String) throws(Problem) {
        let data = "\(bench.folder)/broker"
        let sink = ["mqtt", broker, "--topic", "picket-bench/{deviceId}", "--state-topic", "none"]
        try measureBacklog(events, of: "messages", data: data, sink: sink) { () throws(Problem) in
            try ServiceReader(DataDirectory(path: data)).sink(id: "bench").delivered
        }
    }

    /// Measures how fast a backlog of events is sent after a paused sink resumes, and how much memory that takes.
    ///
    /// - Parameters:
    ///   - name: What is sent, for the printed result.
    ///   - count: Returns how many have arrived.
    private func measureBacklog(
        _ events: Int, of name: String, data: String, sink: [String], count: () throws(Problem) -> Int
    ) throws(Problem) {
        try prepare(data, sink)
        try bench.run(["--data", data, "sink", "pause", "bench"])
        try writeVisits(events, to: "\(bench.folder)/visits.csv")
        try bench.run(["--data", data, "feed", "\(bench.folder)/visits.csv", "--policy", "exact", "--quiet"])
        let service = try ServedChild(data: data, options: ["--auto-repair-interval", "0"])
        do throws(Problem) {
            // A few commands first, so that the idle memory is that of a service that has answered requests.
            for _ in 0..<3 { try bench.run(["--data", data, "sink", "list"]) }
            let idle = service.memory().now
            let processor = service.processorTime()
            let start = Monotonic.nanoseconds()
            try bench.run(["--data", data, "sink", "resume", "bench"])
            while try count() < events {
                usleep(2000)
                guard Monotonic.nanoseconds() - start < 600_000_000_000 else {
                    throw .benchmark("\(try count()) of \(events) events arrived at the sink in time")
                }
            }
            let seconds = Double(Monotonic.nanoseconds() - start) * 1e-9
            let (share, most) = ((service.processorTime() - processor) / seconds, service.memory().most)
            try service.stop()
            let rate = Double(events) / seconds
            printResult(
                "backlog",
                members: [
                    ("sink", .string(sink[0])), ("events", JSONValue(events)), ("eventsPerSecond", JSONValue(rate.rounded())),
                    ("idleMemory", JSONValue(idle)),
                    ("peakMemory", JSONValue(most)), ("processorShare", .benchmarkFigure(share)),
                ],
                text: "a backlog of \(Format.number(events)): \(Format.number(Int(rate))) \(name)/s, \(idle >> 20) MB idle, "
                    + "\(most >> 20) MB at most, \(Format.decimal(share * 100, 0)) % of a processor")
        } catch {
            service.killProcess()
            throw error
        }
    }

    /// Measures the time from a position to the webhook of its event.
    private func measureLatency(rate: Double, seconds: Int) throws(Problem) {
        let count = Int(rate) * seconds
        let visits = CircleVisits(count)
        let times = Mutex(LatencyHistogram())
        let name = Array("\"occurredAt\":\"".utf8)
        let endpoint = try LoadEndpoint { body in
            let now = Monotonic.nanoseconds()
            guard let place = body.firstRange(of: name) else { return }
            let moment = body[place.upperBound...].prefix(24).withUnsafeBufferPointer { Instant(rfc3339: $0) }
            if let due = moment.flatMap({ visits.due(at: $0) }) { times.withLock { $0.add(nanoseconds: now - due) } }
        }
        defer { endpoint.close() }
        let data = "\(bench.folder)/latency"
        try prepare(data, Self.webhook(endpoint))
        let service = try ServedChild(data: data, options: ["--auto-repair-interval", "0"])
        do throws(Problem) {
            var load = try LoadGenerator(port: service.port, connections: 64)
            var body: [UInt8] = []
            let processor = service.processorTime()
            let start = Monotonic.nanoseconds()
            try load.run(count, rate: rate) { number, due, request in
                visits.write(number, due: due, into: &body)
                request.appendPost("/v1/positions?policy=exact", type: "application/json", body: body)
            }
            let share = (service.processorTime() - processor) / (Double(Monotonic.nanoseconds() - start) * 1e-9)
            _ = try load.measured()
            load.close()
            let end = Monotonic.nanoseconds() + 10_000_000_000
            while endpoint.count < count, Monotonic.nanoseconds() < end { usleep(2000) }
            try service.stop()
            let latency = times.withLock { $0 }
            let (p50, p99) = (latency.quantile(0.5), latency.quantile(0.99))
            printResult(
                "latency",
                members: [
                    ("eventsPerSecond", JSONValue(rate)), ("events", JSONValue(count)), ("received", JSONValue(endpoint.count)),
                    ("p50", .benchmarkFigure(p50)), ("p99", .benchmarkFigure(p99)), ("processorShare", .benchmarkFigure(share)),
                ],
                text:
                    "\(Format.number(Int(rate))) events/s, \(Format.number(endpoint.count)) of \(Format.number(count)) received: p50 "
                    + "\(Format.decimal(p50, 1)) ms, p99 \(Format.decimal(p99, 1)) ms from POST to webhook; "
                    + "\(Format.decimal(share * 100, 0)) % of a processor")
        } catch {
            service.killProcess()
            throw error
        }
    }

    /// Writes positions of devices that are inside the circle and outside it in turn, so that each position gives an event.
    private func writeVisits(_ count: Int, to path: String) throws(Problem) {
        let start = Instant(milliseconds: 1_767_225_600_000)
        try bench.writeLines(count, to: path, heading: "device,timestamp,latitude,longitude") { number in
            let round = number / CircleVisits.devices
            let latitude = round % 2 == 0 ? CircleVisits.inside : CircleVisits.outside
            return "car-\(number % CircleVisits.devices),\(start + Double(10 * round)),\(latitude),10.5"
        }
    }

    private func printResult(_ part: String, members: [(String, JSONValue?)], text: String) {
        bench.printResult("sinks", members: [("part", .string(part))] + members, text: "  " + text)
    }
}
