import Model
import TestSupport
import Testing

@testable import Server

@Suite("Geofences over HTTP")
struct GeofenceRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    // MARK: - One

    @Test("A geofence is created, read, replaced, changed and removed")
    func life() async throws {
        let made = try await bench.add("home", 52.5, 13.4)
        #expect(made.status == 201)
        #expect(made["Location"] == "/v1/geofences/home")
        let tag = try #require(made["ETag"])

        let read = try await bench.ask("GET", "/v1/geofences/home")
        #expect(read.status == 200)
        #expect(read.text == made.text)
        #expect(read["ETag"] == tag)

        let replaced = try await bench.ask(
            "PUT", "/v1/geofences/home", body: #"{"name":"At home","latitude":52.5,"longitude":13.4,"radius":150}"#)
        #expect(replaced.status == 200)
        #expect(try replaced.json()["radius"]?.double == 150)
        #expect(replaced["ETag"] != tag)

        let changed = try await bench.ask("PATCH", "/v1/geofences/home", body: #"{"priority":3,"properties":{"colour":"red"}}"#)
        #expect(changed.status == 200)
        #expect(try changed.json()["name"]?.string == "At home")
        #expect(try changed.json()["properties"]?["colour"]?.string == "red")
        #expect(
            try await bench.ask("PATCH", "/v1/geofences/home", body: #"{"properties":{"colour":null}}"#).json()["properties"]?
                .members?
                .isEmpty
                == true)

        #expect(try await bench.ask("DELETE", "/v1/geofences/home").status == 204)
        let gone = try await bench.ask("GET", "/v1/geofences/home")
        #expect(gone.status == 404)
        #expect(gone["Content-Type"] == "application/problem+json")
    }

    @Test("PUT creates a geofence with 201, and only once with If-None-Match")
    func put() async throws {
        let body = #"{"latitude":52.5,"longitude":13.4,"radius":150}"#
        let made = try await bench.ask("PUT", "/v1/geofences/new", body: body, headers: ["If-None-Match": "*"])
        #expect(made.status == 201)
        #expect(try made.json()["name"]?.string == "new")
        let again = try await bench.ask("PUT", "/v1/geofences/new", body: body, headers: ["If-None-Match": "*"])
        #expect(again.status == 412)
        #expect(try await bench.ask("PUT", "/v1/geofences/new", body: body).status == 200)
    }

    @Test("A geofence gets an ID from its name, and another one only when asked to")
    func madeIDs() async throws {
        func body(_ latitude: Double) -> String {
            "{\"name\":\"My home\",\"latitude\":\(latitude),\"longitude\":13.4,\"radius\":150}"
        }
        let made = try await bench.ask("POST", "/v1/geofences", body: body(52.5))
        #expect(try made.status == 201 && made.json()["id"]?.string == "my-home")
        // The same geofence again is not created twice.
        let again = try await bench.ask("POST", "/v1/geofences", body: body(52.5))
        #expect(again.status == 200 && again.text == made.text && again["ETag"] == made["ETag"] && again["Location"] == nil)
        let refused = try await bench.ask("POST", "/v1/geofences", body: body(38.7))
        #expect(try refused.status == 409 && refused.json()["code"]?.string == "conflict")
        for place in ["150 m around 52.5, 13.4", "150 m around 38.7, 13.4", "onConflict=rename"] {
            #expect(refused.text.contains(place), "\(refused.text)")
        }
        var ids: [String?] = []
        for latitude in [38.7, 38.7, 41.1] {
            ids.append(try await bench.ask("POST", "/v1/geofences?onConflict=rename", body: body(latitude)).json()["id"]?.string)
        }
        #expect(ids == ["my-home-2", "my-home-2", "my-home-3"])
        #expect(try await bench.ask("POST", "/v1/geofences?onConflict=replace", body: body(1)).status == 422)
        // The name decides in every script, even if no id can be derived from it.
        for (name, id) in [("日本", "u65e5-u672c"), ("🏠", "fence")] {
            for (latitude, query, status, id) in [
                (1.0, "", 201, id), (2, "", 409, nil), (2, "?onConflict=rename", 201, "\(id)-2"), (1, "", 200, id),
            ] as [(Double, String, Int, String?)] {
                let answer = try await bench.ask(
                    "POST", "/v1/geofences\(query)",
                    body: "{\"name\":\"\(name)\",\"latitude\":\(latitude),\"longitude\":3,\"radius\":5}")
                #expect(try answer.status == status && answer.json()["id"]?.string == id, "\(answer.text)")
            }
        }
        // An explicit id that exists is a conflict, even for an equal geofence.
        #expect(try await bench.ask("POST", "/v1/geofences", body: made.text).status == 409)
    }

    @Test("Edges across the antimeridian are taken the short way, unless they are marked as written")
    func antimeridian() async throws {
        let ring = "[[[179,1],[-179,1],[-179,2],[179,2],[179,1]]]"
        let body = "{\"geometry\":{\"type\":\"Polygon\",\"coordinates\":\(ring)}}"
        func west(_ json: JSONValue) -> Double? {
            json["geometry"]?["coordinates"]?.array?.first?.array?.compactMap { $0.array?.first?.double }.min()
        }
        let put = try await bench.ask("PUT", "/v1/geofences/a", body: body)
        #expect(try put.status == 201 && west(put.json()) == 179)
        let note = try #require(try put.json()["notes"]?.array?.first)
        #expect(note["code"] == "shortWay" && note["geofenceId"] == "a" && note["east"]?.double == 181)
        #expect(note["message"]?.string?.contains("asWritten=true") == true)
        #expect(try await bench.json("/v1/geofences?containing=1.5,180.5").column("geofences", "id") == ["a"])
        // An answer can be sent back and gives no further notes.
        let back = try await bench.ask("PUT", "/v1/geofences/a", body: put.text)
        #expect(try back["ETag"] == put["ETag"] && back.json()["notes"] == nil)

        let literal = try await bench.ask("PUT", "/v1/geofences/b?asWritten=true", body: body)
        #expect(try west(literal.json()) == -179 && literal.json()["notes"] == nil)
        #expect(try literal.json()["asWritten"]?.bool == true)
        let same = try await bench.ask("PUT", "/v1/geofences/b", body: literal.text)
        #expect(same.text == literal.text && same["ETag"] == literal["ETag"])
        // Changing another field keeps the outline; a new outline is read again.
        #expect(try await west(bench.ask("PATCH", "/v1/geofences/b", body: #"{"priority":1}"#).json()) == -179)
        let patched = try await bench.ask("PATCH", "/v1/geofences/b", body: body.replacing("[179,1]", with: "[178,1]")).json()
        #expect(west(patched) == 178 && patched.column("notes", "code") == ["shortWay"] && patched["asWritten"] == nil)

        let turkish = try await bench.ask(
            "POST", "/v1/geofences", body: #"{"id":"c","# + body.dropFirst(), headers: ["Accept-Language": "tr"])
        #expect(turkish.text.contains("kısa yoldan"))
        let feature = "{\"type\":\"Feature\",\"id\":\"d\",\"properties\":{\"asWritten\":true},\(body.dropFirst())"
        #expect(try await west(bench.ask("POST", "/v1/geofences", body: feature).json()) == -179)
        #expect(try await bench.ask("PUT", "/v1/geofences/e", body: #"{"asWritten":1,"# + body.dropFirst()).status == 422)
        // Around a pole, the short way does not give a closed outline.
        let cap = "{\"id\":\"cap\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[-170,60],[0,80],[170,60],[-170,60]]]}}"
        #expect(try await bench.ask("POST", "/v1/geofences", body: cap).json().column("notes", "code") == ["asWritten"])
    }

    @Test("The answer of GET can be PUT unchanged")
    func identity() async throws {
        let bodies = [
            #"{"id":"a","name":"A","latitude":1.5,"longitude":2.25,"radius":100,"dwell":60,"triggers":["enter","dwell"],"devices":["d"],"groups":["g","h"],"policy":{"base":"phone","exitMargin":5},"priority":-2,"isActive":false,"properties":{"deep":{"a":[1,null,"x"]}}}"#,
            #"{"id":"b","name":"B","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}"#,
        ]
        for body in bodies {
            let made = try await bench.ask("POST", "/v1/geofences", body: body)
            #expect(made.status == 201, "\(made.text)")
            let id = try #require(try made.json()["id"]?.string)
            let put = try await bench.ask("PUT", "/v1/geofences/\(id)", body: made.text)
            #expect(put.status == 200)
            #expect(put.text == made.text)
            #expect(put["ETag"] == made["ETag"])
        }
    }

    @Test("A feature is accepted like the flat form, and a shape changes between circle and polygon")
    func shapes() async throws {
        let feature =
            #"{"type":"Feature","id":"f","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"F","radius":80}}"#
        let made = try await bench.ask("POST", "/v1/geofences", body: feature, type: "application/geo+json")
        #expect(try made.json()["latitude"]?.double == 52.5)
        let polygon = #"{"geometry":{"type":"Polygon","coordinates":[[[13,52],[14,52],[14,53],[13,52]]]}}"#
        let polygonal = try await bench.ask("PATCH", "/v1/geofences/f", body: polygon).json()
        #expect(polygonal["radius"] == nil)
        #expect(polygonal["geometry"]?["type"]?.string == "Polygon")
        let circle = try await bench.ask("PATCH", "/v1/geofences/f", body: #"{"latitude":1,"longitude":2,"radius":3}"#).json()
        #expect(circle["geometry"] == nil)
        #expect(circle["radius"]?.double == 3)
    }

    @Test(
        "An invalid geofence is refused with the name of the field",
        arguments: [
            (#"{"id":"x y","latitude":1,"longitude":2,"radius":3}"#, "id"),
            (#"{"id":"x","latitude":1,"longitude":2}"#, "radius"), (#"{"id":"x"}"#, "latitude"),
            (#"{"id":"x","latitude":"1","longitude":2,"radius":3}"#, "latitude"),
            (#"{"id":"x","latitude":91,"longitude":2,"radius":3}"#, "latitude"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"priorty":1}"#, "priorty"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"priority":1.5}"#, "priority"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"priority":1e999}"#, "priority"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"triggers":["leave"]}"#, "triggers"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"groups":"all"}"#, "groups"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"policy":"lax"}"#, "policy"),
            (#"{"id":"x","latitude":1,"longitude":2,"radius":3,"properties":[]}"#, "properties"),
            (#"{"id":"x","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}}"#, "geometry"),
            (#"{"id":"x","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,0]]]},"radius":3}"#, "radius"),
            (#"{"latitude":1,"longitude":2,"radius":3}"#, "name"), ("[]", "body"), ("7", "body"),
        ])
    func refused(body: String, field: String) async throws {
        let answer = try await bench.ask("POST", "/v1/geofences", body: body)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.text.contains(field), "\(answer.text)")
        #expect(try await bench.json("/v1/geofences")["geofences"]?.array?.isEmpty == true)
    }

    @Test("A body that is not JSON gives 400")
    func noJSON() async throws {
        #expect(try await bench.ask("POST", "/v1/geofences", body: "{").status == 400)
        #expect(try await bench.ask("PUT", "/v1/geofences/x", body: "").status == 400)
    }

    @Test("An ID in the body that differs from the path is refused")
    func otherID() async throws {
        let answer = try await bench.ask("PUT", "/v1/geofences/x", body: #"{"id":"y","latitude":1,"longitude":2,"radius":3}"#)
        #expect(answer.status == 422)
        try await bench.add("x", 1, 2)
        #expect(try await bench.ask("PATCH", "/v1/geofences/x", body: #"{"id":"y"}"#).status == 422)
    }

    // MARK: - Races

    @Test("With If-Match, the second of two changes is refused", arguments: ["PUT", "PATCH", "DELETE"])
    func races(method: String) async throws {
        let tag = try #require(try await bench.add("home", 52.5, 13.4)["ETag"])
        let body = #"{"latitude":52.5,"longitude":13.4,"radius":200}"#
        #expect(
            try await bench.ask("PATCH", "/v1/geofences/home", body: #"{"radius":120}"#, headers: ["If-Match": tag]).status == 200
        )
        let lost = try await bench.ask(
            method, "/v1/geofences/home", body: method == "DELETE" ? nil : body, headers: ["If-Match": tag])
        #expect(try lost.status == 412 && lost.json()["code"]?.string == "preconditionFailed")
        #expect(try await bench.json("/v1/geofences/home")["radius"]?.double == 120)
        let now = try #require(try await bench.ask("GET", "/v1/geofences/home")["ETag"])
        let headers = ["If-Match": "\"other\", W/\"weak\", \(now)"]
        #expect(
            try await bench.ask(method, "/v1/geofences/home", body: method == "DELETE" ? nil : body, headers: headers).status
                < 300)
    }

    @Test("PUT with If-Match at a missing geofence gives 412, and PATCH and DELETE give 404")
    func gone() async throws {
        let body = #"{"latitude":52.5,"longitude":13.4,"radius":200}"#
        #expect(try await bench.ask("PUT", "/v1/geofences/home", body: body, headers: ["If-Match": "*"]).status == 412)
        #expect(try await bench.ask("PUT", "/v1/geofences/home", body: body, headers: ["If-Match": "\"1\""]).status == 412)
        #expect(try await bench.ask("PATCH", "/v1/geofences/home", body: body).status == 404)
        #expect(try await bench.ask("DELETE", "/v1/geofences/home").status == 404)
        #expect(try await bench.ask("PUT", "/v1/geofences/home", body: body, headers: ["If-Match": "no quotes"]).status == 422)
        // A missing geofence is not found, regardless of the condition.
        #expect(try await bench.ask("PATCH", "/v1/geofences/home", body: body, headers: ["If-Match": "\"1\""]).status == 404)
        let both = ["If-Match": "*", "If-None-Match": "*"]
        #expect(try await bench.ask("PUT", "/v1/geofences/home", body: body, headers: both).status == 422)
        // Creating an existing geofence is a conflict and not a failed precondition.
        try await bench.add("home", 52.5, 13.4)
        #expect(try await bench.add("home", 52.5, 13.4).status == 409)
    }

    @Test("If-Match at a resource without versions gives 412", arguments: ["GET", "POST"])
    func withoutVersions(method: String) async throws {
        let circle = #"{"id":"a","latitude":52.5,"longitude":13.4,"radius":200}"#
        let body = method == "POST" ? circle : nil
        let failed = try await bench.ask(method, "/v1/geofences", body: body, headers: ["If-Match": "\"1\""])
        #expect(failed.status == 412 && failed.text.contains("has no version"))
        #expect(try await bench.ask("GET", "/v1/geofences/a").status == 404)
        #expect(try await bench.ask(method, "/v1/geofences", body: body, headers: ["If-Match": "*"]).status < 300)
    }

    @Test("An unchanged geofence gives 304")
    func unchanged() async throws {
        let tag = try #require(try await bench.add("home", 52.5, 13.4)["ETag"])
        let answer = try await bench.ask("GET", "/v1/geofences/home", headers: ["If-None-Match": tag])
        #expect(answer.status == 304)
        #expect(answer["ETag"] == tag)
        #expect(answer.body.isEmpty)
        // A proxy that compresses answers makes the tag weak.
        #expect(try await bench.ask("GET", "/v1/geofences/home", headers: ["If-None-Match": "W/\(tag)"]).status == 304)
        #expect(try await bench.ask("GET", "/v1/geofences/home", headers: ["If-Match": tag]).status == 200)
        #expect(try await bench.ask("GET", "/v1/geofences/home", headers: ["If-Match": "W/\(tag)"]).status == 412)
        try await bench.ask("PATCH", "/v1/geofences/home", body: #"{"priority":1}"#)
        #expect(try await bench.ask("GET", "/v1/geofences/home", headers: ["If-None-Match": tag]).status == 200)
    }

    // MARK: - Lists

    @Test("Geofences are listed by ID in pages, each once")
    func pages() async throws {
        for number in 10...32 { try await bench.add("f\(number)", 52, 13) }
        var ids: [String] = []
        var after: String?
        var parts = 0
        repeat {
            let page = try await bench.json("/v1/geofences?limit=5" + (after.map { "&after=\($0)" } ?? ""))
            ids += page.column("geofences", "id")
            after = page["next"]?.string
            parts += 1
        } while after != nil
        #expect(ids == (10...32).map { "f\($0)" })
        #expect(parts == 5)
    }

    @Test("Geofences are found by text, group, place and box")
    func filters() async throws {
        try await bench.add("home", 52.5, 13.4, radius: 500)
        try await bench.add("school", 52.5, 13.4, radius: 1000, #","groups":["family","pupils"]"#)
        try await bench.add("away", 48, 2, radius: 1000, #","groups":["family"],"isActive":false"#)
        try await bench.add("east", 0, 179.999, radius: 1000)
        func ids(_ query: String) async throws -> [String] {
            try await bench.json("/v1/geofences?" + query).column("geofences", "id")
        }
        #expect(try await ids("matching=HO") == ["home", "school"])
        #expect(try await ids("group=family") == ["away", "school"])
        // 0.01° of longitude are 679 m at this latitude.
        #expect(try await ids("containing=52.5,13.41") == ["school"])
        #expect(try await ids("containing=52.5,13.4") == ["home", "school"])
        #expect(try await ids("containing=52.5,13.4&group=pupils") == ["school"])
        #expect(try await ids("containing=0,-179.999") == ["east"])
        #expect(try await ids("containing=0,0") == [])
        #expect(try await ids("bbox=13,52,14,53") == ["home", "school"])
        #expect(try await ids("bbox=13,52,14,53&limit=1") == ["home"])
        #expect(try await ids("bbox=13,52,14,53&after=home") == ["school"])
        #expect(try await ids("bbox=-180,-90,180,90") == ["away", "east", "home", "school"])
        #expect(try await ids("bbox=170,-10,-170,10") == ["east"])
        #expect(try await ids("bbox=-179.995,-1,-179.99,1") == ["east"])
        #expect(try await ids("bbox=-10,-10,10,10") == [])
    }

    @Test("Longitudes beyond 180 mean the same meridian, as in positions")
    func wrapped() async throws {
        try await bench.add("east", 0, 179.999, radius: 1000)
        try await bench.add("home", 52.5, 13.4)
        let past = #"{"geometry":{"type":"Polygon","coordinates":[[[-359,1],[-358,1],[-358,2],[-359,1]]]}}"#
        #expect(try await bench.ask("PUT", "/v1/geofences/past", body: past).status == 201)
        func ids(_ query: String) async throws -> [String] {
            try await bench.json("/v1/geofences?" + query).column("geofences", "id")
        }
        for longitude in ["179.9985", "-180.0015", "180.001", "-179.999"] {
            #expect(try await ids("containing=0,\(longitude)") == ["east"], "\(longitude)")
        }
        for longitude in ["13.4", "-346.6"] { #expect(try await ids("containing=52.5,\(longitude)") == ["home"], "\(longitude)") }
        for longitude in ["1.6", "-358.4"] { #expect(try await ids("containing=1.2,\(longitude)") == ["past"], "\(longitude)") }
        let boxes = [
            ("170,-1,190,3", ["east"]), ("-190,-1,-170,3", ["east"]), ("-185,-1,175,3", ["east", "past"]),
            ("10,50,20,60", ["home"]), ("-350,50,-340,60", ["home"]), ("350,50,14,60", ["home"]),
            ("0,-1,360,60", ["east", "home", "past"]),
            ("-360,-90,360,90", ["east", "home", "past"]), ("190,-1,200,3", []), ("170,-1,10,3", ["east", "past"]),
        ]
        for (box, expected) in boxes { #expect(try await ids("bbox=\(box)") == expected, "\(box)") }
        try await bench.move("anna", to: 0, -179.5, at: "2026-05-01T10:00:00Z")
        for (box, expected) in [("170,-1,190,1", ["anna"]), ("-190,-1,-179,1", ["anna"]), ("181,-1,182,1", [])] {
            #expect(try await bench.json("/v1/devices?bbox=\(box)").column("devices", "id") == expected, "\(box)")
        }
    }

    @Test("A search by place finds new geofences")
    func changedPlaces() async throws {
        try await bench.add("home", 52.5, 13.4)
        for _ in 1...2 {
            #expect(try await bench.json("/v1/geofences?containing=52.5,13.4").column("geofences", "id") == ["home"])
        }
        try await bench.add("work", 52.5, 13.4)
        for _ in 1...4 {
            #expect(try await bench.json("/v1/geofences?containing=52.5,13.4").column("geofences", "id") == ["home", "work"])
        }
    }

    @Test(
        "An invalid query is refused with the name of the parameter",
        arguments: [
            "limit=0", "limit=x", "limit=10001", "containing=1", "containing=91,0", "containing=0,361", "containing=a,b",
            "bbox=1,2,3", "bbox=0,10,0,-10", "bbox=-361,0,0,0", "bbox=nan,0,0,0", "colour=red",
        ])
    func questions(query: String) async throws {
        let answer = try await bench.ask("GET", "/v1/geofences?" + query)
        #expect(answer.status == 422)
        let name = try #require(query.split(separator: "=").first)
        #expect(try answer.json()["message"]?.string?.isEmpty == false)
        #expect(answer.text.contains(name) || answer.text.contains("latitude") || answer.text.contains("longitude"))
    }

    // MARK: - Who is inside

    @Test("A geofence lists who is inside since when, and its creation and removal give events")
    func inside() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        try await bench.move("ben", to: 52.5, 13.4, at: "2026-05-01T11:00:00Z")
        try await bench.move("far", to: 50, 13.4, at: "2026-05-01T11:00:00Z")
        let inside = try await bench.json("/v1/geofences/home/devices")
        #expect(inside.column("devices", "deviceId") == ["anna", "ben"])
        #expect(inside.column("devices", "enteredAt") == ["2026-05-01T10:00:00.000Z", "2026-05-01T11:00:00.000Z"])
        let first = try await bench.json("/v1/geofences/home/devices?limit=1")
        #expect(first["next"]?.string == "anna")
        #expect(try await bench.json("/v1/geofences/home/devices?after=anna").column("devices", "deviceId") == ["ben"])
        #expect(try await bench.ask("GET", "/v1/geofences/nowhere/devices").status == 404)

        #expect(try await bench.ask("DELETE", "/v1/geofences/home").status == 204)
        let events = try await bench.json("/v1/events?type=exit")
        #expect(events.column("events", "deviceId").sorted() == ["anna", "ben"])
        #expect(Set(events.column("events", "cause")) == ["fenceRemoved"])
    }

    @Test("The live stream reports created, changed and removed geofences, and no unchanged ones")
    func notices() async throws {
        let received = try await bench.notices {
            try await bench.add("home", 52.5, 13.4)
            try await bench.ask("PATCH", "/v1/geofences/home", body: #"{"radius":200}"#)
            try await bench.ask("PATCH", "/v1/geofences/home", body: #"{"radius":200}"#)
            try await bench.ask("DELETE", "/v1/geofences/home")
        } until: {
            $0.kind == "geofences" && $0.json["removed"] == ["home"]
        }
        let saved: JSONValue = ["saved": ["home"], "removed": [], "count": JSONValue(1)]
        let removed: JSONValue = ["saved": [], "removed": ["home"], "count": JSONValue(1)]
        #expect(received.filter { $0.kind == "geofences" }.map(\.json) == [saved, saved, removed])
    }
}
