import Core
import Foundation
import Model
import Observability
import Presence
import Service
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Service metrics")
struct ServiceMetricsTests {
    private let start = Instant("2026-05-01T10:00:00Z")!

    @Test("Positions are counted by what became of them, and the newest time is kept")
    func positions() {
        let metrics = Metrics(version: "1", startedAt: start)
        var counts = IntakeCounts()
        counts.accepted = 5
        counts.late = 2
        counts.duplicates = 3
        metrics.countIntake(counts, newest: start)
        metrics.countIntake(counts, newest: start + -50)
        metrics.countIntake(counts, newest: nil)
        #expect(metrics.acceptedFixes.value == 15 && metrics.lateFixes.value == 6 && metrics.duplicateFixes.value == 9)
        #expect(metrics.rendered(at: start + 2).contains("\npicket_lag_seconds 2\n"))
    }

    @Test("The problem of the store counts while it is open")
    func storeProblem() {
        let metrics = Metrics(version: "1", startedAt: start)
        let problem = StoreProblem(clock: SystemClock())
        metrics.includeStoreProblem(problem)
        problem.recordFailure(.storeFull(path: "/store"))
        #expect(metrics.rendered(at: start).contains("\npicket_problems 1\n"))
        _ = problem.resolve()
        #expect(metrics.rendered(at: start).contains("\npicket_problems 0\n"))
    }

    @Test(
        "The reason of a refused position follows from the decoder's refusal",
        arguments: [
            (#"{"device":"a","latitude":1,"longitude":2}"#, .missing),
            (#"{"device":"a","timestamp":"soon","latitude":1,"longitude":2}"#, .unreadable),
            (#"{"device":"a","timestamp":1e9,"latitude":"x","longitude":2}"#, .unreadable),
            (#"{"device":"a","timestamp":1e9,"latitude":91,"longitude":2}"#, .outOfRange),
            (#"{"device":"a","timestamp":1e9,"latitude":5000,"longitude":2}"#, .outOfRange),
            (#"{"device":"a","timestamp":1e9,"latitude":1,"longitude":2,"accuracy":-1}"#, .outOfRange),
            (#"{"device":"a","timestamp":1e9,"latitude":0,"longitude":0}"#, .noPosition),
            (#"{"device":"a","timestamp":"2099-01-01T00:00:00Z","latitude":1,"longitude":2}"#, .future),
        ] as [(String, RefusalReason)])
    func reasons(_ line: String, _ reason: RefusalReason) throws {
        let bench = try Workbench()
        let path = try bench.directory.write(line + "\n", to: "positions.ndjson")
        let refusals = try bench.feed([path]).refusals
        #expect(refusals.map(RefusalReason.init(_:)) == [reason], "\(refusals)")
    }
}
