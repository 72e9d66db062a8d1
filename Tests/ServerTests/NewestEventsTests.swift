import Model
import TestSupport
import Testing

@Suite("Newest events over HTTP")
struct NewestEventsTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Anna enters and leaves on the second day; her positions of the first day arrive later.
    private func live() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.add("work", 52.6, 13.4)
        for (hour, place) in [52.5, 52.55, 52.6].enumerated() {
            try await bench.move("anna", to: place, 13.4, at: "2026-05-02T1\(hour):00:00Z")
        }
        for (hour, place) in [52.6, 52.55, 52.5].enumerated() {
            try await bench.move("ben", to: place, 13.4, at: "2026-05-01T1\(hour):00:00Z")
        }
    }

    /// The events of all pages of the answer, page by page.
    private func parts(_ query: String) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        var earlier: String?
        repeat {
            let page = try await bench.json("/v1/events?order=newest" + query + (earlier.map { "&before=\($0)" } ?? ""))
            found += page["events"]?.array ?? []
            earlier = page["earlier"]?.string
        } while earlier != nil
        return found
    }

    private func times(_ events: [JSONValue]) -> [String] { events.compactMap { $0["occurredAt"]?.string } }

    @Test("Events are listed by their time, regardless of their numbers, in pages, each once", arguments: [1, 2, 5, 100])
    func order(limit: Int) async throws {
        try await live()
        let all = try await bench.json("/v1/events")["events"]?.array ?? []
        let found = try await parts("&limit=\(limit)")
        #expect(times(found) == times(all).sorted(by: >) && found.count == 6)
        #expect(Set(found.compactMap { $0["id"]?.string }).count == 6)
    }

    @Test("Events are filtered by device, geofence, type and time, and the page says where to follow")
    func filters() async throws {
        try await live()
        let exits = try await parts("&limit=1&type=exit")
        #expect(exits.compactMap { $0["deviceId"]?.string } == ["anna", "ben"])
        #expect(try await parts("&device=ben&geofence=work&type=enter,exit").count == 2)
        #expect(times(try await parts("&since=2026-05-01T11:00:00Z&until=2026-05-02T11:00:00Z")).count == 3)
        #expect(try await parts("&type=alarm").isEmpty)
        let page = try await bench.json("/v1/events?order=newest&limit=1")
        #expect(page["events"]?.array?.first?["sequence"]?.double == 3 && page["next"]?.double == 6)
        let cursor = try #require(page["cursor"]?.string)
        #expect(try await bench.json("/v1/events?after=\(cursor)")["events"]?.array?.isEmpty == true)
    }

    @Test("Retracted events are left out, and on request come right after their retraction")
    func retracted() async throws {
        try await live()
        // A late position shows that Ben left at 10:30.
        try await bench.move("ben", to: 52.55, 13.4, at: "2026-05-01T10:30:00Z")
        try await bench.ask("POST", "/v1/replay", body: #"{"deviceId":"ben"}"#)
        let standing = try await parts("&device=ben")
        #expect(times(standing.filter { $0["type"]?.string == "exit" }) == ["2026-05-01T10:30:00.000Z"])
        let all = try await parts("&device=ben&all=true&limit=1")
        let place = try #require(all.firstIndex { $0["type"]?.string == "retracted" })
        #expect(all.count == standing.count + 2 && all[place + 1]["id"] == all[place]["retracts"])
        #expect(try await parts("&type=retracted").count == 1)
    }

    @Test(
        "Invalid parameters for the newest events are refused",
        arguments: ["order=newest&after=1", "order=newest&wait=1s", "before=1.1", "order=newest&before=x", "order=best"])
    func refused(query: String) async throws {
        #expect(try await bench.ask("GET", "/v1/events?" + query).status == 422)
        #expect(try await bench.ask("GET", "/v1/events?order=newest&device=nobody").status == 404)
    }
}
