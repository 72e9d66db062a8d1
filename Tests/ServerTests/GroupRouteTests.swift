import Model
import TestSupport
import Testing

@testable import Server

@Suite("Groups over HTTP")
struct GroupRouteTests {
    private let bench: ServerBench

    init() async throws {
        bench = try ServerBench()
        try await bench.add("school", 52.5, 13.4, #","groups":["family"]"#)
        for id in ["anna", "ben"] {
            _ = try await bench.ask("POST", "/v1/devices", body: "{\"id\":\"\(id)\",\"groups\":[\"family\"]}")
        }
    }

    @Test("A group's values are changed by a merge patch, and apply to its devices")
    func patch() async throws {
        let answer = try await bench.ask(
            "PATCH", "/v1/groups/family", body: #"{"silentAfter":7200,"policy":"phone","quietHours":["22:00-06:00"]}"#)
        #expect(answer.status == 200)
        let group = try answer.json()
        #expect(group["changedDevices"]?.double == 2 && group["silentAfter"]?.double == 7200, "\(group)")
        #expect(group["devices"]?.double == 2 && group["geofences"]?.double == 1, "\(group)")
        #expect(try await bench.json("/v1/groups/family")["quietHours"] == ["22:00-06:00"])
        let anna = try await bench.json("/v1/devices/anna")
        #expect(anna["silentAfter"]?.double == 7200 && anna["policy"]?["base"]?.string == "phone")
        #expect(anna["inherited"]?["silentAfter"]?["group"]?.string == "family", "\(anna)")
        _ = try await bench.ask("PATCH", "/v1/groups/family", body: #"{"silentAfter":null}"#)
        let ben = try await bench.json("/v1/devices/ben")
        #expect(ben["silentAfter"]?.double == 21_600 && ben["inherited"]?["silentAfter"]?["from"]?.string == "default")
        // A group may have values before it has a device.
        _ = try await bench.ask("PATCH", "/v1/groups/night%20shift", body: #"{"keepPositions":0}"#)
        #expect(try await bench.json("/v1/groups").column("groups", "group") == ["family", "night shift"])
        _ = try await bench.ask("PATCH", "/v1/groups/night%20shift", body: #"{"keepPositions":null}"#)
        #expect(try await bench.ask("GET", "/v1/groups/night%20shift").status == 404)
        #expect(try await bench.json("/v1/check")["isSound"]?.bool == true)
    }

    @Test("A dry run changes nothing, and counts the positions that would be deleted")
    func dryRun() async throws {
        try await bench.move("anna", to: 52.6, 13.4, at: "2026-11-20T10:00:00Z")
        let body = #"{"keepPositions":0,"silentAfter":60}"#
        let dry = try await bench.ask("PATCH", "/v1/groups/family?dryRun=true", body: body).json()
        #expect(dry["isApplied"]?.bool == false && dry["changedDevices"]?.double == 2, "\(dry)")
        #expect(dry["silentAfter"]?.double == 60 && dry["deletion"] == ["positions": JSONValue(1), "of": JSONValue(1)], "\(dry)")
        #expect(try await bench.json("/v1/groups/family")["silentAfter"] == nil)
        #expect(try await bench.json("/v1/devices/anna")["keepPositions"] == nil)
        let done = try await bench.ask("PATCH", "/v1/groups/family", body: body).json()
        #expect(done["isApplied"]?.bool == true && done["deletion"] == dry["deletion"], "\(done)")
        #expect(try await bench.json("/v1/devices/anna")["keepPositions"]?.double == 0)
    }

    @Test("Bad values are named, and a reader may only look")
    func refused() async throws {
        for (body, field) in [
            (#"{"silentAfter":0}"#, "silentAfter"), (#"{"quietHours":["late"]}"#, "quietHours"), (#"{"name":"x"}"#, "name"),
        ] {
            let answer = try await bench.ask("PATCH", "/v1/groups/family", body: body)
            #expect(answer.status == 422, "\(body)")
            #expect(try answer.json()["parameters"]?["field"]?.string == field, "\(answer.text)")
        }
        let unknown = try await bench.ask("GET", "/v1/groups/famly")
        #expect(unknown.status == 404 && unknown.text.contains("'family'"))
        let turkish = try await bench.ask("GET", "/v1/groups/famly", headers: ["Accept-Language": "tr"])
        #expect(turkish.text.contains("'famly' adlı bir grup yok"), "\(turkish.text)")
        let field = try await bench.ask(
            "PATCH", "/v1/groups/family", body: #"{"name":"x"}"#, headers: ["Accept-Language": "tr"])
        #expect(field.status == 422 && field.text.contains("grup"), "\(field.text)")
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()
        let admin = ["Authorization": "Bearer \(made["secret"]?.string ?? "")"]
        let board = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"b","role":"reader"}"#, headers: admin).json()
        let reader = ["Authorization": "Bearer \(board["secret"]?.string ?? "")"]
        #expect(try await bench.ask("GET", "/v1/groups", headers: reader).status == 200)
        #expect(try await bench.ask("PATCH", "/v1/groups/family", body: "{}", headers: reader).status == 403)
    }
}
