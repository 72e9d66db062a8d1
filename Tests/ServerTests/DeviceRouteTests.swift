import Model
import TestSupport
import Testing

@Suite("Devices over HTTP")
struct DeviceRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    @Test("A device is created, read, replaced, changed and removed")
    func life() async throws {
        let made = try await bench.ask("POST", "/v1/devices", body: #"{"id":"van 7/ü","name":"Van","groups":["fleet"]}"#)
        #expect(made.status == 201)
        let place = try #require(made["Location"])
        #expect(place == "/v1/devices/van%207%2F%C3%BC")
        let tag = try #require(made["ETag"])
        #expect(try await bench.ask("POST", "/v1/devices", body: #"{"id":"van 7/ü"}"#).status == 409)

        let read = try await bench.ask("GET", place)
        #expect(read.text == made.text)
        // An answer can be sent back as a request: its position members are ignored.
        let put = try await bench.ask("PUT", place, body: read.text)
        #expect(put.status == 200)
        #expect(put["ETag"] == tag)

        let patched = try await bench.ask("PATCH", place, body: #"{"silentAfter":60,"groups":null}"#)
        #expect(try patched.json()["silentAfter"]?.double == 60)
        #expect(try patched.json()["groups"]?.array?.isEmpty == true)
        #expect(try patched.json()["name"]?.string == "Van")
        #expect(try await bench.ask("PUT", place, body: "{}", headers: ["If-Match": tag]).status == 412)
        #expect(try await bench.ask("DELETE", place, headers: ["If-Match": tag]).status == 412)
        #expect(try await bench.ask("GET", place, headers: ["If-Match": tag]).status == 412)
        let now = try #require(try await bench.ask("GET", place)["ETag"])
        #expect(try await bench.ask("GET", place, headers: ["If-Match": now]).status == 200)
        #expect(try await bench.ask("DELETE", place).status == 204)
        #expect(try await bench.ask("GET", place).status == 404)
        #expect(try await bench.ask("PUT", place, body: "{}").status == 201)
    }

    @Test("The number of a device's events is shown on request")
    func eventCount() async throws {
        try await bench.add("home", 52.5, 13.4, radius: 200)
        for (minute, latitude) in [(10, 52.5), (11, 52.6), (12, 52.5)] {
            try await bench.move("anna", to: latitude, 13.4, at: "2026-05-01T10:\(minute):00Z")
            try await bench.move("ben", to: 52.5, 13.4, at: "2026-05-01T10:\(minute):00Z")
        }
        let events = try await bench.json("/v1/events?device=anna&all=true")["events"]?.array?.count
        #expect(try await bench.json("/v1/devices/anna?eventCount=true")["eventCount"]?.double == events.map(Double.init))
        #expect(events == 3)
        #expect(try await bench.json("/v1/devices/anna")["eventCount"] == nil)
    }

    @Test("A device with a platform gets a simulated registry, as on the command line")
    func platform() async throws {
        #expect(
            try await bench.ask("PUT", "/v1/devices/a", body: #"{"platform":"ios"}"#).json()["registry"]?.string == "simulated")
        #expect(
            try await bench.ask("PUT", "/v1/devices/b", body: #"{"platform":"ios","registry":"app"}"#).json()["registry"]?.string
                == "app")
        #expect(try await bench.ask("PUT", "/v1/devices/c", body: "{}").json()["registry"]?.string == "none")
    }

    @Test(
        "An invalid device is refused with the name of the field",
        arguments: [
            (#"{"platform":"symbian"}"#, "platform"), (#"{"registry":"app"}"#, "platform"),
            (#"{"autoRepair":true}"#, "autoRepair"),
            (#"{"silentAfter":0}"#, "silentAfter"), (#"{"name":""}"#, "name"), (#"{"groups":[1]}"#, "groups"),
            (#"{"colour":"red"}"#, "colour"), (#"{"id":"other"}"#, "id"), ("[]", "body"),
        ])
    func refused(body: String, field: String) async throws {
        let answer = try await bench.ask("PUT", "/v1/devices/x", body: body)
        #expect(answer.status == 422)
        #expect(answer.text.contains(field), "\(answer.text)")
        #expect(try await bench.ask("GET", "/v1/devices/x").status == 404)
    }

    @Test("A POST without an ID is refused")
    func withoutID() async throws {
        #expect(try await bench.ask("POST", "/v1/devices", body: #"{"name":"x"}"#).status == 422)
        #expect(try await bench.ask("POST", "/v1/devices", body: "[]").status == 422)
    }

    @Test("A device has its last position and geofences, and is found by them")
    func whereabouts() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.ask("POST", "/v1/devices", body: #"{"id":"anna","groups":["family"]}"#)
        try await bench.ask("POST", "/v1/devices", body: #"{"id":"new","groups":["family"]}"#)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        try await bench.move("ben", to: 0, 179.9, at: "2026-05-01T10:00:00Z")
        let anna = try await bench.json("/v1/devices/anna")
        #expect(anna["lastFix"]?["latitude"]?.double == 52.5)
        #expect(anna.column("inside", "geofenceId") == ["home"])
        func ids(_ query: String) async throws -> [String] {
            try await bench.json("/v1/devices?" + query).column("devices", "id")
        }
        #expect(try await ids("") == ["anna", "ben", "new"])
        #expect(try await ids("inside=home") == ["anna"])
        #expect(try await ids("group=family") == ["anna", "new"])
        #expect(try await ids("bbox=13,52,14,53") == ["anna"])
        #expect(try await ids("bbox=179,-1,-179,1") == ["ben"])
        #expect(try await ids("bbox=-180,-90,180,90&group=family") == ["anna"])
        #expect(try await ids("limit=1&after=anna") == ["ben"])
        #expect(try await bench.ask("GET", "/v1/devices?inside=nowhere").status == 404)
        #expect(try await bench.json("/v1/devices?limit=2")["next"]?.string == "ben")
        #expect(try await bench.json("/v1/devices?limit=3")["next"] == nil)
    }

    @Test("A device whose groups change enters the geofences that are now for it")
    func groups() async throws {
        try await bench.add("home", 52.5, 13.4, #","groups":["family"]"#)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        #expect(try await bench.json("/v1/devices/anna")["inside"]?.array?.isEmpty == true)
        let patched = try await bench.ask("PATCH", "/v1/devices/anna", body: #"{"groups":["family"]}"#).json()
        #expect(patched.column("inside", "geofenceId") == ["home"])
        #expect(try await bench.json("/v1/events").column("events", "cause") == ["fenceChanged"])
    }
}
