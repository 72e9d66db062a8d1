import Model
import TestSupport
import Testing

@testable import Core
@testable import Server
@testable import Service

@Suite("Sample data over HTTP")
struct SampleDataRouteTests {
    private let bench: ServerBench

    init() async throws {
        bench = try ServerBench()
        // More positions than are put in order at once.
        let rows = (0..<5000).map { second in
            #"{"device":"own","timestamp":"\#(bench.clock.now() + Double(second - 6000))","latitude":52.5,"longitude":13.4}"#
        }
        let answer = try await bench.ask(
            "POST", "/v1/positions?events=false", body: rows.joined(separator: "\n"), type: "application/x-ndjson")
        #expect(answer.status == 200)
    }

    private var unordered: Int {
        get async throws {
            try await bench.server.api.store.writer.perform { service throws(Problem) in try service.store.unorderedFixCount() }
        }
    }

    @Test("Before sample devices are erased, positions are put in order, so that not all are searched for each device")
    func removal() async throws {
        let loaded = try await bench.ask("POST", "/v1/sample-data", body: "").json()
        #expect(loaded["devices"]?.double ?? 0 > 1, "\(loaded)")
        let before = try await unordered
        #expect(before > 4000)
        let removed = try await bench.ask("DELETE", "/v1/sample-data").json()
        #expect(removed["devices"]?.double ?? 0 > 1, "\(removed)")
        #expect(try await unordered < before)
        #expect(try await bench.json("/v1/check")["isSound"]?.bool == true)
    }
}
