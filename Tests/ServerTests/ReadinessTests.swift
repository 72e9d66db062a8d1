import Core
import Foundation
import Model
import Service
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Readiness", .timeLimit(.minutes(60)))
struct ReadinessTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// The status of `/readyz`, and the code of the problem.
    private func readiness() async throws -> (status: Int, code: String?) {
        let answer = try await bench.ask("GET", "/readyz")
        return (answer.status, answer.status == 200 ? nil : try JSONParser.parse(answer.text)["code"]?.string)
    }

    private func move(_ second: Int) async throws -> TestAnswer {
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:0\(second)Z")
    }

    @Test("A service whose writes fail is not ready, and is ready again after one that succeeds")
    func failingWrites() async throws {
        #expect(try await move(0).status == 200)
        #expect(try await readiness() == (200, nil))
        do {
            let fault = try FileFault(.write, of: bench.data.storePath + "-wal")
            let answer = try await move(1)
            #expect(answer.status == 503 && answer["Retry-After"] == "5")
            #expect(try JSONParser.parse(answer.text)["code"] == "diskFailed", "\(answer.text)")
            #expect(try await readiness() == (503, "diskFailed"))
            let problems = try await bench.json("/v1/problems")["problems"]?.array
            #expect(problems?.first?["source"] == "job/store" && problems?.first?["problem"]?["code"] == "diskFailed")
            _ = fault
        }
        #expect(try await move(1).status == 200)
        #expect(try await readiness() == (200, nil))
    }

    @Test("A service on a full disk is not ready, even before a position has failed")
    func full() async throws {
        try await bench.server.api.store.writer.perform { $0.freeBytes = { 1000 } }
        #expect(try await readiness() == (503, "storeFull"))
        try await bench.server.api.store.writer.perform { $0.freeBytes = { 1 << 30 } }
        #expect(try await readiness() == (200, nil))
    }

    @Test("A service whose store was deleted is not ready, even before a position has failed")
    func deleted() async throws {
        #expect(unlink(bench.data.storePath) == 0)
        #expect(try await readiness() == (503, "storeReplaced"))
        let answer = try await move(0)
        #expect(try answer.status == 503 && JSONParser.parse(answer.text)["code"] == "storeReplaced")
        let problem = try await bench.json("/v1/problems")["problems"]?.array?.first
        #expect(problem?["source"] == "job/store" && problem?["problem"]?["code"] == "storeReplaced")
    }

    @Test("Many questions at once, and soon after a positive one, share checks of the writer")
    func shared() async {
        let checks = Atomic<Int>(0)
        let end = DispatchSemaphore(value: 0)
        let check = ReadinessCheck {
            checks.add(1, ordering: .relaxed)
            await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    end.wait()
                    done.resume()
                }
            }
            return nil
        }
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { await check.problem() == nil } }
            while checks.load(ordering: .relaxed) == 0 { await Task.yield() }
            for _ in 0..<100 { end.signal() }
            for await isReady in group { #expect(isReady) }
        }
        #expect(checks.load(ordering: .relaxed) < 50)
    }
}
