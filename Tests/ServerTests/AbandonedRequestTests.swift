import Foundation
import Model
import Routing
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer
@testable import Server
@testable import Service

@Suite("Requests whose clients have disconnected")
struct AbandonedRequestTests {
    /// Two connected sockets; the first one is that of the service.
    private static func sockets() throws -> (service: Int32, client: Int32) {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }

    @Test("A client has left when it has closed the connection or its sending side", arguments: [false, true])
    func presence(isHalf: Bool) throws {
        let (service, client) = try Self.sockets()
        defer { close(service) }
        let presence = ClientPresence(descriptor: service)
        #expect(!presence.hasLeft)
        #expect(send(client, "x", 1, 0) == 1)
        #expect(!presence.hasLeft)
        if isHalf { shutdown(client, Int32(SHUT_WR)) } else { close(client) }
        #expect(presence.hasLeft)
        if isHalf { close(client) }
    }

    @Test("A request has no client after its end")
    func ended() throws {
        let (service, client) = try Self.sockets()
        defer { for socket in [service, client] { close(socket) } }
        let presence = ClientPresence(descriptor: service)
        presence.end()
        #expect(presence.hasLeft)
    }

    @Test(
        "A query that waits is canceled when its client disconnects, regardless of its method",
        arguments: [
            ("GET", "/v1/geofences", nil), ("GET", "/v1/visits", nil), ("GET", "/v1/events", nil),
            ("POST", "/v1/geofences:overlaps", #"{"latitude":52.5,"longitude":13.4,"radius":100}"#),
            ("POST", "/v1/replay", #"{"all":true,"apply":false}"#),
        ])
    func waiting(method: String, target: String, body: String?) async throws {
        let bench = try ServerBench()
        let api = bench.server.api
        let readers = [
            api.store.readers, api.store.readers, api.store.heavyReaders, api.store.heavyReaders, api.store.longReaders,
        ]
        var blockers: [Blocker] = []
        for reader in readers { blockers.append(await Blocker(reader)) }
        func release() { for blocker in blockers { blocker.release() } }
        let (service, client) = try Self.sockets()
        defer { close(service) }
        var request = Request(TestRequest(method, target, body: body), port: api.site.address.port)
        request.presence = ClientPresence(descriptor: service)
        var pending = PendingRequest(request) { api.begin($0) }
        if let body { Array(body.utf8).withUnsafeBufferPointer { _ = pending.receive($0) } }
        guard case .later(let begin) = pending.finish() else {
            release()
            Issue.record("it does not wait")
            return
        }
        close(client)
        let response: Response = await withCheckedContinuation { continuation in
            #expect(begin(Reply { continuation.resume(returning: $0) }))
            release()
        }
        #expect(response.isGivenUp)
    }

    @Test("A request that waits for events is canceled when its client disconnects")
    func longPoll() async throws {
        let bench = try ServerBench()
        let api = bench.server.api
        let (service, client) = try Self.sockets()
        defer { close(service) }
        var request = Request(TestRequest("GET", "/v1/events?wait=60s"), port: api.site.address.port)
        request.presence = ClientPresence(descriptor: service)
        var pending = PendingRequest(request) { api.begin($0) }
        guard case .later(let begin) = pending.finish() else {
            Issue.record("it does not wait")
            return
        }
        let response: Response = await withCheckedContinuation { continuation in
            #expect(begin(Reply { continuation.resume(returning: $0) }))
            close(client)
            api.waiters.tick()
        }
        #expect(response.isGivenUp)
    }

    /// A connection that is never resumed.
    private struct PausedConnection: PausableConnection {
        func pause() {}
        func resume() {}
    }

    @Test("A stream ends when its client disconnects")
    func stream() throws {
        let bench = try ServerBench()
        let api = bench.server.api
        let isGone = Flag()
        let client = QueryClient(scope: nil, name: "reader") { isGone.value.load(ordering: .relaxed) }
        let stream = EventStream(
            after: api.log.newest, of: api.epochs.current.id, .init(), isResumed: false, tokenID: nil, expiresAt: nil,
            log: api.log, readers: api.store.readers, client: client, streams: api.streams, groups: api.store.writer.deviceGroups)
        stream.begin(on: PausedConnection())
        defer { api.streams.remove(stream) }
        var buffer = [UInt8](repeating: 0, count: stream.blockSize)
        func read() -> ResponsePart { buffer.withUnsafeMutableBytes { stream.read($0) } }
        while case .bytes = read() {}
        api.streams.endAbandoned()
        #expect(read() == .paused)
        isGone.value.store(true, ordering: .relaxed)
        api.streams.endAbandoned()
        #expect(read() == .ended)
    }

    @Test(
        "A request with effects is finished although its client has disconnected",
        arguments: [
            ("PUT", "/v1/geofences/home", #"{"name":"Home","latitude":52.5,"longitude":13.4,"radius":100}"#),
            (
                "POST", "/v1/geofences:import",
                #"{"type":"Feature","id":"home","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"radius":99}}"#
            ),
        ])
    func effects(method: String, target: String, body: String) async throws {
        let bench = try ServerBench()
        let api = bench.server.api
        let (service, client) = try Self.sockets()
        defer { close(service) }
        var request = Request(TestRequest(method, target, body: body), port: api.site.address.port)
        request.presence = ClientPresence(descriptor: service)
        close(client)
        var pending = PendingRequest(request) { api.begin($0) }
        Array(body.utf8).withUnsafeBufferPointer { _ = pending.receive($0) }
        guard case .later(let begin) = pending.finish() else {
            Issue.record("it does not wait")
            return
        }
        let response: Response = await withCheckedContinuation { continuation in
            #expect(begin(Reply { continuation.resume(returning: $0) }))
        }
        #expect(response.status < 300)
        #expect(try await bench.ask("GET", "/v1/geofences/home").status == 200)
    }
}
