import Dispatch
import Model
import TestSupport
import Testing

@testable import Server
@testable import Service

@Suite("Lanes of readers")
struct ReaderLaneTests {
    /// Keeps a reader busy until it is released.
    private final class Blocker: Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let end = DispatchSemaphore(value: 0)

        init(_ readers: Readers) async {
            let (begun, end) = (begun, end)
            await withCheckedContinuation { continuation in
                _ = readers.submit({ _ in
                    continuation.resume()
                    begun.signal()
                    end.wait()
                }) { (_: Result<Void, Problem>) in }
            }
        }

        func release() { end.signal() }
    }

    @Test("Heavy queries keep no light one waiting")
    func heavy() async throws {
        let bench = try ServerBench()
        let blocker = await Blocker(bench.server.api.heavyReaders)
        let client = bench.client
        async let totals = client.answer(TestRequest("GET", "/v1/health?totals=true"))
        #expect(try await bench.ask("GET", "/v1/geofences").status == 200)
        #expect(try await bench.ask("GET", "/v1/status").status == 200)
        blocker.release()
        #expect(try await totals.status == 200)
    }

    @Test("Readiness does not wait for readers")
    func ready() async throws {
        let bench = try ServerBench()
        let api = bench.server.api
        let blockers = [await Blocker(api.readers), await Blocker(api.readers), await Blocker(api.heavyReaders)]
        #expect(try await bench.ask("GET", "/readyz").text == "ready\n")
        for blocker in blockers { blocker.release() }
    }
}
