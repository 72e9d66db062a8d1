import Foundation
import Ingest
import Model
import TestSupport
import Testing

@Suite("Tracks over HTTP")
struct TrackRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private func feed() async throws {
        var lines = ""
        for number in 0..<25 {
            // Every tenth position arrives after the one that follows it.
            let minute = number % 10 == 9 ? number - 1 : number % 10 == 8 ? number + 1 : number
            let time = "2026-05-01T10:\(minute < 10 ? "0" : "")\(minute):00Z"
            lines +=
                #"{"device":"van","timestamp":"\#(time)","latitude":\#(Double(minute) / 10),"longitude":13.4,"speed":\#(minute)}"#
                + "\n"
            lines += #"{"device":"other","timestamp":"\#(time)","latitude":1,"longitude":1}"# + "\n"
            if number % 10 == 8 {
                #expect(try await bench.ask("POST", "/v1/positions", body: lines, type: "application/x-ndjson").status == 200)
                lines = ""
            }
        }
        #expect(try await bench.ask("POST", "/v1/positions", body: lines, type: "application/x-ndjson").status == 200)
    }

    @Test("A track is in order of time, with late fixes in their place, in pages")
    func pages() async throws {
        try await feed()
        var times: [String] = []
        var late = 0
        var after: String?
        repeat {
            let page = try await bench.json("/v1/devices/van/track?limit=4" + (after.map { "&after=\($0)" } ?? ""))
            times += page.column("fixes", "timestamp")
            late += (page["fixes"]?.array ?? []).count { $0["late"]?.bool == true }
            after = page["next"]?.string
        } while after != nil
        #expect(times.count == 25)
        #expect(times == times.sorted())
        #expect(Set(times).count == 25)
        #expect(late == 2)
    }

    @Test("Positions from a time on are removed with their events, and only counted with dryRun")
    func removal() async throws {
        try await feed()
        let place = "/v1/devices/van/positions?since=2026-05-01T10:20:00Z"
        let counted = try await bench.ask("DELETE", place + "&dryRun=true")
        #expect(counted.text == #"{"deviceId":"van","since":"2026-05-01T10:20:00.000Z","positions":5}"#)
        let removed = try await bench.ask("DELETE", place)
        #expect(
            removed.text == #"{"deviceId":"van","since":"2026-05-01T10:20:00.000Z","positions":5,"retracted":0,"new":0}"#)
        #expect(try await bench.json("/v1/devices/van/track").column("fixes", "timestamp").count == 20)
        #expect(try await bench.json("/v1/devices/other/track").column("fixes", "timestamp").count == 25)
        #expect(try await bench.ask("DELETE", "/v1/devices/van/positions").status == 422)
        #expect(try await bench.ask("DELETE", "/v1/devices/vam/positions?since=2026-05-01").status == 404)
    }

    @Test("A track can be limited to a period")
    func times() async throws {
        try await feed()
        let part = try await bench.json("/v1/devices/van/track?since=2026-05-01T10:05:00Z&until=2026-05-01T10:10:00Z")
        #expect(part.column("fixes", "timestamp").map { $0.dropFirst(14).prefix(2) } == ["05", "06", "07", "08", "09"])
        #expect(part["next"] == nil)
        #expect(try await bench.json("/v1/devices/van/track?since=2027-01-01")["fixes"]?.array?.isEmpty == true)
        #expect(try await bench.ask("GET", "/v1/devices/van/track?since=someday").status == 422)
        #expect(try await bench.ask("GET", "/v1/devices/van/track?after=x").status == 422)
        #expect(try await bench.ask("GET", "/v1/devices/nobody/track").status == 404)
    }

    @Test("A track comes as GPX, by format or Accept, and is read back unchanged")
    func gpx() async throws {
        try await feed()
        let answer = try await bench.ask("GET", "/v1/devices/van/track", headers: ["Accept": "application/gpx+xml"])
        #expect(answer["Content-Type"] == "application/gpx+xml")
        #expect(answer["Link"] == nil)
        var batch = FixBatch()
        var decoder = FixDecoder(source: "track", options: DecodingOptions(device: "van"))
        try answer.body.withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
        try decoder.finish(into: &batch)
        #expect(batch.refusals.isEmpty)
        let speeds: [Double?] = (0..<25).map { Double($0) }
        #expect(batch.rows.map(\.fix.speed) == speeds)
        let part = try await bench.ask("GET", "/v1/devices/van/track?format=gpx&limit=3")
        let link = try #require(part["Link"])
        let next = try #require(link.split(separator: "<").first?.split(separator: ">").first)
        let second = try await bench.ask("GET", String(next))
        #expect(second["Content-Type"] == "application/gpx+xml")
        #expect(second.text.contains("2026-05-01T10:03:00.000Z"))
    }
}
