import Foundation
import Model
import TestSupport
import Testing

@testable import HTTPServer
@testable import Server

@Suite("Answers to positions")
struct IntakeAnswerTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private var position: String {
        #"{"device":"anna","timestamp":"2026-11-20T11:00:00Z","latitude":52.5,"longitude":13.4}"#
    }

    private func addFence(_ headers: [String: String] = [:]) async throws {
        let fence = #"{"id":"home","name":"Home","geometry":{"type":"Point","coordinates":[13.4,52.5]},"radius":200}"#
        #expect(try await bench.ask("POST", "/v1/geofences", body: fence, headers: headers).status == 201)
    }

    @Test("A track in KML or KMZ is accepted, with and without its content type")
    func kml() async throws {
        let track = "<kml><Placemark><Track><when>2026-05-01T10:00:00Z</when><coord>13.3 52.5</coord></Track></Placemark></kml>"
        let archive =
            "UEsDBBQAAAAAAAAAoVylvutbBAAAAAQAAAAOAAAAZmlsZXMvaWNvbi5wbmeJUE5HUEsDBBQAAAAIAAAAoVyYNssywAAAAEIBAAAHAAAAZG9j"
            + "LktNTHXPyw6CMBAF0L1f0bBhRZ+8Qkr9BReu3JFSKwFaA1X4fCsaQROTWUxyTyZ3+H7uO3BXw9hYU4YE4hAoI23dGF2GN3eO8nAvdrz1yksz"
            + "lsHFuWuB0DRN0F6V0c0IjXLIC0QhDV6s0POX1NbqTkFp+wWq2S1Y8ENXSdVXQyu4novjUEm/TRdlBMU0jXASYXIkuMDPOXG0RH8AWYG/Ja0d"
            + "akEYZFmWgYTChKQMsJijT/jL8jeLAUu2DK3V0Kbw8xXxAFBLAwQUAAAAAAAAAKFcdRhkdwYAAAAGAAAACQAAAG90aGVyLmttbDxrbWwvPlBL"
            + "AQIUAxQAAAAAAAAAoVylvutbBAAAAAQAAAAOAAAAAAAAAAAAAACAAQAAAABmaWxlcy9pY29uLnBuZ1BLAQIUAxQAAAAIAAAAoVyYNssywAAA"
            + "AEIBAAAHAAAAAAAAAAAAAACAATAAAABkb2MuS01MUEsBAhQDFAAAAAAAAAChXHUYZHcGAAAABgAAAAkAAAAAAAAAAAAAAIABFQEAAG90aGVy"
            + "LmttbFBLBQYAAAAAAwADAKgAAABCAQAADgBtYWRlIGJ5IGEgdGVzdA=="
        let bodies = [
            ("application/vnd.google-earth.kml+xml", Array(track.utf8), 1.0),
            ("application/vnd.google-earth.kmz", [UInt8](try #require(Data(base64Encoded: archive))), 2.0),
        ]
        for (type, body, count) in bodies {
            for (device, type) in [("a", type), ("b", "application/octet-stream")] {
                var request = TestRequest("POST", "/v1/positions?device=\(device)", body: "", type: type)
                request.body = body
                #expect(try await bench.answer(request).json()["accepted"]?.double == count, "\(type)")
                request.body = Array(body.prefix(60))
                #expect(try await bench.answer(request).status >= 400, "\(type)")
            }
        }
    }

    @Test("Overland gets the answer after which it deletes what it sent", arguments: ["/osmand", "/v1/positions"])
    func overland(path: String) async throws {
        func batch(_ latitude: String, device: String = "lea") -> String {
            #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,\#(latitude)]},"properties":{"#
                + #""timestamp":"2026-11-20T11:00:00Z","horizontal_accuracy":8,"device_id":"\#(device)"}}],"current":{}}"#
        }
        for _ in 0..<2 {
            let answer = try await bench.ask("POST", path, body: batch("52.5"))
            #expect(try answer.status == 200 && answer.json()["result"]?.string == "ok", "\(answer.text)")
        }
        #expect(try await bench.ask("GET", "/v1/devices/lea/track").text.contains("52.5"))
        let refused = try await bench.ask("POST", path, body: batch("95"))
        #expect(refused.text.contains("\"result\"") == (path == "/osmand"))
        let other = #"{"locations":[{"coords":{"latitude":1,"longitude":2},"timestamp":"2026-11-20T11:00:00Z"}]}"#
        let usual = try await bench.ask("POST", path + (path == "/osmand" ? "?id=max" : "?device=max"), body: other)
        #expect(usual.status == 200 && !usual.text.contains("\"result\""), "\(usual.text)")
    }

    @Test("A body compressed with gzip is accepted, and refused if it is cut off")
    func gzip() async throws {
        // One position, compressed by another program.
        let array =
            "H4sIAAAAAAAC/4uuVkpJLctMTlWyUkrMy0tU0lEqycxNLS5JzC0AChkZGJnpGhrqGhmEGBpaGRgAURRQ"
            + "SU5iSWZJaQpQk6mRnimQn5+XDhUwNNYzqY0FAMxfWiRXAAAA"
        var request = TestRequest("POST", "/v1/positions", body: "", type: "application/json")
        let packed = [UInt8](try #require(Data(base64Encoded: array)))
        request.body = packed
        let answer = try await bench.answer(request)
        #expect(try answer.status == 200 && answer.json()["accepted"]?.double == 1, "\(answer.text)")
        request.body = Array(packed.dropLast(10))
        let cut = try await bench.answer(request)
        #expect(cut.status == 400 && cut.text.contains("gzip"), "\(cut.text)")
    }

    @Test("A compressed body that is much larger when decoded is decoded in parts, between which other requests are served")
    func longGzip() async throws {
        let lines = (0..<5000).map {
            #"{"device":"a","timestamp":\#(1_790_000_000 + $0),"latitude":52.5,"longitude":13.4}"# + "\n"
        }
        let packed = try #require(Gzip.compress(Array(lines.joined().utf8)))
        var request = TestRequest("POST", "/v1/positions", body: "", type: "application/x-ndjson")
        request.body = packed
        let answer = try await bench.answer(request)
        #expect(try answer.status == 200 && answer.json()["accepted"]?.double == 5000, "\(answer.text)")
        let api = bench.server.api
        var pending = PendingRequest(Request(request, port: api.site.address.port)) { api.begin($0) }
        var parts = 0
        var unused = packed.count
        while unused > 0 {
            unused = packed.suffix(unused).withUnsafeBufferPointer { pending.receive($0) }
            parts += 1
        }
        #expect(parts > 3)
    }

    @Test(
        "The answer contains the resulting events, or their count when asked to be short",
        arguments: [
            ("", nil), ("?events=true", nil), ("?events=false", nil), ("", "return=minimal"), ("?events=true", "return=minimal"),
        ]
            as [(String, String?)])
    func events(query: String, preference: String?) async throws {
        try await addFence()
        let answer = try await bench.ask(
            "POST", "/v1/positions\(query)", body: position, headers: preference.map { ["Prefer": $0] } ?? [:])
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json["accepted"]?.double == 1 && json["refused"]?.array?.isEmpty == true)
        let isMinimal = query == "?events=false" || preference != nil && query.isEmpty
        #expect(answer["Preference-Applied"] == (isMinimal ? "return=minimal" : nil))
        if isMinimal {
            #expect(json["eventCount"]?.double == 1 && json["events"] == nil)
        } else {
            #expect(json["events"]?.array?.first?["type"]?.string == "enter" && json["eventCount"]?.double == 1)
        }
    }

    @Test("A token that only reports gets no events, unless it asks")
    func ingest() async throws {
        func make(_ body: String, by secret: String? = nil) async throws -> [String: String] {
            let headers = secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
            let made = try await bench.ask("POST", "/v1/tokens", body: body, headers: headers).json()
            return ["Authorization": "Bearer \(try #require(made["secret"]?.string))"]
        }
        let admin = try await make(#"{"name":"admin","role":"admin"}"#)
        try await addFence(admin)
        let secret = admin["Authorization"].map { String($0.dropFirst(7)) }
        let phone = try await make(#"{"name":"phone","role":"ingest","device":"anna"}"#, by: secret)
        let first = try await bench.ask("POST", "/v1/positions", body: position, headers: phone).json()
        #expect(first["eventCount"]?.double == 1 && first["events"] == nil)
        let exact = try await bench.ask("PATCH", "/v1/devices/anna", body: #"{"policy":"exact"}"#, headers: admin)
        #expect(exact.status == 200)
        let away = position.replacing("52.5", with: "52.6").replacing("11:00:00", with: "11:10:00")
        let second = try await bench.ask("POST", "/v1/positions?events=true", body: away, headers: phone).json()
        #expect(second["events"]?.array?.first?["type"]?.string == "exit")
    }

    @Test("The answer says how many times had no zone, and in which zone they were read")
    func timesWithoutZone() async throws {
        let body =
            "device,time,lat,lon\nanna,2026-11-19 10:00,52.5,13.4\nanna,2026-11-19 11:00,52.5,13.4\nben,2026-11-19T10:00Z,52.5,13.4\n"
        func counts(_ query: String) async throws -> [JSONValue]? {
            let answer = try await bench.ask("POST", "/v1/positions?\(query)", body: body, type: "text/csv")
            #expect(answer.status == 200)
            return try answer.json()["timesWithoutZone"]?.array
        }
        func lastTime(_ device: String) async throws -> String? {
            try await bench.json("/v1/devices/\(device)")["lastFix"]?["timestamp"]?.string
        }
        #expect(try await counts("") == [["timeZone": "UTC", "count": JSONValue(2)]])
        #expect(try await lastTime("anna") == "2026-11-19T11:00:00.000Z")
        #expect(try await counts("inputTimezone=America/New_York") == [["timeZone": "America/New_York", "count": JSONValue(2)]])
        #expect(try await lastTime("anna") == "2026-11-19T16:00:00.000Z")
        let zoned = try await bench.ask("POST", "/v1/positions", body: position)
        #expect(try zoned.json()["timesWithoutZone"] == nil)
        let unknown = try await bench.ask("POST", "/v1/positions?inputTimezone=Berlin", body: position)
        #expect(unknown.status == 422 && unknown.text.contains("inputTimezone"))
    }

    @Test("The order of day and month is that of the request, otherwise the date is refused")
    func dateOrder() async throws {
        let body = "device,time,lat,lon\nanna,06/01/2026 10:00,52.5,13.4\n"
        func answer(_ query: String) async throws -> JSONValue {
            try await bench.ask("POST", "/v1/positions?\(query)", body: body, type: "text/csv").json()
        }
        let refused = try await answer("")["refused"]?.array?.first
        #expect(refused?["field"] == "time" && refused?["value"] == "06/01/2026 10:00")
        #expect(refused?["reason"]?.string?.contains("dateOrder=dmy or mdy") == true)
        #expect(try await answer("dateOrder=dmy")["accepted"]?.double == 1)
        #expect(try await bench.json("/v1/devices/anna")["lastFix"]?["timestamp"] == "2026-01-06T10:00:00.000Z")
        #expect(try await answer("dateOrder=mdy")["accepted"]?.double == 1)
        #expect(try await bench.json("/v1/devices/anna")["lastFix"]?["timestamp"] == "2026-06-01T10:00:00.000Z")
    }

    @Test("Local times of a device with its own zone are read in it, over each protocol and with each token")
    func deviceZone() async throws {
        func lastTime(_ device: String) async throws -> String? {
            try await bench.json("/v1/devices/\(device)")["lastFix"]?["timestamp"]?.string
        }
        let zone = ["inputTimeZone": JSONValue.string("Europe/Berlin")]
        for device in ["anna", "ben"] {
            let made = try await bench.ask("PUT", "/v1/devices/\(device)", body: #"{"inputTimeZone":"Europe/Berlin"}"#)
            #expect(try made.status < 300 && made.json()["inputTimeZone"] == zone["inputTimeZone"])
        }
        #expect(try await bench.ask("GET", "/osmand?id=anna&lat=52.5&lon=13.4&timestamp=2026-11-19+10:00:00").status == 200)
        #expect(try await lastTime("anna") == "2026-11-19T09:00:00.000Z")
        let local = #"[{"device":"anna","timestamp":"2026-11-19 11:00:00","latitude":52.5,"longitude":13.4}]"#
        let answer = try await bench.ask("POST", "/v1/positions", body: local)
        #expect(try answer.json()["timesWithoutZone"] == [["timeZone": "Europe/Berlin", "count": JSONValue(1)]])
        #expect(try await lastTime("anna") == "2026-11-19T10:00:00.000Z")
        // A local time that would be ahead of the clock in UTC (12:00).
        #expect(try await bench.ask("GET", "/osmand?id=ben&lat=52.5&lon=13.4&timestamp=20261120125900").status == 200)
        #expect(try await lastTime("ben") == "2026-11-20T11:59:00.000Z")
        let unknown = try await bench.ask("PATCH", "/v1/devices/anna", body: #"{"inputTimeZone":"Berlin"}"#)
        #expect(unknown.status == 422 && unknown.text.contains("inputTimeZone"))
        #expect(try await bench.ask("PATCH", "/v1/devices/anna", body: #"{"inputTimeZone":null}"#).status == 200)
        #expect(try await bench.ask("GET", "/osmand?id=anna&lat=52.5&lon=13.4&timestamp=2026-11-20+10:00:00").status == 200)
        #expect(try await lastTime("anna") == "2026-11-20T10:00:00.000Z")
    }

    @Test(
        "No input creates a device in 1970",
        arguments: [
            "timestamp=4294967295", "timestamp=2147483647", "timestamp=2772693725", "timestamp=0", "timestamp=-1",
            "timestamp=2021",
            "timestamp=20260501", "timestamp=45809.5", "timestamp=1970-01-01T00:00:00Z",
        ])
    func noTime(field: String) async throws {
        let value = String(field.dropFirst(10))
        #expect(try await bench.ask("GET", "/osmand?id=van&lat=52.5&lon=13.4&\(field)").status == 200)
        let message = #"{"_type":"location","tst":\#(Double(value) == nil ? "\"\(value)\"" : value),"lat":52.5,"lon":13.4}"#
        #expect(try await bench.ask("POST", "/owntracks?u=jane&d=phone", body: message).status == 200)
        for (device, name) in [("van", "timestamp"), ("jane%2Fphone", "tst")] {
            let shown = try await bench.json("/v1/devices/\(device)")
            #expect(shown["lastFix"] == nil && shown.column("refusedInput", "field") == [name], "\(shown)")
        }
    }

    @Test("A value other than true or false is refused")
    func badFlag() async throws {
        let answer = try await bench.ask("POST", "/v1/positions?events=some", body: position)
        #expect(answer.status == 422 && answer.text.contains("true or false"))
    }

    @Test("Values that no device measures are refused with the field, the reason and the expected range")
    func implausible() async throws {
        let bench = try ServerBench()
        func refused(_ fields: String) async throws -> JSONValue? {
            let body = #"{"device":"d","latitude":52.5,"longitude":13.4,\#(fields)}"#
            let answer = try await bench.ask("POST", "/v1/positions", body: body)
            return try answer.json()["refused"]?.array?.first
        }
        let battery = try await refused(#""timestamp":"2026-05-01T10:00:00Z","battery":1e10"#)
        #expect(battery?["field"] == "battery" && battery?["reason"]?.string?.hasSuffix("a fraction from 0 to 1") == true)
        let negative = try await refused(#""timestamp":"2026-05-01T10:00:00Z","battery":-1e10"#)
        #expect(negative?["field"] == "battery")
        let old = try await refused(#""timestamp":"0001-01-01T00:00:00Z""#)
        #expect(old?["field"] == "timestamp" && old?["value"] == "0001-01-01T00:00:00Z")
        #expect(old?["reason"]?.string?.hasSuffix("the time of the position, 1980-01-06T00:00:00.000Z or later") == true)
        // Other protocols answer 200, and count what they refuse.
        for query in ["timestamp=-62135596800", "timestamp=1777629600&batt=1e12"] {
            #expect(try await bench.ask("POST", "/?id=d&lat=52.5&lon=13.4&\(query)").status == 200)
        }
        let device = try await bench.json("/v1/devices/d")
        #expect(device["lastFix"] == nil && device.column("refusedInput", "field").sorted() == ["batt", "battery", "timestamp"])
        // A device that does not know its charge writes 255.
        #expect(try await refused(#""timestamp":"2026-05-01T10:00:00Z","battery":255"#) == nil)
        #expect(try await bench.ask("GET", "/v1/devices/d").status == 200)
    }
}
