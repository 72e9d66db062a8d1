import Foundation
import Model
import TestSupport
import Testing

@Suite("Tokens over HTTP")
struct TokenRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private func make(_ body: String, by secret: String? = nil) async throws -> TestAnswer {
        try await bench.ask("POST", "/v1/tokens", body: body, headers: Self.shown(secret))
    }

    private static func shown(_ secret: String?) -> [String: String] {
        secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }

    @Test("A token is created, effective at once, and revoked at once")
    func life() async throws {
        let made = try await make(#"{"name":"anna","role":"admin"}"#)
        #expect(made.status == 201)
        #expect(made["Cache-Control"] == "no-store")
        let admin = try #require(try made.json()["secret"]?.string)
        // From the first token on, every request needs one.
        #expect(try await bench.ask("GET", "/v1/geofences").status == 401)
        #expect(try await bench.ask("GET", "/v1/geofences", headers: Self.shown(admin)).status == 200)

        let van = try await make(#"{"name":"Van 7","role":"ingest","device":"van-7","expiresIn":3600}"#, by: admin)
        let json = try van.json()
        #expect(json["device"]?.string == "van-7" && json["expiresAt"]?.string == "2026-11-20T13:00:00.000Z")
        let id = try #require(json["id"]?.string)
        let secret = try #require(json["secret"]?.string)
        let position = #"{"device":"van-7","timestamp":"2026-11-20T11:00:00Z","latitude":52.5,"longitude":13.4}"#
        func report() async throws -> Int {
            try await bench.ask("POST", "/v1/positions", body: position, headers: Self.shown(secret)).status
        }
        #expect(try await report() == 200)

        let list = try await bench.ask("GET", "/v1/tokens", headers: Self.shown(admin))
        #expect(try list.json().column("tokens", "name").sorted() == ["Van 7", "anna"])
        #expect(!list.text.contains("picket_"))
        let revoked = try await bench.ask("DELETE", "/v1/tokens/\(id)", headers: Self.shown(admin))
        #expect(try revoked.json()["revokedAt"]?.string != nil)
        #expect(try await report() == 401)
        let left = try await bench.json("/v1/tokens", headers: Self.shown(admin))
        #expect(left.column("tokens", "name") == ["anna"])
        let ever = try await bench.json("/v1/tokens?revoked=true", headers: Self.shown(admin))
        #expect(ever.column("tokens", "name").sorted() == ["Van 7", "anna"])
        let log = try Data(contentsOf: URL(filePath: bench.data.path + "/picket.sqlite-wal"))
        #expect(log.range(of: Data(secret.utf8)) == nil)
    }

    @Test("Tokens need the role admin", arguments: ["reader", "ingest"])
    func roles(_ role: String) async throws {
        let admin = try #require(try await make(#"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let other = try #require(try await make("{\"name\":\"b\",\"role\":\"\(role)\"}", by: admin).json()["secret"]?.string)
        #expect(try await make(#"{"name":"c","role":"admin"}"#, by: other).status == 403)
        #expect(try await bench.ask("GET", "/v1/tokens", headers: Self.shown(other)).status == 403)
        #expect(try await bench.ask("DELETE", "/v1/tokens/x", headers: Self.shown(other)).status == 403)
        #expect(try await make(#"{"name":"c","role":"admin"}"#, by: "picket_wrong").status == 401)
    }

    @Test(
        "An invalid token is refused with the name of the field",
        arguments: [
            (#"{"name":"a"}"#, "role"), (#"{"name":"a","role":"root"}"#, "role"), (#"{"role":"admin"}"#, "name"),
            (#"{"name":"a","role":"admin","device":"d"}"#, "device"),
            (#"{"name":"a","role":"admin","expiresIn":0}"#, "expiresIn"),
            (#"{"name":"a","role":"admin","secret":"x"}"#, "secret"), ("[]", "body"),
        ])
    func refused(_ body: String, _ field: String) async throws {
        let answer = try await make(body)
        #expect(answer.status == 422)
        #expect(try answer.json()["parameters"]?["field"]?.string == field)
        #expect(try await bench.ask("GET", "/v1/tokens").status == 200)
    }

    @Test("A stream of a revoked token is notified of it, and one of another token is asked to connect again")
    func revokedStream() async throws {
        let admin = try #require(try await make(#"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let made = try await make(#"{"name":"r","role":"reader"}"#, by: admin).json()
        let (id, reader) = (try #require(made["id"]?.string), try #require(made["secret"]?.string))
        let port = try bench.takeConnections()
        func open(_ secret: String) throws -> RawConnection {
            let stream = try RawConnection(port: port)
            stream.send(
                "GET /v1/events/stream HTTP/1.0\r\nHost: localhost:\(port)\r\nAuthorization: Bearer \(secret)\r\n\r\n")
            while try stream.line() != "event: heartbeat" {}
            _ = try stream.line()
            return stream
        }
        func reason(_ stream: RawConnection) throws -> String? {
            while true {
                let line = try stream.line()
                if line.hasPrefix("data: ") { return try JSONParser.parse(String(line.dropFirst(6)))["reason"]?.string }
            }
        }
        let streams = (try open(admin), try open(reader))
        #expect(try await bench.ask("DELETE", "/v1/tokens/\(id)", headers: Self.shown(admin)).status == 200)
        #expect(try reason(streams.0) == "the access rules of the service have changed; connect again")
        #expect(try reason(streams.1) == "the token was revoked")
    }

    @Test("A token that only reports cannot change the policy of a device")
    func policy() async throws {
        let admin = try #require(try await make(#"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let phone = try #require(
            try await make(#"{"name":"p","role":"ingest","device":"d"}"#, by: admin).json()["secret"]?.string)
        func report(_ query: String, _ secret: String, at minute: Int) async throws -> TestAnswer {
            try await bench.ask(
                "POST", "/v1/positions?\(query)",
                body: #"{"device":"d","timestamp":"2026-05-01T10:0\#(minute):00Z","latitude":52.5,"longitude":13.4}"#,
                headers: Self.shown(secret))
        }
        let refused = try await report("policy=exact", phone, at: 1)
        #expect(refused.status == 403 && refused.text.contains("may not change the policy of a device; leave 'policy' out"))
        #expect(try await report("", phone, at: 2).status == 200)
        #expect(try await report("policy=exact", admin, at: 3).status == 200)
        let device = try await bench.ask("GET", "/v1/devices/d", headers: Self.shown(admin)).json()
        #expect(device["policy"]?["base"]?.string == "exact")
        #expect(try await report("policy=%7B%22confirmFixes%22:1%7D", admin, at: 4).status == 200)
        let fields = try await bench.ask("GET", "/v1/devices/d", headers: Self.shown(admin)).json()
        #expect(fields["policy"]?.description == #"{"confirmFixes":1}"#)
        #expect(try await report("policy=%7B%22confirmFixes%22:0%7D", admin, at: 5).status == 422)
    }

    @Test("Tokens created at the same time are all valid")
    func atOnce() async throws {
        let admin = try #require(try await make(#"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let client = bench.client
        let secrets = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let made = try await client.ask(
                        "POST", "/v1/tokens", body: "{\"name\":\"t\(number)\",\"role\":\"reader\"}", headers: Self.shown(admin))
                    return try made.json()["secret"]?.string
                }
            }
            return try await group.reduce(into: Set<String>()) { secrets, secret in
                if let secret { secrets.insert(secret) }
            }
        }
        #expect(secrets.count == 20)
        for secret in secrets {
            #expect(try await bench.ask("GET", "/v1/geofences", headers: Self.shown(secret)).status == 200)
        }
    }
}
