import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Stream tokens")
struct StreamTokenTests {
    private let bench: ServerBench
    private let admin: [String: String]

    init() async throws {
        bench = try ServerBench(logLevel: .debug)
        let secret = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string
        admin = ["Authorization": "Bearer \(try #require(secret))"]
    }

    private func token(_ headers: [String: String]) async throws -> String {
        let made = try await bench.ask("POST", "/v1/stream-tokens", headers: headers)
        #expect(made.status == 200 && made["Cache-Control"] == "no-store")
        return try #require(made.json()["token"]?.string)
    }

    private func open(_ token: String, _ more: String = "") async throws -> TestAnswer {
        try await bench.ask("GET", "/v1/events/stream?access_token=\(token)\(more)")
    }

    @Test("A stream token opens a stream for two minutes")
    func lifetime() async throws {
        let made = try await bench.ask("POST", "/v1/stream-tokens", headers: admin).json()
        #expect(made["expiresAt"]?.string == "2026-11-20T12:02:00.000Z")
        let token = try #require(made["token"]?.string)
        #expect(try await open(token).status == 200)
        bench.clock.set(bench.clock.now() + 119)
        #expect(try await open(token, "&notices=true").status == 200)
        bench.clock.set(bench.clock.now() + 1)
        let late = try await open(token)
        #expect(late.status == 401 && late.text.contains("expired"))
    }

    @Test("A stream token opens nothing but a stream, and nothing else opens one in its place")
    func elsewhere() async throws {
        let token = try await token(admin)
        for route in Routes.all where route.access != .open && route.path != "/v1/events/stream" {
            let path = route.path.split(separator: "/").map { $0.hasPrefix("{") ? "x" + $0.drop { $0 != "}" }.dropFirst() : $0 }
            // Without a device, the dashboard is at the root.
            let target = route.path == "/" ? "/?id=x" : "/" + path.joined(separator: "/")
            let body = route.method == "GET" ? nil : "{}"
            let inQuery = try await bench.ask(
                route.method, target + (route.path == "/" ? "&" : "?") + "access_token=\(token)&token=\(token)", body: body)
            #expect(inQuery.status == 401, "\(route.method) \(target)")
            for scheme in ["Bearer \(token)", "Basic \(Data("x:\(token)".utf8).base64EncodedString())"] {
                let inHeader = try await bench.ask(route.method, target, body: body, headers: ["Authorization": scheme])
                #expect(inHeader.status == 401, "\(route.method) \(target)")
            }
        }
        let secret = try #require(admin["Authorization"]?.dropFirst("Bearer ".count))
        #expect(try await open(String(secret)).status == 401, "a token that lives long does not belong in an address")
        let session = try await bench.ask(
            "POST", "/v1/session", body: "{\"token\":\"\(token)\"}", headers: ["X-Picket-Page": "1"])
        #expect(session.status == 401)
    }

    @Test("A stream token that was changed is refused")
    func forged() async throws {
        let token = try await token(admin)
        let parts = token.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        for forged in [
            "\(parts[0]).\(try #require(Int64(parts[1])) + 1000).\(parts[2])", "\(parts[0])x.\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", token.uppercased(), "", "..",
        ] {
            let answer = try await open(forged)
            #expect(answer.status == 401 && answer.text.contains("/v1/stream-tokens"), "\(forged)")
        }
    }

    @Test("A stream token ends with the token that it was made for, and has no more rights")
    func parent() async throws {
        let made = try await bench.ask(
            "POST", "/v1/tokens", body: #"{"name":"board","role":"reader","expiresIn":60}"#, headers: admin)
        let board = try made.json()
        let reader = ["Authorization": "Bearer \(try #require(board["secret"]?.string))"]
        let answer = try await bench.ask("POST", "/v1/stream-tokens", headers: reader).json()
        #expect(answer["expiresAt"] == board["expiresAt"], "it does not outlast its token")
        let token = try #require(answer["token"]?.string)
        #expect(try await open(token).status == 200)
        #expect(try await bench.ask("DELETE", "/v1/tokens/\(try #require(board["id"]?.string))", headers: admin).status == 200)
        #expect(try await open(token).status == 401)
        let ingest = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"van","role":"ingest"}"#, headers: admin).json()
        let van = ["Authorization": "Bearer \(try #require(ingest["secret"]?.string))"]
        #expect(try await bench.ask("POST", "/v1/stream-tokens", headers: van).status == 403)
        #expect(try await bench.ask("POST", "/v1/stream-tokens").status == 401)
    }

    @Test("The log never holds a stream token")
    func log() async throws {
        let token = try await token(admin)
        _ = try await open(token)
        _ = try await open(token + "x")
        _ = try await bench.ask("GET", "/v1/devices?access_token=\(token)")
        let log = try bench.log
        #expect(log.contains("/v1/events/stream") && !log.contains("picket-stream"), "\(log)")
    }
}
