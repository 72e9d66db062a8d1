import Foundation
import Model
import TestSupport
import Testing

@testable import Core
@testable import Server

@Suite("Service without tokens")
struct OpenServiceTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    @Test(
        "Requests from pages of other sites and through proxies are refused",
        arguments: [
            ["Origin": "http://evil.example"], ["Origin": "null"], ["Referer": "http://evil.example/x"],
            ["Sec-Fetch-Site": "cross-site"], ["X-Forwarded-For": "203.0.113.9"], ["Forwarded": "for=203.0.113.9"],
            ["Via": "1.1 proxy"],
        ])
    func foreign(headers: [String: String]) async throws {
        for target in ["/?id=anna&lat=1&lon=2", "/osmand?id=anna&lat=1&lon=2", "/v1/events", "/v1/devices"] {
            #expect(try await bench.ask("GET", target, headers: headers).status == 403, "\(target)")
        }
        #expect(try await bench.json("/v1/devices")["devices"]?.array?.isEmpty == true)
    }

    @Test("Requests from this machine and from its own pages are accepted")
    func own() async throws {
        let headers = ["Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/page"]
        #expect(try await bench.ask("GET", "/v1/events", headers: headers).status == 200)
    }

    @Test("A HEAD request stores nothing")
    func head() async throws {
        #expect(try await bench.ask("HEAD", "/osmand?id=anna&lat=1&lon=2").status == 405)
        #expect(try await bench.json("/v1/devices")["devices"]?.array?.isEmpty == true)
    }

    @Test("Erasing the device of the only token does not open the service again")
    func erased() async throws {
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"phone","role":"ingest","device":"anna"}"#)
        #expect(made.status == 201)
        #expect(try await bench.ask("GET", "/v1/events").status == 401)
        try bench.takeConnections()
        let service = try #require(try ServiceFile(in: bench.data))
        let erased = try await bench.ask(
            "POST", "/v1/devices/anna:erase", body: "", headers: ["Authorization": "Bearer " + service.token])
        #expect(erased.status == 200, "\(erased.text)")
        #expect(try await bench.ask("GET", "/v1/events").status == 401)
    }

    @Test("A device with an app's report is erased, with its problems")
    func app() async throws {
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        try await bench.ask("PUT", "/v1/devices/app/registry", body: #"{"authorizationStatus":"denied","regions":[]}"#)
        try await bench.ask("POST", "/v1/devices/app/fix-registration", body: "")
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.count == 1)
        let erased = try await bench.ask("POST", "/v1/devices/app:erase", body: "")
        #expect(erased.status == 200, "\(erased.text)")
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.isEmpty == true)
    }

    @Test("A retention longer than all time is refused")
    func keeping() async throws {
        #expect(try await bench.ask("PUT", "/v1/devices/x", body: #"{"keepPositions":1e300}"#).status == 422)
    }

    @Test("An edit with an outdated version removes nothing")
    func lostRace() async throws {
        try await bench.ask("PUT", "/v1/devices/d", body: "{}")
        let edit = #"{"edits":[{"remove":"d"}]}"#
        #expect(try await bench.ask("POST", "/v1/devices:edit", body: edit, headers: ["If-Match": #""0000""#]).status == 412)
        #expect(try await bench.ask("GET", "/v1/devices/d").status == 200)
    }

    @Test("A waiting request answers at once with a matching event behind a page of others")
    func types() async throws {
        try await bench.add("home", 52.5, 13.4)
        for minute in 0..<4 {
            try await bench.move("d\(minute)", to: 52.5, 13.4, at: "2026-05-01T10:0\(minute):00Z")
        }
        try await bench.move("d0", to: 53.5, 13.4, at: "2026-05-01T10:09:00Z")
        // A request that waits takes 50 seconds each time. A request that does not wait takes as long only occasionally, on a busy machine.
        for _ in 1...5 {
            let start = ContinuousClock.now
            let page = try await bench.json("/v1/events?type=exit&limit=2&wait=50s")
            #expect(page.column("events", "type") == ["exit"])
            if ContinuousClock.now - start < .seconds(50) { return }
        }
        Issue.record("it waits")
    }
}
