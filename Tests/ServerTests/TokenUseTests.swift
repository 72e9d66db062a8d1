import Model
import Places
import TestSupport
import Testing

@testable import Server

@Suite("Last uses of tokens")
struct TokenUseTests {
    @Test("The list of tokens shows when each was last used, and for which device, also after an erasure of the device")
    func shown() async throws {
        let bench = try ServerBench()
        let admin = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()
        let wanted = #"{"name":"phones","role":"ingest"}"#
        let phone = try await bench.ask("POST", "/v1/tokens", body: wanted, headers: secret(admin)).json()
        _ = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"spare","role":"reader"}"#, headers: secret(admin))
        let now = bench.clock.now()
        let body = #"{"device":"mia","timestamp":"\#(now)","latitude":52.5,"longitude":13.4}"#
        #expect(try await bench.ask("POST", "/v1/positions", body: body, headers: secret(phone)).status == 200)
        func tokens() async throws -> [String: JSONValue] {
            bench.server.api.storeTokenUses()
            try await bench.server.api.store.writer.perform { _ in }
            let list = try await bench.ask("GET", "/v1/tokens", headers: secret(admin)).json()["tokens"]?.array ?? []
            return Dictionary(uniqueKeysWithValues: list.compactMap { token in token["name"]?.string.map { ($0, token) } })
        }
        var found = try await tokens()
        #expect(found["phones"]?["lastUsedAt"]?.string == "\(now)" && found["phones"]?["lastDevice"]?.string == "mia")
        #expect(found["spare"]?["lastUsedAt"] == nil && found["spare"]?["lastDevice"] == nil)
        // A use within ten minutes is not stored again.
        bench.clock.set(now + 300)
        _ = try await bench.ask("POST", "/v1/positions", body: body, headers: secret(phone))
        found = try await tokens()
        #expect(found["phones"]?["lastUsedAt"]?.string == "\(now)")
        bench.clock.set(now + 700)
        _ = try await bench.ask("POST", "/v1/positions", body: body, headers: secret(phone))
        found = try await tokens()
        #expect(found["phones"]?["lastUsedAt"]?.string == "\(now + 700)")
        #expect(try await bench.ask("POST", "/v1/devices/mia:erase", headers: secret(admin)).status == 200)
        bench.clock.set(now + 1500)
        _ = try await bench.ask("GET", "/v1/status", headers: secret(phone))
        found = try await tokens()
        #expect(found["phones"]?["lastDevice"] == nil && found["phones"]?["lastUsedAt"]?.string != nil)
    }

    private func secret(_ created: JSONValue) throws -> [String: String] {
        ["Authorization": "Bearer \(try #require(created["secret"]?.string))"]
    }
}
