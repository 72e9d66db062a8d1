import Core
import Foundation
import Model
import Presence
import Routing
import Service
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Lists that are sent in pieces")
struct ListAnswerTests {
    /// A service with 130 devices that enter and leave two geofences in turn, and more geofences: lists of several pieces.
    private static func bench() async throws -> ServerBench {
        let bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        try await bench.add("work", 52.6, 13.4)
        for number in 0..<25 { try await bench.add("far-\(number)", Double(number), 100) }
        var lines: [String] = []
        for minute in 0..<8 {
            let time = Instant("2026-11-20T10:00:00Z")! + Double(minute * 60)
            for device in 0..<130 {
                lines.append(
                    #"{"device":"d\#(device)","timestamp":"\#(time)","latitude":\#(minute % 2 == 0 ? 52.5 : 52.6),"longitude":13.4}"#
                )
            }
        }
        let answer = try await bench.ask(
            "POST", "/v1/positions?policy=exact", body: lines.joined(separator: "\n"),
            headers: ["Content-Type": "application/x-ndjson"])
        #expect(answer.status == 200, "\(answer.text)")
        return bench
    }

    @Test(
        "A list in many pieces is the same as its pages in turn",
        arguments: [
            ("/v1/events", "events", "next", "after"), ("/v1/events?order=newest", "events", "earlier", "before"),
            ("/v1/events?order=occurred", "events", "later", "after"), ("/v1/visits", "visits", "next", "after"),
            ("/v1/visits?order=newest", "visits", "next", "after"), ("/v1/visits?minDuration=0s", "visits", "next", "after"),
            ("/v1/devices", "devices", "next", "after"), ("/v1/status", "devices", "next", "after"),
            ("/v1/geofences", "geofences", "next", "after"),
        ])
    func pages(target: String, list: String, next: String, after: String) async throws {
        let bench = try await Self.bench()
        let join = target.contains("?") ? "&" : "?"
        let all = try await bench.json(target + join + "limit=10000")
        var found: [JSONValue] = []
        var place: String?
        repeat {
            let more = place.map { "&\(after)=\(PercentEncoding.escape($0))" } ?? ""
            let page = try await bench.json("\(target)\(join)limit=\(list == "geofences" ? 7 : 61)\(more)")
            let items = page[list]?.array ?? []
            found += items
            place = items.isEmpty ? nil : page[next]?.string ?? page[next]?.double.map { String(Int($0)) }
        } while place != nil
        #expect(all[list]?.array == found)
        #expect(found.count == ["events": 1950, "visits": 1040, "devices": 130, "geofences": 27][list])
    }

    @Test("The last events are the same in many pieces as in one", arguments: [0, 1, 99, 100, 101, 700, 10_000])
    func last(count: Int) async throws {
        let bench = try await Self.bench()
        let all = try await bench.json("/v1/events?limit=10000")["events"]?.array ?? []
        let last = try await bench.json("/v1/events?last=\(count)")
        #expect(all.count == 1950)
        #expect(last["events"]?.array == Array(all.suffix(count)))
        #expect(last["next"]?.double == all.last?["sequence"]?.double)
    }

    @Test("A client that takes nothing of a list holds one piece, and nothing is read for one that has left")
    func pieces() async throws {
        let bench = try await Self.bench()
        let readers = bench.server.api.store.readers
        let counts = Mutex<[Int]>([])
        let list = ListAnswer<Event>(
            name: "events", limit: 10_000,
            read: { service, place, limit throws(Problem) in
                counts.withLock { $0.append(limit) }
                var filter = Queries.EventFilter()
                (filter.after, filter.pageSize) = (place.flatMap { Int64($0) } ?? 0, limit)
                var events: [Event] = []
                try service.forEachEvent(filter) { events.append($0) }
                return Page(events, next: events.count == limit ? events.last.map { String($0.sequence) } : nil)
            }, json: \.json, end: { _, _ in [] })
        let first = try await readers.ask { service throws(Problem) in try list.first(of: service, after: nil).piece }
        #expect(first.next != nil && first.bytes.count < 2 * Download.usualPiece)
        let read = counts.withLock { $0 }
        #expect(read.count < 5 && read.allSatisfy { $0 == list.step })
        let client = QueryClient(scope: nil, name: "gone") { true }
        let download = Download(first, readers, for: client)
        #expect(download.heldBytes == first.bytes.count)
        let connection = Connection()
        download.begin(on: connection)
        var buffer = [UInt8](repeating: 0, count: first.bytes.count)
        #expect(buffer.withUnsafeMutableBytes { download.read($0) } == .bytes(first.bytes.count))
        // It is given up instead of read.
        #expect(buffer.withUnsafeMutableBytes { download.read($0) } == .paused)
        await connection.resumed()
        #expect(buffer.withUnsafeMutableBytes { download.read($0) } == .failed)
        #expect(counts.withLock { $0 } == read)
    }

    private struct Connection: PausableConnection {
        private let resumptions = AsyncStream.makeStream(of: Void.self)
        func pause() {}
        func resume() { resumptions.continuation.yield() }
        func resumed() async { for await _ in resumptions.stream { return } }
    }
}
