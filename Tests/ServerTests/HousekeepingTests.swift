import Core
import Geodesy
import Model
import Observability
import Places
import Presence
import Synchronization
import TestSupport
import Testing

@testable import Server
@testable import Service

@Suite("Housekeeping")
struct HousekeepingTests {
    @Test("Expired positions are deleted, and the log names their number")
    func deletion() async throws {
        let bench = try ServerBench(logLevel: .info)
        for minute in 10...12 { try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:\(minute):00Z") }
        let count = try await bench.json("/v1/devices/anna?keepPositions=86400")["deletion"]
        #expect(count?["positions"]?.double == 3 && count?["of"]?.double == 3)
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"keepPositions":86400}"#)
        // Housekeeping deletes positions at its first tick. The service's own housekeeping may do so first, with the same result.
        Housekeeping(bench.server.api, bench.data, keepPositions: nil).tick()
        _ = try await bench.server.api.store.writer.perform { _ in }
        #expect(try await bench.json("/v1/devices/anna/track")["fixes"]?.array?.isEmpty == true)
        let lines = try bench.log.split(separator: "\n").filter { $0.contains("deleted:") }
        #expect(lines.count == 1 && lines[0].contains("positions=3") && lines[0].contains("devices=1"), "\(lines)")
    }

    @Test("A large deletion is logged in one line")
    func largeDeletion() async throws {
        let bench = try ServerBench(logLevel: .info)
        let writer = bench.server.api.store.writer
        for day in 1...3 {
            let fixes = try await writer.perform { service throws(Problem) in
                var batch = FixBatch()
                let device = batch.number(ofDevice: "anna")
                for second in 0..<20_000 {
                    let time = Instant("2026-05-0\(day)T00:00:00Z")! + Double(second)
                    batch.rows.append(
                        .init(
                            fix: Fix(time: time, coordinate: Coordinate(latitude: 52, longitude: 13)), device: device,
                            line: second))
                }
                return try service.accept(batch).counts.accepted
            }
            #expect(fixes == 20_000)
        }
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"keepPositions":86400}"#)
        Housekeeping(bench.server.api, bench.data, keepPositions: nil).tick()
        func deleted() throws -> [Int] {
            try bench.log.matches(of: /deleted: .* positions=(\d+)/).map { Int($0.output.1) ?? 0 }
        }
        // Each step passes through the writer: twelve for 60,000 positions, and one that finds no more.
        for _ in 0..<100 where try deleted().reduce(0, +) < 60_000 { try await writer.perform { _ in } }
        // The service's own housekeeping may have deleted some of the positions.
        let lines = try deleted()
        #expect(lines.reduce(0, +) == 60_000 && lines.count <= 2, "\(lines)")
    }

    @Test("A phone's problem is found within seconds after an edit of its groups, and when its report becomes too old")
    func survey() async throws {
        let bench = try ServerBench()
        try await bench.add("camp", 52.5, 13.4, radius: 200, #","groups":["scouts"]"#)
        let report = #"{"authorizationStatus":"always","platform":"ios","regions":[]}"#
        #expect(try await bench.ask("PUT", "/v1/devices/app/registry", body: report).status == 201)
        let housekeeping = Housekeeping(bench.server.api, bench.data, keepPositions: nil)
        /// Ticks for a few seconds, fewer than the minute after which the health is surveyed anyway.
        func problem() async throws -> String? {
            for _ in 0..<10 {
                housekeeping.tick()
                while bench.server.api.runningJobs.contains(.health) { await Task.yield() }
            }
            let problems = try await bench.json("/v1/problems")["problems"]?.array ?? []
            return problems.first { $0["source"] == "registry/app" }?["problem"]?["message"]?.string
        }
        let healthy = try await problem()
        #expect(healthy == nil)
        let edit = try await bench.ask(
            "PATCH", "/v1/devices/app", body: #"{"groups":["scouts"]}"#, type: "application/merge-patch+json")
        #expect(edit.status == 200, "\(edit.text)")
        let missing = try #require(try await problem())
        // Nothing is recorded when the report becomes too old.
        bench.clock.set(bench.clock.now() + bench.server.api.store.settings.appReportMaxAge + 1)
        let stale = try #require(try await problem())
        #expect(stale != missing)
    }

    /// So many positions of `anna` that her erasure takes several steps.
    private static let manyFixes: FixBatch = {
        var batch = FixBatch()
        for second in 0..<2000 {
            let time = Instant("2026-11-20T10:00:00Z")! + Double(second)
            let fix = Fix(time: time, coordinate: Coordinate(latitude: 52, longitude: 13))
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "anna"), line: second))
        }
        return batch
    }()

    @Test("An erasure that a request performs is left to it; one without progress for a minute is completed")
    func erasure() async throws {
        let bench = try ServerBench()
        let writer = bench.server.api.store.writer
        try await writer.perform { service throws(Problem) in
            _ = try service.accept(Self.manyFixes)
        }
        func step() async throws {
            let hasMore = try await writer.perform { service throws(Problem) in
                var job = DeviceErasureJob(ofDevice: "anna", rewriting: false)
                return try job.step(service)
            }
            #expect(hasMore)
        }
        func exists() async throws -> Bool { try await bench.ask("GET", "/v1/devices/anna").status == 200 }
        let housekeeping = Housekeeping(bench.server.api, bench.data, keepPositions: nil)
        func minute() async {
            for _ in 0..<60 { housekeeping.tick() }
            while bench.server.api.runningJobs.contains(.erasure) { await Task.yield() }
        }
        try await step()
        await minute()
        try await step()
        await minute()
        #expect(try await exists())
        await minute()
        #expect(try await !exists())
    }

    @Test("If the disk becomes full between the steps of an erasure, the answer says so, and it is completed when there is space")
    func fullDisk() async throws {
        let bench = try ServerBench()
        let writer = bench.server.api.store.writer
        try await writer.perform { service throws(Problem) in
            _ = try service.accept(Self.manyFixes)
            var job = DeviceErasureJob(ofDevice: "anna", rewriting: true)
            #expect(try job.step(service))
            service.freeBytes = { 0 }
        }
        let answer = try await bench.ask("POST", "/v1/devices/anna:erase")
        #expect(try answer.status == 507 && answer.json()["code"]?.string == "storeFull")
        func exists() async throws -> Bool { try await bench.ask("GET", "/v1/devices/anna").status == 200 }
        func problem() async throws -> String? {
            try await bench.json("/v1/problems")["problems"]?.array?.first {
                $0["source"]?.string == JobName.erasure.source
            }?[
                "problem"]?["code"]?.string
        }
        let housekeeping = Housekeeping(bench.server.api, bench.data, keepPositions: nil)
        func minute() async {
            for _ in 0..<60 { housekeeping.tick() }
            while bench.server.api.runningJobs.contains(.erasure) { await Task.yield() }
        }
        for _ in 0..<2 { await minute() }
        #expect(try await exists())
        #expect(try await problem() == "storeFull")
        try await writer.perform { $0.freeBytes = { nil } }
        await minute()
        #expect(try await !exists())
        #expect(try await problem() == nil)
        #expect(try await writer.perform { service throws(Problem) in try service.unfinishedErasures().isEmpty })
    }

    @Test("On a service that does nothing, no requests wait for the writer")
    func idle() async throws {
        let bench = try ServerBench()
        let housekeeping = Housekeeping(bench.server.api, bench.data, keepPositions: nil)
        for _ in 0..<2 {
            housekeeping.tick()
            while bench.server.api.runningJobs.contains(.health) { await Task.yield() }
            // The work of this second is done.
            for _ in 0..<4 { try await bench.server.api.store.writer.perform { _ in } }
        }
        #expect(try await bench.ask("GET", "/metrics").text.contains("\npicket_queue_requests 0\n"))
    }

    @Test("A success that could not be recorded is recorded with the next success")
    func lostResolution() async throws {
        let directory = try TemporaryDirectory()
        let writer = try Writer(DataDirectory(path: directory.path + "/data"), purpose: "test")
        defer { writer.stop() }
        let source = JobName.health.source
        try await writer.perform { service throws(Problem) in
            try service.record(.noConnection(peer: "phone", details: ""), source: source)
        }
        func sources() async throws -> [String] {
            try await writer.perform { service throws(Problem) in
                try service.problems(withDismissed: false, after: nil, limit: 10).items.map(\.source)
            }
        }
        let journal = JobJournal(log: Log(level: .error))
        journal.recordEnd(of: .health)
        let stopped = try Writer(DataDirectory(path: directory.path + "/stopped"), purpose: "test")
        stopped.stop()
        journal.begin(stopped)
        journal.recordEnd(of: .health)
        #expect(try await sources() == [source])
        journal.begin(writer)
        journal.recordEnd(of: .health)
        #expect(try await sources().isEmpty)
    }
}
