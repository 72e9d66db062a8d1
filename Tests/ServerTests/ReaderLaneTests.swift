import Model
import Synchronization
import TestSupport
import Testing

@testable import Server
@testable import Service

@Suite("Lanes of readers")
struct ReaderLaneTests {
    @Test("Heavy queries keep no light one waiting")
    func heavy() async throws {
        let bench = try ServerBench()
        let blocker = await Blocker(bench.server.api.store.heavyReaders)
        let client = bench.client
        async let totals = client.answer(TestRequest("GET", "/v1/health?totals=true"))
        #expect(try await bench.ask("GET", "/v1/geofences").status == 200)
        #expect(try await bench.ask("GET", "/v1/status").status == 200)
        blocker.release()
        #expect(try await totals.status == 200)
    }

    @Test(
        "Queries that take long with many devices or geofences wait neither for light ones nor for those of minutes",
        .timeLimit(.minutes(60)),
        arguments: [
            ("GET", "/v1/health?totals=true", nil), ("GET", "/v1/geofences:export", nil), ("GET", "/v1/geofences/overlaps", nil),
            ("POST", "/v1/geofences:overlaps", #"{"latitude":52.5,"longitude":13.4,"radius":100}"#),
            (
                "POST", "/v1/geofences:import",
                #"{"type":"Feature","id":"b","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"radius":99}}"#
            ),
            ("GET", "/v1/report", nil), ("GET", "/v1/groups", nil), ("GET", "/v1/groups/family", nil),
            ("PATCH", "/v1/groups/family", #"{"keepPositions":0}"#),
        ])
    func lane(method: String, target: String, body: String?) async throws {
        let bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"groups":["family"]}"#)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T10:00:00Z")
        let api = bench.server.api
        let blockers = [await Blocker(api.store.readers), await Blocker(api.store.readers), await Blocker(api.store.longReaders)]
        let answer = try await bench.ask(method, target, body: body)
        #expect(answer.status == 200, "\(answer.text)")
        for blocker in blockers { blocker.release() }
    }

    @Test("Queries that wait when readers are stopped are canceled and not performed")
    func stopped() async throws {
        let bench = try ServerBench()
        let readers = Readers(bench.data, count: 1)
        let blocker = await Blocker(readers)
        let performed = Atomic<Int>(0)
        let cancelled = Atomic<Int>(0)
        for _ in 0..<100 {
            let isTaken = readers.submit({ _ in performed.add(1, ordering: .relaxed) }) { (result: Result<Void, Problem>) in
                if case .failure(.cancelled) = result { cancelled.add(1, ordering: .relaxed) }
            }
            #expect(isTaken)
        }
        async let stop: Void = BlockingCall.run { readers.stop() }
        // The queue is closed after the queries that wait are canceled.
        while readers.submit({ _ in }, { (_: Result<Void, Problem>) in }) { await Task.yield() }
        blocker.release()
        try await stop
        #expect(performed.load(ordering: .relaxed) == 0 && cancelled.load(ordering: .relaxed) == 100)
    }

    @Test("Readiness does not wait for readers")
    func ready() async throws {
        let bench = try ServerBench()
        let api = bench.server.api
        let blockers = [
            await Blocker(api.store.readers), await Blocker(api.store.readers), await Blocker(api.store.heavyReaders),
        ]
        #expect(try await bench.ask("GET", "/readyz").text == "ready\n")
        for blocker in blockers { blocker.release() }
    }
}
