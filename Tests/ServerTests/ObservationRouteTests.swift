import Model
import TestSupport
import Testing

@testable import Server

@Suite("Observations of apps")
struct ObservationRouteTests {
    private static let path = "/v1/devices/pixel/observations"

    private static func line(_ type: String, _ time: String, _ id: String = "picket/home") -> String {
        #"{"at":"2026-11-20T\#(time)Z","type":"\#(type)","identifier":"\#(id)"}"#
    }

    private static let regions =
        #"{"at":"2026-11-20T08:00:00Z","type":"regions","regions":[{"identifier":"picket/home","latitude":52.5,"longitude":13.4,"radius":200}]}"#

    /// A service with a device, a geofence, and a drive past it from 9:00 on, with a position every 10 s.
    private static func bench() async throws -> ServerBench {
        let bench = try ServerBench()
        _ = try await bench.ask("POST", "/v1/devices", body: #"{"id":"pixel","platform":"android","registry":"app"}"#)
        try await bench.add("home", 52.5, 13.4, radius: 200)
        let start = Instant("2026-11-20T09:00:00Z")!
        let rows = (0..<40).map { number in
            #"{"device":"pixel","timestamp":"\#(start + Double(number) * 10)","latitude":\#(52.49 + Double(number) * 0.0005),"longitude":13.4,"accuracy":5}"#
        }
        let fed = try await bench.ask(
            "POST", "/v1/positions?policy=exact", body: rows.joined(separator: "\n"), type: "application/x-ndjson")
        try #require(fed.status == 200)
        return bench
    }

    @Test("A log counts once, regardless of its form and of how often it is sent, and is kept before the answer")
    func forms() async throws {
        let bench = try await Self.bench()
        let (enter, exit) = (Self.line("enter", "09:03:00"), Self.line("exit", "09:04:30"))
        let forms = [
            ("[\(enter)]", "application/json", 1, 0), ("{\"observations\":[\(enter),\(exit)]}", "application/json", 1, 1),
            ("\(enter)\n\(exit)\n\(Self.regions)\n", "application/x-ndjson", 1, 2), (Self.regions, "application/json", 0, 1),
            // The same observation in another spelling.
            ("\n" + enter.replacing("Z", with: ".000+00:00") + "\n", "application/x-ndjson", 0, 1),
        ]
        for (body, type, accepted, duplicates) in forms {
            let answer = try await bench.ask("POST", Self.path, body: body, type: type)
            let json = try answer.json()
            #expect(answer.status == 200 && json["accepted"]?.double == Double(accepted), "\(answer.text)")
            #expect(json["duplicates"]?.double == Double(duplicates), "\(answer.text)")
        }
    }

    @Test("What cannot be used is refused by place, field and reason, and the rest is kept")
    func refused() async throws {
        let bench = try await Self.bench()
        let body = "[\(Self.line("arrive", "09:03:00")),\(Self.line("enter", "09:03:00")),\(Self.line("exit", "13:00:00"))]"
        let answer = try await bench.ask("POST", Self.path, body: body)
        let refused = try answer.json()["refused"]?.array ?? []
        #expect(answer.status == 200 && refused.count == 2, "\(answer.text)")
        #expect(refused.compactMap { $0["index"]?.double }.sorted() == [0, 2])
        #expect(Set(refused.compactMap { $0["field"]?.string }) == ["type", "at"])
        let useless = try await bench.ask("POST", Self.path, body: "[{}]")
        #expect(useless.status == 422)
        for body in ["", "[]", "{\"observations\":[]}"] {
            #expect(try await bench.ask("POST", Self.path, body: body).status == 422, "\(body)")
        }
        let many = "[" + Array(repeating: "{}", count: 10_001).joined(separator: ",") + "]"
        #expect(try await bench.ask("POST", Self.path, body: many).status == 422)
    }

    @Test("A comparison names what was not reported to the app, by the stored positions")
    func comparison() async throws {
        let bench = try await Self.bench()
        let body = [Self.regions, Self.line("enter", "09:02:40")].joined(separator: "\n")
        _ = try await bench.ask("POST", Self.path, body: body, type: "application/x-ndjson")
        let report = try await bench.json("/v1/devices/pixel/comparison?since=2026-11-20T09:00:00Z")
        #expect(report["told"]?.double == 1 && report["missed"]?.double == 1 && report["false"]?.double == 0, "\(report)")
        let missed = report["transitions"]?.array?.first { $0["outcome"]?.string == "missed" }
        #expect(missed?["type"]?.string == "exit" && missed?["geofenceId"]?.string == "home")
        let later = try await bench.json("/v1/devices/pixel/comparison?since=2026-11-20T10:00:00Z")
        #expect(later["fixes"]?.double == 0 && later["missed"]?.double == 0)
        #expect(try await bench.ask("GET", "/v1/devices/nobody/comparison").status == 404)
        #expect(try await bench.ask("GET", "/v1/devices/pixel/comparison?clockSkew=soon").status == 422)
        #expect(try await bench.ask("GET", "/v1/devices/pixel/comparison?maxDelay=never").status == 422)
    }

    @Test("Health says how many of the enters and exits on record the app has observed")
    func health() async throws {
        let bench = try await Self.bench()
        let body = [Self.regions, Self.line("enter", "09:02:40")].joined(separator: "\n")
        _ = try await bench.ask("POST", Self.path, body: body, type: "application/x-ndjson")
        let health = try await bench.json("/v1/devices/pixel/health")
        let reported = health["reported"]?.array ?? []
        #expect(reported.count == 1 && reported[0]["events"]?.double == 2 && reported[0]["reported"]?.double == 1, "\(health)")
    }

    @Test("A token for reports sends observations of its device alone, and reads no comparison")
    func tokens() async throws {
        let bench = try await Self.bench()
        let admin = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string
        let headers = ["Authorization": "Bearer \(try #require(admin))"]
        let made = try await bench.ask(
            "POST", "/v1/tokens", body: #"{"name":"pixel","role":"ingest","device":"pixel"}"#, headers: headers)
        let own = ["Authorization": "Bearer \(try #require(try made.json()["secret"]?.string))"]
        let body = "[\(Self.line("enter", "09:02:40"))]"
        #expect(try await bench.ask("POST", Self.path, body: body, headers: own).status == 200)
        #expect(try await bench.ask("POST", "/v1/devices/other/observations", body: body, headers: own).status == 403)
        #expect(try await bench.ask("POST", Self.path, body: body).status == 401)
        #expect(try await bench.ask("GET", "/v1/devices/pixel/comparison", headers: own).status == 403)
    }

    @Test("An unknown device is created by its observations, as by its positions")
    func unknown() async throws {
        let bench = try ServerBench()
        let answer = try await bench.ask("POST", "/v1/devices/new/observations", body: "[\(Self.line("enter", "09:02:40"))]")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await bench.ask("GET", "/v1/devices/new").status == 200)
    }
}
