import Model
import TestSupport
import Testing

@testable import Server

@Suite("Rules over HTTP")
struct RuleRouteTests {
    private let bench: ServerBench
    private let rule = #"{"deviceId":"mia","geofenceId":"home","kind":"entersBy","by":"13:00","timeZone":"Europe/Berlin"}"#

    init() async throws {
        bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/mia", body: "{}")
    }

    @Test("A rule is created, read, changed and removed")
    func life() async throws {
        let made = try await bench.ask("POST", "/v1/rules", body: rule)
        #expect(made.status == 201 && made["Location"] == "/v1/rules/mia-home-enters-by")
        let json = try made.json()
        #expect(json["from"] == "00:00" && json["grace"]?.double == 120 && json["days"] == "mon-sun" && json["waitsFor"] == nil)
        #expect(json["since"] == "2026-11-20T12:00:00.000Z")
        #expect(try await bench.json("/v1/rules")["rules"]?.array == [json])
        #expect(try await bench.json("/v1/rules/mia-home-enters-by") == json)
        bench.clock.set(bench.clock.now() + 60)
        // A rule as answered can be sent back unchanged.
        let same = try await bench.ask("PUT", "/v1/rules/mia-home-enters-by", body: json.description)
        #expect(try same.status == 200 && same.json() == json)
        let changed = try await bench.ask(
            "PUT", "/v1/rules/mia-home-enters-by", body: json.merged(with: ["isActive": false]).description)
        #expect(try changed.json()["waitsFor"] == "inactive" && changed.json()["since"] == "2026-11-20T12:01:00.000Z")
        #expect(try await bench.ask("DELETE", "/v1/rules/mia-home-enters-by").status == 204)
        #expect(try await bench.ask("GET", "/v1/rules/mia-home-enters-by").status == 404)
        #expect(try await bench.json("/v1/rules")["rules"]?.array == [])
    }

    @Test("An invalid rule is refused with the name of the field, and an unknown device or geofence gives 404")
    func badInput() async throws {
        let wrong = try await bench.ask("POST", "/v1/rules", body: rule.replacing("13:00", with: "25:00"))
        let json = try wrong.json()
        #expect(wrong.status == 422 && json["parameters"]?["field"] == "by" && json["message"]?.string?.contains("HH:MM") == true)
        #expect(try await bench.ask("POST", "/v1/rules", body: rule.replacing("mia", with: "mio")).status == 404)
        #expect(try await bench.ask("POST", "/v1/rules", body: rule.replacing("\"home\"", with: "\"hom\"")).status == 404)
        #expect(try await bench.ask("PUT", "/v1/rules/none", body: rule).status == 404)
        #expect(try await bench.ask("POST", "/v1/rules", body: "[]").status == 422)
    }

    @Test("A missed deadline is reported in the events and on the live stream")
    func deadline() async throws {
        try await bench.ask("POST", "/v1/rules", body: rule)
        let received = try await bench.notices("") {
            // 13:00 in Berlin is 12:00 UTC.
            bench.clock.set(Instant("2026-11-20T12:02:01Z")!)
            Housekeeping(bench.server.api, bench.data, keepPositions: nil).tick()
        } until: {
            $0.kind == "missed"
        }
        let event = try #require(received.last?.json)
        #expect(event["occurredAt"] == "2026-11-20T12:00:00.000Z" && event["rule"]?["by"] == "13:00" && event["fix"] == nil)
        #expect(try await bench.json("/v1/events?type=missed")["events"]?.array == [event])
    }

    @Test("A new rule is evaluated from its 'since' for each of many devices")
    func past() async throws {
        let cars = (0..<25).map { "car-\($0)" }
        let puts = cars.map { #"{"put":{"id":"\#($0)","groups":["fleet"]}}"# }.joined(separator: ",")
        try await bench.ask("POST", "/v1/devices:edit", body: #"{"edits":[\#(puts)]}"#)
        for time in ["2026-11-18T08:00:00Z", "2026-11-20T10:00:00Z"] {
            let lines = cars.map { #"{"device":"\#($0)","timestamp":"\#(time)","latitude":52.6,"longitude":13.4}"# }
            let sent = try await bench.ask("POST", "/v1/positions", body: "[\(lines.joined(separator: ","))]")
            #expect(sent.status == 200)
        }
        let json = try JSONParser.parse(rule).merged(with: ["deviceId": .null, "group": "fleet", "since": "2026-11-01T00:00:00Z"])
        #expect(try await bench.ask("POST", "/v1/rules", body: json.description).status == 201)
        // On the 18th and the 19th. The deadline of the 20th is after the newest positions.
        let missed = try await bench.json("/v1/events?type=missed&limit=1000")["events"]?.array ?? []
        #expect(missed.count == 50 && Set(missed.compactMap { $0["deviceId"]?.string }) == Set(cars))
        #expect(Set(missed.compactMap { $0["occurredAt"]?.string }) == ["2026-11-18T12:00:00.000Z", "2026-11-19T12:00:00.000Z"])
        #expect(try await bench.json("/v1/check")["isSound"]?.bool == true)
    }

    @Test("A reader cannot change rules")
    func roles() async throws {
        try await bench.ask("POST", "/v1/rules", body: rule)
        let admin =
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"a","role":"admin"}"#).json()["secret"]?.string ?? ""
        let asAdmin = ["Authorization": "Bearer \(admin)"]
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"r","role":"reader"}"#, headers: asAdmin)
        let asReader = ["Authorization": "Bearer \(try made.json()["secret"]?.string ?? "")"]
        #expect(try await bench.ask("GET", "/v1/rules", headers: asReader).status == 200)
        #expect(try await bench.ask("POST", "/v1/rules", body: rule, headers: asReader).status == 403)
        #expect(try await bench.ask("DELETE", "/v1/rules/mia-home-enters-by", headers: asReader).status == 403)
        #expect(try await bench.ask("GET", "/v1/rules").status == 401)
    }
}
