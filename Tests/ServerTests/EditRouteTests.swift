import Foundation
import Model
import Routing
import TestSupport
import Testing

@testable import HTTPServer
@testable import Server

@Suite("Several edits in one request")
struct EditRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private func edit(_ what: String, _ edits: String, headers: [String: String] = [:]) async throws -> TestAnswer {
        try await bench.ask("POST", "/v1/\(what):edit", body: "{\"edits\":[\(edits)]}", headers: headers)
    }

    private static func circle(_ id: String, radius: Double = 100) -> String {
        "{\"put\":{\"id\":\"\(id)\",\"latitude\":52.5,\"longitude\":13.4,\"radius\":\(radius)}}"
    }

    @Test("Geofences are changed together, and the resulting events are returned")
    func geofences() async throws {
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        let made = try await edit("geofences", "\(Self.circle("a")),\(Self.circle("b"))")
        #expect(made.status == 200)
        #expect(try made.json().column("events", "geofenceId").sorted() == ["a", "b"])
        let swapped = try await edit("geofences", "{\"remove\":\"a\"},\(Self.circle("c"))")
        #expect(try swapped.json().column("events", "type").sorted() == ["enter", "exit"])
        #expect(try await bench.json("/v1/geofences").column("geofences", "id") == ["b", "c"])
    }

    @Test("A geofence that one request removes and creates again is edited, and devices inside stay inside")
    func removedAndMadeAgain() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        for edits in [
            "{\"remove\":\"home\"},\(Self.circle("home"))",
            "\(Self.circle("home")),{\"remove\":\"home\"},\(Self.circle("home", radius: 150))",
        ] {
            #expect(try await edit("geofences", edits).json()["events"] == [])
        }
        #expect(try await bench.json("/v1/events").column("events", "type") == ["enter"])
        let inside = try await bench.json("/v1/geofences/home/devices")
        #expect(inside.column("devices", "enteredAt") == ["2026-11-20T11:00:00.000Z"])
    }

    @Test("When one geofence cannot be changed, none is")
    func allOrNone() async throws {
        try await bench.add("a", 52.5, 13.4)
        #expect(try await edit("geofences", "\(Self.circle("b")),{\"remove\":\"nobody\"}").status == 404)
        #expect(try await edit("geofences", "\(Self.circle("b")),\(Self.circle("c", radius: -1))").status == 422)
        let both = "\(Self.circle("b")),\(Self.circle("a", radius: 7))"
        #expect(try await edit("geofences", both, headers: ["If-None-Match": "*"]).status == 412)
        #expect(try await edit("geofences", Self.circle("a", radius: 7), headers: ["If-Match": "\"old\""]).status == 412)
        #expect(try await bench.json("/v1/geofences").column("geofences", "id") == ["a"])
        #expect(try await bench.json("/v1/geofences/a")["radius"]?.double == 100)
        let tag = try #require(try await bench.ask("GET", "/v1/geofences/a")["ETag"])
        #expect(try await edit("geofences", Self.circle("a", radius: 7), headers: ["If-Match": tag]).status == 200)
    }

    @Test("An outline across the antimeridian is taken the short way, with a note")
    func outlines() async throws {
        let ring = "[[[179,1],[-179,1],[-179,2],[179,2],[179,1]]]"
        let put = "{\"put\":{\"id\":\"a\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":\(ring)}}}"
        let edited = try await edit("geofences", "\(put),\(Self.circle("b"))").json()
        #expect(edited.column("notes", "code") == ["shortWay"] && edited.column("notes", "geofenceId") == ["a"])
        #expect(try await edit("geofences", Self.circle("b")).json()["notes"] == nil)
        let asWritten = try await bench.ask("POST", "/v1/geofences:edit?asWritten=true", body: "{\"edits\":[\(put)]}").json()
        #expect(asWritten["notes"] == nil)
        #expect(try await bench.json("/v1/geofences/a")["asWritten"]?.bool == true)
    }

    @Test("Devices are changed together, and the resulting events are returned")
    func devices() async throws {
        try await bench.add("team", 52.5, 13.4, #","groups":["team"]"#)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        let joined = try await edit("devices", #"{"put":{"id":"anna","groups":["team"],"keepPositions":"forever"}}"#)
        #expect(try joined.json().column("events", "geofenceId") == ["team"])
        #expect(try await bench.json("/v1/devices/anna")["keepPositions"]?.string == "forever")
        let gone = try await edit("devices", #"{"remove":"anna"}"#)
        #expect(try gone.json().column("events", "type") == ["exit"])
        #expect(try await edit("devices", #"{"remove":"anna"}"#).status == 404)
    }

    @Test("The same fields of many devices are changed together, and the answer shows the result for each")
    func patch() async throws {
        try await bench.add("team", 52.5, 13.4, #","groups":["team"]"#)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        for (id, more) in [("ben", #","groups":["family"]"#), ("eve", #","groups":["family"],"silentAfter":60"#)] {
            #expect(try await bench.ask("POST", "/v1/devices", body: "{\"id\":\"\(id)\"\(more)}").status == 201)
        }
        func patch(_ body: String, _ query: String = "") async throws -> (status: Int, json: JSONValue) {
            let answer = try await bench.ask("POST", "/v1/devices:edit\(query)", body: body)
            return (answer.status, try answer.json())
        }
        let family = #"{"group":"family","patch":{"silentAfter":60,"groups":["family","team"]}}"#
        let dry = try await patch(family, "?dryRun=true")
        #expect(dry.json["isApplied"]?.bool == false && dry.json.column("devices", "outcome") == ["changed", "changed"])
        #expect(try await bench.json("/v1/devices/ben")["silentAfter"]?.double == 21_600)
        let done = try await patch(family)
        #expect(done.status == 200 && done.json["isApplied"]?.bool == true)
        #expect(done.json["devices"]?.array?[0]["changes"]?["silentAfter"]?.double == 60)
        #expect(done.json["devices"]?.array?[1]["changes"]?["silentAfter"] == nil)
        #expect(try await patch(family).json.column("devices", "outcome") == ["unchanged", "unchanged"])
        let joined = try await patch(#"{"all":true,"patch":{"groups":["team"]}}"#)
        #expect(joined.json.column("devices", "id") == ["anna", "ben", "eve"])
        #expect(joined.json.column("events", "geofenceId") == ["team"])
        // A merge patch changes single fields of a policy, and null removes a field.
        _ = try await patch(#"{"devices":["ben"],"patch":{"policy":{"confirmFixes":1}}}"#)
        _ = try await patch(#"{"devices":["ben"],"patch":{"policy":{"maxAccuracy":50}}}"#)
        let policy = try await bench.json("/v1/devices/ben")["policy"]
        #expect(policy?["confirmFixes"]?.double == 1 && policy?["maxAccuracy"]?.double == 50)
        let cleared = try await patch(#"{"devices":["ben","ben"],"patch":{"policy":null}}"#)
        #expect(cleared.json["devices"]?.array?.count == 1 && cleared.json["devices"]?.array?[0]["changes"]?["policy"] == .null)
        let kept = try await patch(#"{"all":true,"patch":{"keepPositions":0}}"#, "?dryRun=true")
        #expect(kept.json["devices"]?.array?[0]["deletion"]?["positions"]?.double == 1)
        #expect(kept.json["isApplied"]?.bool == false)
        let deleted = try await patch(#"{"devices":["anna","ben"],"patch":{"keepPositions":0}}"#)
        #expect(deleted.json["isApplied"]?.bool == true)
        #expect(deleted.json["devices"]?.array?.map { $0["deletion"]?["positions"]?.double } == [1, 0])
    }

    @Test("Many devices and the devices of a large group are changed in steps, and the answers are bounded")
    func patchMany() async throws {
        let names = (0..<250).map { "car-\($0)" }
        let puts = names.map { #"{"put":{"id":"\#($0)","groups":["fleet"]}}"# }.joined(separator: ",")
        #expect(try await bench.ask("POST", "/v1/devices:edit", body: #"{"edits":[\#(puts)]}"#).status == 200)
        let patched = try await bench.ask(
            "POST", "/v1/devices:edit", body: #"{"all":true,"patch":{"quietHours":["22:00-06:00"]}}"#)
        #expect(try patched.json().column("devices", "id").sorted() == names.sorted())
        #expect(try patched.json()["isApplied"]?.bool == true && patched.json()["eventCount"] == nil)
        let group = try await bench.ask("PATCH", "/v1/groups/fleet", body: #"{"silentAfter":7200}"#).json()
        #expect(group["changedDevices"] == JSONValue(250) && group["eventCount"] == nil, "\(group)")
        let devices = try await bench.json("/v1/devices?limit=1000")["devices"]?.array ?? []
        #expect(devices.count == 250)
        #expect(devices.allSatisfy { $0["silentAfter"] == JSONValue(7200) && $0["quietHours"] == ["22:00-06:00"] })
        // Any number of unknown devices can be named.
        let unknown = (0..<1000).map { "\"nobody-\($0)\"" }.joined(separator: ",")
        let refused = try await bench.ask(
            "POST", "/v1/devices:edit", body: #"{"devices":[\#(unknown)],"patch":{"silentAfter":60}}"#)
        let entries = try refused.json()["devices"]?.array ?? []
        #expect(refused.status == 422 && entries.count == 1000)
        #expect(entries.allSatisfy { $0["outcome"] == "refused" } && entries.count { $0["problem"] != nil } == 100)
    }

    @Test("When one device cannot be changed, none is, and the answer says which")
    func patchAllOrNone() async throws {
        for id in ["anna", "ben"] { _ = try await bench.ask("POST", "/v1/devices", body: "{\"id\":\"\(id)\"}") }
        func refused(_ body: String, headers: [String: String] = [:]) async throws -> JSONValue {
            let answer = try await bench.ask("POST", "/v1/devices:edit", body: body, headers: headers)
            #expect(answer.status == 422 && answer["Content-Type"] == "application/json", "\(answer.text)")
            return try answer.json()
        }
        let unknown = try await refused(#"{"devices":["anna","bem"],"patch":{"silentAfter":60}}"#)
        #expect(unknown.column("devices", "outcome") == ["changed", "refused"] && unknown["isApplied"]?.bool == false)
        #expect(unknown["devices"]?.array?[1]["problem"]?["code"]?.string == "notFound")
        let invalid = try await refused(#"{"all":true,"patch":{"silentAfter":-1}}"#)
        #expect(invalid["devices"]?.array?[0]["problem"]?["parameters"]?["field"]?.string == "silentAfter")
        _ = try await refused(#"{"all":true,"patch":{"silentAfter":60}}"#, headers: ["If-Match": "\"old\""])
        _ = try await refused(#"{"all":true,"patch":{"id":"x"}}"#)
        for id in ["anna", "ben"] { #expect(try await bench.json("/v1/devices/\(id)")["silentAfter"]?.double == 21_600) }
        for (body, field) in [
            (#"{"patch":{"name":"x"}}"#, "devices"), (#"{"devices":[],"patch":{"name":"x"}}"#, "devices"),
            (#"{"all":true,"patch":{}}"#, "patch"), (#"{"all":true,"patch":7}"#, "patch"),
            (#"{"all":true,"group":"g","patch":{"name":"x"}}"#, "all"), (#"{"devices":"a","patch":{"name":"x"}}"#, "devices"),
            (#"{"al":true,"patch":{"name":"x"}}"#, "al"),
        ] {
            let answer = try await bench.ask("POST", "/v1/devices:edit", body: body)
            #expect(answer.status == 422, "\(body)")
            #expect(try answer.json()["parameters"]?["field"]?.string == field, "\(answer.text)")
        }
        #expect(try await bench.ask("POST", "/v1/devices:edit", body: #"{"group":"g","patch":{"name":"x"}}"#).status == 404)
        #expect(try await bench.ask("POST", "/v1/devices:edit?dryRun=true", body: #"{"edits":[]}"#).status == 422)
    }

    @Test("Erasing a device deletes its events and tokens, and event numbers continue")
    func erase() async throws {
        try await bench.add("home", 52.5, 13.4)
        for name in ["anna", "ben"] { try await bench.move(name, to: 52.5, 13.4, at: "2026-11-20T11:00:00Z") }
        let admin = try #require(
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let shown = ["Authorization": "Bearer \(admin)"]
        let own = try #require(
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"b","role":"ingest","device":"anna"}"#, headers: shown)
                .json()["secret"]?.string)
        let erased = try await bench.ask("POST", "/v1/devices/anna:erase", headers: shown)
        #expect(try erased.status == 200 && erased.json()["fixes"]?.double == 1)
        #expect(try await bench.json("/v1/events", headers: shown).column("events", "deviceId") == ["ben"])
        let position = #"{"device":"anna","timestamp":"2026-11-20T11:30:00Z","latitude":0,"longitude":1}"#
        let refused = try await bench.ask("POST", "/v1/positions", body: position, headers: ["Authorization": "Bearer \(own)"])
        #expect(refused.status == 401)
        #expect(try await bench.ask("POST", "/v1/devices/anna:erase?keepFiles=true", headers: shown).status == 404)
        let moved = #"{"device":"ben","timestamp":"2026-11-20T11:30:00Z","latitude":0,"longitude":1}"#
        let left = try await bench.ask("POST", "/v1/positions?policy=exact", body: moved, headers: shown)
        #expect(try left.json().column("events", "type") == ["exit"])
    }

    /// The ways in which a device reports something, with the target, the content type and the body.
    private static let reports: [(String, String, String)] = [
        (
            "/v1/positions", "application/json",
            #"{"device":"anna","timestamp":"2026-11-20T11:30:00Z","latitude":0,"longitude":1}"#
        ),
        ("/?id=anna&lat=0&lon=1&timestamp=1795174200", "text/plain", "x"),
        ("/owntracks", "application/json", #"{"_type":"location","lat":0,"lon":1,"tst":1795174200}"#),
        (
            "/owntracks", "application/json",
            #"[{"_type":"location","lat":0,"lon":1,"tst":1795174200},{"_type":"status","iOS":{}}]"#
        ),
        (
            "/v1/devices/anna/observations", "application/json",
            #"[{"at":"2026-11-20T11:30:00Z","type":"enter","identifier":"picket/home"}]"#
        ),
        (
            "/v1/devices/anna/registry", "application/json",
            #"{"platform":"ios","authorizationStatus":"always","regions":[]}"#
        ),
    ]

    @Test("A request that began before the erasure of its device does not create the device again", arguments: reports)
    func requestUnderWay(target: String, type: String, body: String) async throws {
        let admin = try #require(
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let shown = ["Authorization": "Bearer \(admin)"]
        try await bench.ask("PUT", "/v1/devices/anna", body: "{}", headers: shown)
        let own = try #require(
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"b","role":"ingest","device":"anna"}"#, headers: shown)
                .json()["secret"]?.string)
        let api = bench.server.api
        let method = target.hasSuffix("/registry") ? "PUT" : "POST"
        let request = TestRequest(method, target, body: body, type: type, headers: ["Authorization": "Bearer \(own)"])
        var pending = PendingRequest(Request(request, port: api.site.address.port)) { api.begin($0) }
        let bytes = Array(body.utf8)
        bytes[..<(bytes.count / 2)].withUnsafeBufferPointer { _ = pending.receive($0) }
        #expect(try await bench.ask("POST", "/v1/devices/anna:erase", headers: shown).status == 200)
        bytes[(bytes.count / 2)...].withUnsafeBufferPointer { _ = pending.receive($0) }
        var response: Response?
        switch pending.finish() {
        case .now(let answer): response = answer
        case .later(let begin):
            response = await withCheckedContinuation { continuation in
                #expect(begin(Reply { continuation.resume(returning: $0) }))
            }
        case nil: Issue.record("the request has ended before")
        }
        #expect(response?.status == 401)
        #expect(try await bench.json("/v1/devices", headers: shown)["devices"]?.array?.isEmpty == true)
    }

    @Test("The token of an erased device is refused also if the files cannot be rewritten, and erasing again rewrites them")
    func unfinishedErasure() async throws {
        let admin = try #require(
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"a","role":"admin"}"#).json()["secret"]?.string)
        let shown = ["Authorization": "Bearer \(admin)"]
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"platform":"ios","registry":"simulated"}"#, headers: shown)
        let own = try #require(
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"b","role":"ingest","device":"anna"}"#, headers: shown)
                .json()["secret"]?.string)
        func move(_ minute: Int) async throws -> Int {
            try await bench.ask(
                "POST", "/v1/positions",
                body: "{\"device\":\"anna\",\"timestamp\":\"2026-11-20T11:\(minute):00Z\",\"latitude\":0,\"longitude\":1}",
                headers: ["Authorization": "Bearer \(own)"]
            ).status
        }
        #expect(try await move(30) == 200)
        // The file of the simulated phones exists from the first report of health on.
        #expect(try await bench.ask("POST", "/v1/devices/anna/fix-registration", headers: shown).status == 200)
        do {
            let fault = try FileFault(.write, of: bench.data.registryFilePath + "-wal")
            #expect(try await bench.ask("POST", "/v1/devices/anna:erase", headers: shown).status == 503)
            _ = fault
        }
        #expect(try await move(31) == 401, "its token is gone with the device")
        let again = try await bench.ask("POST", "/v1/devices/anna:erase", headers: shown)
        #expect(again.status == 200, "\(again.text)")
        #expect(try again.json()["fixes"]?.double == 1 && again.json()["isGone"]?.bool == true)
        #expect(try await bench.ask("POST", "/v1/devices/anna:erase", headers: shown).status == 404)
    }

    @Test("An erasure that erases nothing keeps the logged events, and one that erases discards them")
    func unchanged() async throws {
        // Events are logged only while a client follows them.
        _ = bench.server.api.log.follow {}
        try await bench.add("home", 52.5, 13.4)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        func isLogged() -> Bool {
            if case .entries = bench.server.api.log.entries(after: 0, limit: 10) { true } else { false }
        }
        #expect(isLogged())
        #expect(try await bench.ask("POST", "/v1/devices/nobody:erase", body: "").status == 404)
        #expect(isLogged())
        #expect(try await bench.ask("POST", "/v1/devices/anna:erase", body: "").status == 200)
        #expect(!isLogged())
    }

    @Test("After an erasure, only the remaining devices are counted")
    func counts() async throws {
        try await bench.add("home", 52.5, 13.4)
        for name in ["anna", "ben"] {
            try await bench.ask("PUT", "/v1/devices/\(name)", body: #"{"platform":"ios","registry":"simulated"}"#)
            try await bench.move(name, to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
            try await bench.move(name, to: 52.6, 13.4, at: "2026-11-20T11:10:00Z")
        }
        func unhealthy(_ count: Int) async throws -> Bool {
            try await bench.ask("GET", "/metrics").text.contains("picket_managed_devices{health=\"unhealthy\"} \(count)\n")
        }
        // The service updates the metrics once a minute, starting soon after its start; here the test does so.
        await withCheckedContinuation { continuation in bench.server.api.updateHealthMetrics { _ in continuation.resume() } }
        #expect(try await unhealthy(2))
        #expect(try await bench.ask("POST", "/v1/devices/anna:erase", body: "").status == 200)
        let status = try await bench.json("/v1/status?totals=true")
        let totals = status["totals"]
        #expect(["devices", "geofences", "fixes", "events"].map { totals?[$0]?.double } == [1, 1, 2, 2])
        #expect(status["store"]?["newestEvent"]?.double == 4, "numbers are not used again")
        // The phones are counted after the answer.
        while try await !unhealthy(1) {}
    }

    @Test(
        "Invalid edits are refused with the name of the field",
        arguments: [#"{}"#, #"{"edits":[{}]}"#, #"{"edits":[{"put":{"name":"no id"}}]}"#, #"{"edits":[{"remove":7}]}"#, "[]"])
    func refused(_ body: String) async throws {
        for what in ["geofences", "devices"] {
            let answer = try await bench.ask("POST", "/v1/\(what):edit", body: body)
            #expect(answer.status == 422)
            #expect(try answer.json()["parameters"]?["field"]?.string == "edits")
        }
    }
}
