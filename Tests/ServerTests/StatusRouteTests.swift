import Model
import Testing

@Suite("Who is where, over HTTP")
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

    @Test("Status tells it, of all, of one, of those in a fence, with totals when asked")
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

    @Test("Visits are told by their enter, part by part, each once")
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

    @Test(
        "A period that ends before it begins is refused, and one of a moment is not",
        arguments: ["/v1/visits", "/v1/events", "/v1/devices/anna/track"])
    func period(path: String) async throws {
        try await live()
        let refused = try await bench.ask("GET", path + "?since=2026-05-02T00:00:00Z&until=2026-05-01T00:00:00Z")
        #expect(refused.status == 422)
        #expect(refused.text.contains("2026-05-02T00:00:00.000Z") && refused.text.contains("after until"), "\(refused.text)")
        #expect(try await bench.ask("GET", path + "?since=2026-05-01&until=2026-05-01").status == 200)
    }
}
