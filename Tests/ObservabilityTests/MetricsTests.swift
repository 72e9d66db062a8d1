import Foundation
import Model
import Observability
import Synchronization
import Testing

/// A strict parser for Prometheus' text format 0.0.4.
private struct ExpositionReader {
    struct Sample {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    enum Flaw: Error {
        case line(String)
    }

    private(set) var samples: [Sample] = []
    private(set) var types: [String: String] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Flaw.line("no end of line at the end") }
        let name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
        let label = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\""
        let sample = try NSRegularExpression(pattern: "^(\(name))(?:\\{((?:\(label),)*\(label))\\})? (\\S+)$")
        var helped: Set<String> = []
        var current = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, helped.insert(words[2]).inserted else { throw Flaw.line(line) }
                continue
            }
            if line.hasPrefix("# TYPE ") {
                // Each name has one TYPE line, before its samples.
                guard words.count == 4, types[words[2]] == nil, ["counter", "gauge", "histogram"].contains(words[3]) else {
                    throw Flaw.line(line)
                }
                types[words[2]] = words[3]
                current = words[2]
                continue
            }
            let range = NSRange(line.startIndex..., in: line)
            guard let match = sample.firstMatch(in: line, range: range) else { throw Flaw.line(line) }
            func group(_ number: Int) -> String? { Range(match.range(at: number), in: line).map { String(line[$0]) } }
            let sampleName = group(1) ?? ""
            let suffixes = types[current] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            guard suffixes.contains(where: { sampleName == current + $0 }), helped.contains(current) else {
                throw Flaw.line(line)
            }
            var labels: [String: String] = [:]
            for pair in (group(2) ?? "").split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                labels[String(parts[0])] = String(parts[1].dropFirst().dropLast())
            }
            let text = group(3) ?? ""
            guard let value = text == "+Inf" ? .infinity : text == "-Inf" ? -.infinity : Double(text) else {
                throw Flaw.line(line)
            }
            samples.append(Sample(name: sampleName, labels: labels, value: value))
        }
        for (name, type) in types where type == "histogram" { try check(name) }
    }

    /// Checks that a histogram's buckets are cumulative, and that the last one contains everything.
    private func check(_ name: String) throws {
        let buckets = samples.filter { $0.name == name + "_bucket" }
        let bounds = buckets.compactMap { $0.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } }
        let counts = buckets.map(\.value)
        guard bounds.count == buckets.count, bounds == bounds.sorted(), bounds.last == .infinity, counts == counts.sorted(),
            counts.last == value(name + "_count"), value(name + "_sum") != nil
        else { throw Flaw.line(name) }
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = samples.filter { $0.name == name && $0.labels == labels }
        return found.count == 1 ? found[0].value : nil
    }
}

@Suite("Metrics")
struct MetricsTests {
    private let start = Instant("2026-05-01T10:00:00Z")!

    private func read(_ metrics: Metrics, at now: Instant? = nil) throws -> ExpositionReader {
        try ExpositionReader(metrics.rendered(at: now ?? start))
    }

    @Test("Metrics are rendered in Prometheus' text format, before and after the first values")
    func format() throws {
        let metrics = Metrics(version: "1.0 \"a\\b\"\n", startedAt: start)
        let before = try read(metrics)
        #expect(before.samples.allSatisfy { $0.value >= 0 })
        metrics.commitTime.observe(0.003)
        metrics.groupFixes.observe(70_000)
        metrics.requestTime.observe(.nan)
        metrics.requestTime.observe(-1)
        metrics.requestTime.observe(.infinity)
        let after = try read(metrics)
        #expect(after.types == before.types && after.samples.count == before.samples.count)
        #expect(Metrics.contentType.hasPrefix("text/plain; version=0.0.4"))
        #expect(after.value("process_start_time_seconds") == start.seconds)
        #expect(try #require(after.value("process_resident_memory_bytes")) > 1e6)
    }

    @Test("Counters count each kind of occurrence")
    func counts() throws {
        let metrics = Metrics(version: "1", startedAt: start)
        metrics.acceptedFixes.add(15)
        metrics.lateFixes.add(6)
        metrics.duplicateFixes.add(9)
        metrics.newestFix.raise(to: Int(start.milliseconds))
        metrics.events.add(.enter, 4)
        metrics.requests.add(.init(status: 204))
        metrics.requests.add(.init(status: 503))
        metrics.repairs.add(.failed)
        metrics.connections.add(3)
        metrics.connections.add(-1)
        metrics.unhealthyDevices.set(7)
        metrics.slowReaders.add()
        metrics.recordRetentionRun(at: start + 1.5)
        metrics.recordBackup(at: start + 1)
        let page = try read(metrics, at: start + 2)
        #expect(page.value("picket_fixes_accepted_total") == 15)
        #expect(page.value("picket_fixes_late_total") == 6)
        #expect(page.value("picket_fixes_duplicate_total") == 9)
        #expect(page.value("picket_events_total", ["type": "enter"]) == 4)
        #expect(page.value("picket_events_total", ["type": "exit"]) == 0)
        #expect(page.value("picket_http_requests_total", ["status": "2xx"]) == 1)
        #expect(page.value("picket_http_requests_total", ["status": "5xx"]) == 1)
        #expect(page.value("picket_repairs_total", ["outcome": "failed"]) == 1)
        #expect(page.value("picket_connections") == 2)
        #expect(page.value("picket_managed_devices", ["health": "unhealthy"]) == 7)
        #expect(page.value("picket_slow_readers_total") == 1)
        #expect(page.value("picket_lag_seconds") == 2)
        #expect(page.value("picket_retention_last_run_timestamp_seconds") == start.seconds + 1.5)
        #expect(page.value("picket_backup_last_timestamp_seconds") == start.seconds + 1)
        #expect(page.value("picket_build_info", ["version": "1"]) == 1)
    }

    @Test("Problems outside the journal are added to the count, and each sink is shown with its state")
    func sources() throws {
        let metrics = Metrics(version: "1", startedAt: start)
        #expect(try read(metrics).value("picket_problems") == 0)
        metrics.openProblems.set(3)
        metrics.escalatedProblems.set(1)
        metrics.setUnrecordedProblemSource { [start] in
            $0 > start ? .init(standing: 1, escalated: 1) : .init(standing: 0, escalated: 0)
        }
        metrics.setSinkSource(states: ["good", "bad"]) {
            [.init(id: "b", state: "bad", waiting: 4, rejected: 3, delivered: 2, failures: 1, tooOld: 5)]
        }
        metrics.setStore("s", epoch: "g", newest: 9)
        #expect(try read(metrics).value("picket_problems") == 3)
        let page = try read(metrics, at: start + 1)
        #expect(page.value("picket_problems") == 4)
        #expect(page.value("picket_problems_escalated") == 2)
        #expect(page.value("picket_sink_waiting", ["sink": "b"]) == 4)
        #expect(page.value("picket_sink_parked", ["sink": "b"]) == 3)
        #expect(page.value("picket_sink_delivered_total", ["sink": "b"]) == 2)
        #expect(page.value("picket_sink_failures_total", ["sink": "b"]) == 1)
        #expect(page.value("picket_sink_too_old_total", ["sink": "b"]) == 5)
        #expect(page.value("picket_sink_state", ["sink": "b", "state": "bad"]) == 1)
        #expect(page.value("picket_sink_state", ["sink": "b", "state": "good"]) == 0)
        #expect(page.value("picket_store_info", ["store": "s", "generation": "g"]) == 1)
        #expect(page.value("picket_newest_event") == 9)
    }

    @Test("A histogram counts a value equal to a bound in that bound's bucket")
    func histogram() {
        let histogram = Histogram(bounds: [1, 2, 5], parts: 1e9)
        for value in [0.5, 1, 1.5, 2, 5, 5.25] { histogram.observe(value) }
        #expect(histogram.cumulative == [2, 4, 5, 6])
        #expect(histogram.total == 15.25)
        for other in [Histogram.seconds(), .counts()] {
            #expect(other.bounds == other.bounds.sorted())
            for bound in other.bounds { other.observe(bound) }
            let count = UInt64(other.bounds.count)
            let expected: [UInt64] = Array(1...count) + [count]
            #expect(other.cumulative == expected)
        }
    }

    @Test("Values counted from several threads are not lost")
    func threads() {
        let counter = Counter()
        let gauge = Gauge()
        let histogram = Histogram(bounds: [10, 20], parts: 1)
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for number in 0..<10_000 {
                counter.add()
                gauge.add(number % 2 == 0 ? 1 : -1)
                gauge.raise(to: -1)
                histogram.observe(Double(number % 30))
            }
        }
        #expect(counter.value == 80_000 && gauge.value == 0)
        #expect(histogram.cumulative.last == 80_000)
        let sumOfOne: Int = (0..<10_000).reduce(0) { sum, number in sum + number % 30 }
        #expect(histogram.total == Double(8 * sumOfOne))
    }
}
