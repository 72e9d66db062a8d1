import Model
import TestSupport
import Testing

@testable import Presence
@testable import Server
@testable import Service

@Suite("Status and visits over HTTP")
struct StatusRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private func live() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.add("work", 52.6, 13.4)
        for (hour, place) in [52.5, 52.55, 52.6, 52.55, 52.5].enumerated() {
            try await bench.move("anna", to: place, 13.4, at: "2026-05-01T1\(hour):00:00Z")
        }
        try await bench.move("ben", to: 52.6, 13.4, at: "2026-05-01T11:00:00Z")
    }

    @Test("The status covers all devices, one, or those in a geofence, with totals on request")
    func status() async throws {
        try await live()
        let all = try await bench.json("/v1/status?totals=true")
        #expect(all.column("devices", "deviceId") == ["anna", "ben"])
        #expect(all["totals"]?["fixes"]?.double == 6)
        #expect(all["totals"]?["devices"]?.double == 2)
        #expect(try await bench.json("/v1/status").column("devices", "deviceId").count == 2)
        #expect(try await bench.json("/v1/status")["totals"] == nil)
        #expect(try await bench.json("/v1/status?geofence=work").column("devices", "deviceId") == ["ben"])
        #expect(try await bench.json("/v1/status?device=anna").column("devices", "deviceId") == ["anna"])
        #expect(try await bench.json("/v1/status?device=anna&geofence=work").column("devices", "deviceId") == [])
        #expect(try await bench.ask("GET", "/v1/status?device=nobody").status == 404)
        #expect(try await bench.ask("GET", "/v1/status?device=anna&geofence=nowhere").status == 404)
    }

    @Test("Answers say which positions are not evaluated yet, until they are")
    func notEvaluated() async throws {
        try await live()
        let lines = (0..<3).map {
            "{\"device\":\"anna\",\"timestamp\":\"2026-04-2\($0)T10:00:00Z\",\"latitude\":\($0 == 1 ? 52.6 : 52.5),\"longitude\":13.4}\n"
        }
        let answer = try await bench.ask("POST", "/v1/positions", body: lines.joined(), type: "application/x-ndjson").json()
        #expect(answer["late"]?.double == 3 && answer["waiting"]?.double == 3)
        let since = "2026-04-20T10:00:00.000Z"
        let status = try await bench.json("/v1/status?device=anna")["devices"]?.array?.first
        #expect(status?["notEvaluated"] == ["since": .string(since), "cause": "pending"])
        #expect(try await bench.json("/v1/devices/anna")["notEvaluated"] == status?["notEvaluated"])
        let listed: JSONValue = [["deviceId": "anna", "since": .string(since), "cause": "pending"]]
        for path in ["/v1/visits", "/v1/visits/totals", "/v1/reports?by=device&period=month&since=2026-04"] {
            #expect(try await bench.json(path)["notEvaluated"] == listed, "\(path)")
        }
        #expect(try await bench.json("/v1/visits?device=ben")["notEvaluated"] == nil)
        #expect(try await bench.json("/v1/visits?until=2026-04-01")["notEvaluated"] == nil)
        // As the service does it after two seconds.
        _ = try await bench.server.api.store.writer.perform { service throws(Problem) in
            try service.replayLate(all: true) { _ in }
        }
        for path in ["/v1/visits", "/v1/reports?by=device&period=month&since=2026-04"] {
            #expect(try await bench.json(path)["notEvaluated"] == nil, "\(path)")
        }
        #expect(
            try await bench.json("/v1/visits?device=anna&until=2026-04").column("visits", "geofenceId") == [
                "home", "work", "home",
            ])
    }

    @Test("Visits are listed by their enter, in pages, each once")
    func visits() async throws {
        try await live()
        let all = try await bench.json("/v1/visits")
        #expect(all.column("visits", "geofenceId") == ["home", "work", "work", "home"])
        #expect(all.column("visits", "deviceId") == ["anna", "ben", "anna", "anna"])
        var parts: [String] = []
        var after: String?
        repeat {
            let page = try await bench.json("/v1/visits?limit=1" + (after.map { "&after=\($0)" } ?? ""))
            parts += page.column("visits", "enteredAt")
            after = page["next"]?.string
        } while after != nil
        #expect(parts == all.column("visits", "enteredAt"))
        #expect(
            try await bench.json("/v1/visits?device=anna&open=true").column("visits", "enteredAt") == ["2026-05-01T14:00:00.000Z"]
        )
        #expect(try await bench.json("/v1/visits?geofence=work").column("visits", "deviceId") == ["ben", "anna"])
        #expect(try await bench.json("/v1/visits?until=2026-05-01T11:00:00Z").column("visits", "geofenceId") == ["home"])
        #expect(try await bench.json("/v1/visits?since=2026-05-01T13:30:00Z").column("visits", "geofenceId") == ["work", "home"])
        #expect(try await bench.ask("GET", "/v1/visits?device=nobody").status == 404)
        #expect(try await bench.ask("GET", "/v1/visits?after=yesterday").status == 422)
    }

    @Test("Visits are listed newest first on request, in pages, each once")
    func newestVisits() async throws {
        try await live()
        let all = try await bench.json("/v1/visits?order=newest")
        let oldestFirst = try await bench.json("/v1/visits")
        #expect(all.column("visits", "enteredAt") == oldestFirst.column("visits", "enteredAt").reversed())
        var parts: [String] = []
        var after: String?
        repeat {
            let page = try await bench.json("/v1/visits?order=newest&limit=1" + (after.map { "&after=\($0)" } ?? ""))
            parts += page.column("visits", "enteredAt")
            after = page["next"]?.string
        } while after != nil
        #expect(parts == all.column("visits", "enteredAt"))
        #expect(
            try await bench.json("/v1/visits?order=newest&open=true").column("visits", "deviceId") == ["anna", "ben"])
        #expect(try await bench.ask("GET", "/v1/visits?order=sideways").status == 422)
    }

    @Test("A visit says how long its device was seen, and since when it was not")
    func seen() async throws {
        try await bench.add("home", 52.5, 13.4)
        for (time, place) in [("10:00", 52.5), ("10:25", 52.5), ("20:00", 52.6), ("21:00", 52.5), ("21:10", 52.5)] {
            try await bench.move("anna", to: place, 13.4, at: "2026-05-01T\(time):00Z")
        }
        let visits = try #require(try await bench.json("/v1/visits")["visits"]?.array)
        #expect(visits.map { $0["duration"]?.double } == [36_000, nil])
        #expect(visits.map { $0["seenSeconds"]?.double } == [1500, 600])
        #expect(visits.map { $0["lastSeenAt"]?.string } == ["2026-05-01T10:25:00.000Z", "2026-05-01T21:10:00.000Z"])
        #expect(visits.map { $0["notSeenSince"]?.string } == ["2026-05-01T10:25:00.000Z", "2026-05-01T21:10:00.000Z"])
        for path in ["/v1/status?device=anna", "/v1/status?"] {
            for (query, seconds) in [("&seen=true", 600.0), ("&seen=false", nil), ("", nil)] {
                let inside = try await bench.json(path + query)["devices"]?.array?.first?["inside"]?.array?.first
                #expect(inside?["seenSeconds"]?.double == seconds, "\(path + query)")
                #expect(inside?["notSeenSince"]?.string == "2026-05-01T21:10:00.000Z")
            }
        }
        let device = try await bench.json("/v1/devices/anna")["inside"]?.array?.first
        #expect(device?["lastSeenAt"]?.string == "2026-05-01T21:10:00.000Z")
        #expect(
            try await bench.json("/v1/geofences/home/devices").column("devices", "notSeenSince") == ["2026-05-01T21:10:00.000Z"])
    }

    @Test("Totals add up visits by device and geofence, in pages, and within a period")
    func totals() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.add("work", 52.6, 13.4)
        for (time, place) in [
            ("10:00", 52.5), ("10:50", 52.5), ("11:00", 52.55), ("12:00", 52.6), ("12:50", 52.6), ("13:00", 52.55),
            ("14:00", 52.5),
        ] {
            try await bench.move("anna", to: place, 13.4, at: "2026-05-01T\(time):00Z")
        }
        try await bench.move("ben", to: 52.6, 13.4, at: "2026-05-01T11:00:00Z")
        func totals(_ query: String) async throws -> [String] {
            let page = try await bench.json("/v1/visits/totals" + query)
            return (page["totals"]?.array ?? []).map { total in
                let numbers = ["visits", "seenSeconds", "elapsedSeconds"].map { total[$0]?.description ?? "-" }
                return "\(total["deviceId"]?.string ?? "") \(total["geofenceId"]?.string ?? "") \(numbers.joined(separator: " "))"
            }
        }
        // Until 15:00, Anna was at home from 10:00 to 11:00, at work from 12:00 to 13:00, and at home again since 14:00. The last
        // ten minutes of her visits are not known.
        #expect(
            try await totals("?until=2026-05-01T15:00:00Z") == [
                "anna home 2 3000 7200", "anna work 1 3000 3600", "ben work 1 0 14400",
            ])
        #expect(
            try await totals("?device=anna&since=2026-05-01T10:30:00Z&until=2026-05-01T12:15:00Z") == [
                "anna home 1 1200 1800", "anna work 1 900 900",
            ])
        #expect(try await totals("?geofence=work&until=2026-05-01T15:00:00Z").map { $0.prefix(9) } == ["anna work", "ben work "])
        #expect(try await totals("?open=true&until=2026-05-01T15:00:00Z").map { $0.prefix(9) } == ["anna home", "ben work "])
        var parts: [String] = []
        var after: String?
        repeat {
            let page = try await bench.json("/v1/visits/totals?limit=1" + (after.map { "&after=\($0)" } ?? ""))
            parts += page.column("totals", "deviceId")
            after = page["next"]?.string
        } while after != nil
        #expect(parts == ["anna", "anna", "ben"])
        let long = try await bench.json("/v1/visits/totals?minDuration=50m&until=2026-05-01T15:00:00Z")
        #expect(long.column("totals", "deviceId") == ["anna", "anna"] && long["omittedVisits"]?.double == 2, "\(long)")
        #expect(try await bench.json("/v1/visits/totals")["omittedVisits"] == nil)
        let refused = try await bench.ask("GET", "/v1/visits/totals?minDuration=short")
        #expect(refused.status == 422 && refused.text.contains("minDuration 'short' cannot be used"), "\(refused.text)")
        #expect(try await bench.ask("GET", "/v1/visits/totals?device=nobody").status == 404)
        #expect(try await bench.ask("GET", "/v1/visits/totals?after=yesterday").status == 422)
    }

    @Test(
        "A period that ends before it begins is refused, and an empty one is not",
        arguments: ["/v1/visits", "/v1/visits/totals", "/v1/events", "/v1/devices/anna/track"])
    func period(path: String) async throws {
        try await live()
        let refused = try await bench.ask("GET", path + "?since=2026-05-02T00:00:00Z&until=2026-05-01T00:00:00Z")
        #expect(refused.status == 422)
        #expect(refused.text.contains("2026-05-02T00:00:00Z") && refused.text.contains("after until"), "\(refused.text)")
        #expect(try await bench.ask("GET", path + "?since=2026-05-01&until=2026-05-01").status == 200)
    }
}
