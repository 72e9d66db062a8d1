import Core
import Geodesy
import Model
import Presence
import SQLite
import Service
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Each job of the service is a separate source in the problem journal: its failure is an open problem until the job succeeds
/// again.
@Suite("Problems of internal jobs", .timeLimit(.minutes(60)))
struct JobProblemTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// The open problem of a source; nil when there is none.
    private func problem(_ source: String) async throws -> JSONValue? {
        try await bench.json("/v1/problems?all=true")["problems"]?.array?.first { $0["source"]?.string == source }
    }

    /// Changes the store behind the service's back, to cause a failure like a damaged index or a lock held by another program.
    private func execute(_ sql: String) throws {
        try Connection(path: bench.data.storePath, access: .write).execute(sql)
    }

    /// Ticks until a source has an open problem, or has none.
    private func tick(until isStanding: Bool, _ source: String) async throws -> JSONValue? {
        while true {
            try await bench.tick()
            let found = try await problem(source)
            if (found != nil) == isStanding { return found }
        }
    }

    @Test("A failed deletion of expired positions is a problem until it succeeds")
    func retention() async throws {
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:01:00Z")
        try execute("CREATE TRIGGER no BEFORE DELETE ON fix BEGIN SELECT RAISE(ABORT, 'not now'); END")
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"keepPositions":86400}"#)
        let found = try await tick(until: true, "job/retention")
        #expect(found?["problem"]?["code"]?.string == "storeFailed")
        #expect(found?["problem"]?["details"]?.string?.contains("not now") == true)
        try execute("DROP TRIGGER no")
        #expect(try await tick(until: false, "job/retention") == nil)
    }

    @Test("A transaction that keeps the write-ahead log from shrinking is a problem until it ends")
    func heldLog() async throws {
        let writer = bench.server.api.store.writer
        // Little free space, so that the log need not become large.
        _ = try await writer.perform { service throws(Problem) in service.freeBytes = { 8 << 20 } }
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        let reader = try Connection(path: bench.data.storePath, access: .read)
        try reader.execute("BEGIN; SELECT count(*) FROM fix")
        var second = 0.0
        while bench.data.logBytes < 5 << 20 {
            let from = second
            second += 2000
            _ = try await writer.perform { service throws(Problem) in
                var batch = FixBatch()
                let device = batch.number(ofDevice: "anna")
                for step in 0..<2000 {
                    let time = Instant("2026-05-02T00:00:00Z")! + from + Double(step)
                    batch.rows.append(
                        .init(
                            fix: Fix(time: time, coordinate: Coordinate(latitude: 52, longitude: 13)), device: device, line: step)
                    )
                }
                return try service.accept(batch).counts.accepted
            }
        }
        let found = try await tick(until: true, "job/wal")
        #expect(found?["problem"]?["code"]?.string == "walHeld")
        let message = try #require(found?["problem"]?["message"]?.string)
        #expect(message.contains("picket.sqlite has grown to "), "\(message)")
        #expect(message.contains("because a long query of the service (such as a check or a backup) keeps a transaction open"))
        #expect(try await bench.json("/v1/status")["walBytes"]?.double ?? 0 >= Double(5 << 20))
        try reader.execute("COMMIT")
        #expect(try await tick(until: false, "job/wal") == nil)
        #expect(bench.data.logBytes < 5 << 20)
    }

    @Test("A failed deadline is a problem until it succeeds")
    func deadlines() async throws {
        try await bench.add("home", 52.5, 13.4, #","dwell":60"#)
        try await bench.move("anna", to: 52.6, 13.4, at: "2026-11-20T11:58:00Z")
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T11:59:30Z")
        try execute("CREATE TRIGGER no BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'not now'); END")
        bench.clock.set(bench.clock.now() + 600)
        #expect(try await tick(until: true, "job/deadlines")?["problem"]?["code"]?.string == "storeFailed")
        try execute("DROP TRIGGER no")
        #expect(try await tick(until: false, "job/deadlines") == nil)
        #expect(try await bench.json("/v1/events").column("events", "type").contains("dwell"))
    }

    @Test("A failed replay of late fixes is a problem until it succeeds")
    func replay() async throws {
        try await bench.add("home", 52.5, 13.4)
        for (time, latitude) in [("08", 52.6), ("10", 52.5), ("11", 52.6)] {
            try await bench.move("anna", to: latitude, 13.4, at: "2026-11-20T\(time):00:00Z")
        }
        try execute("CREATE TRIGGER no BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'not now'); END")
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T09:00:00Z")
        bench.clock.set(bench.clock.now() + 60)
        #expect(try await tick(until: true, "job/replay")?["problem"]?["code"]?.string == "storeFailed")
        try execute("DROP TRIGGER no")
        #expect(try await tick(until: false, "job/replay") == nil)
        #expect(try await bench.json("/v1/events?all=true").column("events", "type").contains("retracted"))
    }

    @Test("Failed checks of phones for repair, health and lists are problems until they succeed")
    func phones() async throws {
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        try execute("ALTER TABLE device RENAME TO lost_device")
        #expect(try await tick(until: true, "job/repair")?["problem"]?["code"]?.string == "storeFailed")
        #expect(try await tick(until: true, "job/health")?["problem"]?["code"]?.string == "storeFailed")
        #expect(try await tick(until: true, "job/lists")?["problem"]?["code"]?.string == "storeFailed")
        try execute("ALTER TABLE lost_device RENAME TO device")
        #expect(try await tick(until: false, "job/repair") == nil)
        #expect(try await tick(until: false, "job/health") == nil)
        #expect(try await tick(until: false, "job/lists") == nil)
    }

    @Test("The failures of a job are counted, and escalate with the third")
    func counting() async throws {
        // The service does not run this job itself during the test.
        let bench = try ServerBench(flags: ["auto-repair-interval": "0"])
        func problem() async throws -> JSONValue? {
            try await bench.server.api.store.writer.perform { _ in }
            return try await bench.json("/v1/problems")["problems"]?.array?.first { $0["source"]?.string == "job/repair" }
        }
        let jobs = bench.server.api.diagnostics.jobs
        for _ in 1...3 { jobs.recordEnd(of: .repair, problem: .timeout(peer: "x", details: "")) }
        let found = try await problem()
        #expect(found?["consecutiveFailures"]?.double == 3 && found?["isEscalated"]?.bool == true)
        jobs.recordEnd(of: .repair)
        #expect(try await problem() == nil)
    }

    @Test("An unwritable store is tried again without any request")
    func tryingAgain() async throws {
        let api = bench.server.api
        api.diagnostics.storeProblem.recordFailure(.storeFull(path: bench.data.storePath))
        Housekeeping(api, bench.data, keepPositions: nil).tick()
        try await api.store.writer.perform { _ in }
        #expect(try await problem("job/store") != nil, "it is too soon")
        bench.clock.set(bench.clock.now() + 10)
        while api.diagnostics.storeProblem.current != nil {
            Housekeeping(api, bench.data, keepPositions: nil).tick()
            try await api.store.writer.perform { _ in }
        }
        #expect(try await problem("job/store") == nil)
    }
}
