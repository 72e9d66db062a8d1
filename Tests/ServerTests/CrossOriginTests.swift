import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Pages of other origins")
struct CrossOriginTests {
    private static let origin = "https://app.example.org"
    private static let others = [
        "https://app.example.org:8443", "http://app.example.org", "https://example.org", "https://app.example.org.evil.example",
        "https://APP.example.org", "null", "",
    ]

    private func allowing(_ origins: String?) throws -> ServerBench {
        try ServerBench(flags: origins.map { ["cors-origins": $0] } ?? [:])
    }

    private static func crossOriginHeaders(_ answer: TestAnswer) -> [String] {
        answer.headers.map(\.name).filter { $0.hasPrefix("Access-Control-") }
    }

    private func preflight(_ bench: ServerBench, _ target: String, _ method: String, from origin: String) async throws
        -> TestAnswer
    {
        try await bench.ask(
            "OPTIONS", target,
            headers: [
                "Origin": origin, "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": "authorization,content-type",
            ])
    }

    @Test("A preflight request of a configured origin is answered with methods, headers and how long that holds")
    func preflight() async throws {
        let bench = try allowing("http://localhost:3000,\(Self.origin)")
        let answer = try await preflight(bench, "/v1/geofences/home", "PATCH", from: Self.origin)
        #expect(answer.status == 204 && answer.text.isEmpty)
        #expect(answer["Access-Control-Allow-Origin"] == Self.origin && answer["Vary"] == "Origin")
        #expect(answer["Access-Control-Allow-Methods"] == "DELETE, GET, HEAD, PATCH, PUT")
        #expect(answer["Access-Control-Allow-Headers"]?.contains("Authorization, Content-Type") == true)
        #expect(answer["Access-Control-Max-Age"] == "600")
        #expect(answer["Access-Control-Allow-Credentials"] == nil)
        #expect(try await preflight(bench, "/v1/status", "GET", from: "http://localhost:3000").status == 204)
    }

    @Test("Another origin gets no permission")
    func otherOrigins() async throws {
        let bench = try allowing(Self.origin)
        for other in Self.others {
            let before = try await preflight(bench, "/v1/status", "GET", from: other)
            #expect(before.status == 405 && Self.crossOriginHeaders(before).isEmpty, "\(other)")
            let answer = try await bench.ask("GET", "/v1/status", headers: ["Origin": other])
            #expect(Self.crossOriginHeaders(answer).isEmpty && answer["Vary"] == "Origin", "\(other)")
        }
        // Without the header of a preflight request it is none.
        #expect(try await bench.ask("OPTIONS", "/v1/status", headers: ["Origin": Self.origin]).status == 405)
    }

    @Test("Without the setting, no answer has a header for other origins")
    func unset() async throws {
        let bench = try allowing(nil)
        let before = try await preflight(bench, "/v1/status", "GET", from: Self.origin)
        #expect(before.status == 405 && Self.crossOriginHeaders(before).isEmpty && before["Vary"] == nil)
        let answer = try await bench.ask("GET", "/healthz", headers: ["Origin": Self.origin])
        #expect(answer.status == 200 && Self.crossOriginHeaders(answer).isEmpty && answer["Vary"] == nil)
    }

    @Test("A page of a configured origin reads answers and refusals with a token, and none without")
    func tokens() async throws {
        let bench = try allowing(Self.origin)
        let origin = ["Origin": Self.origin, "Sec-Fetch-Site": "cross-site"]
        // A service without tokens is open to this machine's own pages alone.
        #expect(try await bench.ask("GET", "/v1/status", headers: origin).status == 403)
        let secret = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string
        let token = ["Authorization": "Bearer \(try #require(secret))"].merging(origin) { $1 }
        for (method, target, status) in [
            ("GET", "/v1/status", 200), ("GET", "/v1/devices/none", 404), ("GET", "/v1/none", 404), ("POST", "/v1/status", 405),
            ("GET", "/v1/events/stream", 200), ("GET", "/v1/events?format=csv", 200), ("GET", "/healthz", 200),
        ] {
            let answer = try await bench.ask(method, target, headers: token)
            #expect(answer.status == status, "\(target)")
            #expect(answer["Access-Control-Allow-Origin"] == Self.origin, "\(target)")
            #expect(answer["Access-Control-Expose-Headers"]?.contains("ETag") == true)
            #expect(answer["Access-Control-Allow-Credentials"] == nil)
        }
        let made = try await bench.ask(
            "POST", "/v1/geofences", body: #"{"id":"a","name":"A","latitude":1,"longitude":2,"radius":100}"#, headers: token)
        #expect(made.status == 201 && made["Access-Control-Allow-Origin"] == Self.origin)
        let missing = try await bench.ask("GET", "/v1/status", headers: origin)
        #expect(missing.status == 401 && missing["Access-Control-Allow-Origin"] == Self.origin)
    }

    @Test("The cookie of a session opens nothing for another origin, configured or not")
    func sessions() async throws {
        let bench = try allowing(Self.origin)
        let secret = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string
        let signIn = "{\"token\":\"\(try #require(secret))\"}"
        let page = ["X-Picket-Page": "1"]
        let answer = try await bench.ask("POST", "/v1/session", body: signIn, headers: page)
        let cookie = ["Cookie": String(try #require(answer["Set-Cookie"]).prefix { $0 != ";" })]
        let port = bench.server.api.site.address.port
        let foreign = [
            ["Origin": Self.origin], ["Origin": "http://127.0.0.1:\(port + 1)"], ["Origin": "null"],
            ["Sec-Fetch-Site": "same-site"],
            ["Sec-Fetch-Site": "cross-site"],
        ]
        for headers in foreign {
            for (method, target) in [("GET", "/v1/devices"), ("GET", "/v1/events/stream"), ("POST", "/v1/stream-tokens")] {
                let refused = try await bench.ask(
                    method, target, headers: headers.merging(cookie) { $1 }.merging(page) { $1 })
                #expect(refused.status == 403, "\(method) \(target) \(headers)")
                #expect(refused["Access-Control-Allow-Credentials"] == nil)
            }
            let session = try await bench.ask("POST", "/v1/session", body: signIn, headers: headers.merging(page) { $1 })
            #expect(session.status == 403 && session["Set-Cookie"] == nil)
        }
        let own = ["Origin": "http://127.0.0.1:\(port)", "Sec-Fetch-Site": "same-origin"].merging(cookie) { $1 }
        #expect(try await bench.ask("GET", "/v1/devices", headers: own).status == 200)
    }
}
