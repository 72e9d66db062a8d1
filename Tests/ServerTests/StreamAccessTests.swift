import Foundation
import Model
import TestSupport
import Testing

@testable import HTTPServer
@testable import Server
@testable import Service

@Suite("Access of open streams")
struct StreamAccessTests {
    /// All that a stream sends before it ends.
    private func text(of stream: EventStream) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let part = unsafe buffer.withUnsafeMutableBytes { unsafe stream.read($0) }
            guard case .bytes(let count) = part else { return text }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    @Test("A stream whose token was revoked after its request was authenticated ends at once", arguments: ["gone", nil])
    func revoked(token: String?) async throws {
        let bench = try ServerBench()
        let api = bench.server.api
        // From the first token on, every request needs one.
        _ = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"desk","role":"admin"}"#)
        let stream = EventStream(
            after: 0, of: api.epochs.current.id, .init(), isResumed: false, tokenID: token, expiresAt: nil, log: api.log,
            readers: api.store.readers, client: .service, streams: api.streams, groups: api.store.writer.deviceGroups)
        api.streams.add(stream, api.log)
        #expect(text(of: stream).contains(token == nil ? "the access rules of the service have" : "the token was revoked"))
        api.streams.remove(stream)
    }

    @Test("A stream whose reader takes nothing is counted and logged, and other answers are not")
    func stalled() throws {
        let bench = try ServerBench(logLevel: .warning)
        let api = bench.server.api
        var summary = ExchangeSummary(
            method: "GET", path: "/v1/events/stream", status: 200, seconds: 40, client: "192.0.2.7", isStream: true,
            isStalled: true,
            isRejectedForLoad: false)
        let before = api.diagnostics.metrics.slowReaders.value
        api.ended(summary)
        #expect(api.diagnostics.metrics.slowReaders.value == before + 1)
        let log = try bench.log
        #expect(log.contains("read nothing for too long") && log.contains("192.0.2.7"), "\(log)")
        summary.isStream = false
        api.ended(summary)
        summary.isStream = true
        summary.isStalled = false
        api.ended(summary)
        #expect(api.diagnostics.metrics.slowReaders.value == before + 1)
    }
}
