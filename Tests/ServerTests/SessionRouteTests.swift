import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Sessions")
struct SessionRouteTests {
    private let bench: ServerBench
    private let page = ["X-Picket-Page": "1"]

    init() throws { bench = try ServerBench() }

    private func token(_ role: String, more: String = "", by admin: String? = nil) async throws -> (secret: String, id: String) {
        let headers = admin.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        let body = "{\"name\":\"Anna\",\"role\":\"\(role)\"\(more)}"
        let made = try await bench.ask("POST", "/v1/tokens", body: body, headers: headers).json()
        return (try #require(made["secret"]?.string), try #require(made["id"]?.string))
    }

    private func signIn(_ secret: String) async throws -> TestAnswer {
        try await bench.ask("POST", "/v1/session", body: "{\"token\":\"\(secret)\"}", headers: page)
    }

    /// The session cookie of an answer, in the form in which a browser sends it.
    private func cookie(_ answer: TestAnswer) throws -> [String: String] {
        let header = try #require(answer["Set-Cookie"])
        return ["Cookie": "theme=dark; " + header.prefix { $0 != ";" }]
    }

    @Test("Signing in exchanges the token for a cookie that scripts and other sites cannot use")
    func signIn() async throws {
        let (secret, _) = try await token("admin")
        let answer = try await signIn(" \(secret)\\n")
        #expect(answer.status == 200, "\(answer.text)")
        let session = try answer.json()
        #expect(session["role"] == "admin" && session["name"] == "Anna" && session["isOpen"] == false)
        #expect(session["expiresAt"]?.string == "2026-12-04T12:00:00.000Z")
        let attributes = try #require(answer["Set-Cookie"])
        #expect(attributes.hasSuffix("; Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict"), "\(attributes)")
        #expect(!attributes.contains(secret))
        #expect(answer["Cache-Control"] == "no-store")
        let shown = try cookie(answer)
        #expect(try await bench.ask("GET", "/v1/tokens", headers: shown).status == 200)
        #expect(try await bench.ask("GET", "/v1/tokens").status == 401)
    }

    @Test("A page of another site can change nothing, regardless of what the browser sends")
    func otherSites() async throws {
        let shown = try cookie(try await signIn(token("admin").secret))
        let body = "{\"id\":\"x\",\"name\":\"X\",\"latitude\":1,\"longitude\":2,\"radius\":100}"
        func status(_ headers: [String: String]) async throws -> Int {
            try await bench.ask("POST", "/v1/geofences", body: body, headers: headers.merging(shown) { $1 }).status
        }
        #expect(try await status([:]) == 403)
        for foreign in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"]] {
            #expect(try await status(foreign.merging(page) { $1 }) == 403)
            #expect(try await bench.ask("POST", "/v1/session", body: "{}", headers: foreign.merging(page) { $1 }).status == 403)
        }
        let own = ["Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:\(bench.server.api.site.address.port)"]
        #expect(try await status(own.merging(page) { $1 }) == 201)
        // Position reports by GET are refused, too.
        #expect(try await bench.ask("GET", "/osmand?id=t&lat=1&lon=2", headers: shown).status == 403)
        // Reading is allowed.
        #expect(
            try await bench.ask("GET", "/v1/geofences", headers: ["Sec-Fetch-Site": "none"].merging(shown) { $1 }).status == 200)
    }

    @Test("A session expires, is prolonged by use, and ends with its token, and a forged cookie is refused")
    func end() async throws {
        let admin = try await token("admin")
        let reader = try await token("reader", more: ",\"expiresIn\":2592000", by: admin.secret)
        let first = try cookie(try await signIn(reader.secret))
        let start = bench.clock.now()
        bench.clock.set(start + 13 * 86_400)
        let prolonged = try await bench.ask("GET", "/v1/session", headers: first)
        #expect(try prolonged.json()["expiresAt"]?.string == "2026-12-17T12:00:00.000Z")
        bench.clock.set(start + 15 * 86_400)
        #expect(try await bench.ask("GET", "/v1/session", headers: first).status == 401)
        let second = try cookie(prolonged)
        // A session does not outlast its token.
        bench.clock.set(start + 18 * 86_400)
        let third = try await bench.ask("GET", "/v1/session", headers: second)
        #expect(try third.json()["expiresAt"]?.string == "2026-12-20T12:00:00.000Z")
        for changed in [("2026", "2027"), (reader.id, admin.id), (".", "..")] {
            let cookie = try #require(second["Cookie"])
            let forged = cookie.replacing(changed.0, with: changed.1)
            if forged == cookie { continue }
            #expect(try await bench.ask("GET", "/v1/session", headers: ["Cookie": forged]).status == 401, "\(forged)")
        }
        #expect(try await bench.ask("GET", "/v1/tokens", headers: second).status == 403, "a reader")
        _ = try await bench.ask(
            "DELETE", "/v1/tokens/\(reader.id)", headers: ["Authorization": "Bearer \(admin.secret)"])
        let gone = try await bench.ask("GET", "/v1/session", headers: second)
        #expect(gone.status == 401 && gone.text.contains("was revoked"))
    }

    @Test("Signing in is refused without a valid token for reading, and signing out removes the cookie")
    func refused() async throws {
        #expect(try await bench.json("/v1/session")["isOpen"] == true)
        let admin = try await token("admin")
        let ingest = try await token("ingest", by: admin.secret)
        #expect(try await signIn("picket_wrong").status == 401)
        #expect(try await signIn("").status == 401)
        #expect(try await signIn(ingest.secret).status == 403)
        #expect(try await bench.ask("POST", "/v1/session", body: "{\"token\":\"\(admin.secret)\"}").status == 403)
        let out = try await bench.ask("DELETE", "/v1/session", headers: page)
        #expect(out.status == 204 && out["Set-Cookie"]?.contains("=; Path=/; Max-Age=0") == true)
    }

    @Test(
        "Two services of one host use cookies of different names, so that signing in to one does not end the session of the other"
    )
    func twoServices() async throws {
        var cookies: [String] = []
        let benches = [try ServerBench(), try ServerBench()]
        for bench in benches {
            let token = try #require(
                try await bench.ask("POST", "/v1/tokens", body: #"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
            let signIn = try await bench.ask("POST", "/v1/session", body: #"{"token":"\#(token)"}"#, headers: page)
            cookies.append(String(try #require(signIn["Set-Cookie"]).prefix { $0 != ";" }))
        }
        #expect(Set(cookies.map { $0.prefix { $0 != "=" } }).count == 2)
        // The browser sends both to each.
        for bench in benches {
            let headers = ["Cookie": cookies.joined(separator: "; ")]
            #expect(try await bench.ask("GET", "/v1/status", headers: headers).status == 200)
        }
        #expect(try await benches[0].ask("GET", "/v1/status", headers: ["Cookie": cookies[1]]).status == 401)
    }

    @Test("Each token has its own preferences, which survive a restart")
    func preferences() async throws {
        let path = "/v1/me/preferences"
        let standard = try await bench.json(path)
        #expect(standard == ["theme": "system", "language": "system", "units": "metric", "timeZone": "system"])
        #expect(try await bench.ask("PUT", path, body: #"{"theme":"dark","timeZone":"Asia/Tokyo"}"#).status == 200)
        let admin = try await token("admin")
        let reader = try await token("reader", by: admin.secret)
        func ask(_ secret: String, _ body: String? = nil) async throws -> TestAnswer {
            try await bench.ask(body == nil ? "GET" : "PUT", path, body: body, headers: ["Authorization": "Bearer \(secret)"])
        }
        // The preferences that were saved before a token existed belong to no token.
        #expect(try await ask(admin.secret).json() == standard)
        let saved = try await ask(reader.secret, #"{"units":"imperial","language":"tr"}"#).json()
        #expect(saved["units"] == "imperial" && saved["language"] == "tr" && saved["theme"] == "system")
        #expect(try await ask(reader.secret).json() == saved)
        #expect(try await ask(admin.secret).json() == standard)
        for bad in [#"{"theme":"red"}"#, #"{"language":"xx"}"#, #"{"timeZone":"Mars/Olympus"}"#, #"{"font":"big"}"#, "[]"] {
            #expect(try await ask(reader.secret, bad).status == 422, "\(bad)")
        }
        #expect(try await ask(reader.secret).json() == saved)
    }
}
