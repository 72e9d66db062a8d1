import Model
import TestSupport
import Testing

@testable import Server

@Suite("Geofence files over HTTP")
struct GeofenceFileRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private let collection = """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"A","radius":100}},
        {"type":"Feature","id":"b","geometry":{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]},"properties":{}},
        {"type":"Feature","id":"c","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"C"}}]}
        """

    @Test("The geofences of a file are imported together, and invalid ones are named")
    func importing() async throws {
        let answer = try await bench.ask("POST", "/v1/geofences:import", body: collection, type: "application/geo+json")
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json["imported"]?.double == 1)
        #expect(json["replaced"]?.double == 0)
        #expect(json["refused"]?.array?.count == 2)
        #expect(json.column("refused", "field") == ["geofence 3 'c': radius", "geofence 'b': geometry"])
        let repaired = try await bench.ask("POST", "/v1/geofences:import?mend=true", body: collection).json()
        #expect(repaired["imported"]?.double == 2)
        #expect(repaired["mended"]?.double == 1)
        #expect(try await bench.json("/v1/geofences").column("geofences", "id") == ["a", "b"])
    }

    @Test("The writer's thread neither checks nor repairs the outlines of a file", arguments: [false, true])
    func writer(repairs: Bool) async throws {
        try await bench.add("z", 1, 2)
        let writer = bench.server.api.store.writer
        let before = try await writer.perform { $0.geometry.outlineChecks }
        let body = """
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":"a","geometry":{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,0]]]},"properties":{}},
            {"type":"Feature","id":"b","geometry":{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]},"properties":{}}]}
            """
        let answer = try await bench.ask("POST", "/v1/geofences:import?mend=\(repairs)", body: body).json()
        #expect(answer["imported"]?.double == (repairs ? 2 : 1))
        #expect(try await writer.perform { $0.geometry.outlineChecks } == before)
    }

    @Test("A CSV file is imported too, and replaces geofences with the same ID")
    func csv() async throws {
        try await bench.add("a", 1, 2)
        let answer = try await bench.ask(
            "POST", "/v1/geofences:import", body: "id,name,latitude,longitude,radius\na,A,52.5,13.4,100\nb,B,52.5,13.4,100\n",
            type: "text/csv"
        ).json()
        #expect(answer["imported"]?.double == 2)
        #expect(answer["replaced"]?.double == 1)
        #expect(try await bench.json("/v1/geofences/a")["latitude"]?.double == 52.5)
    }

    @Test("Several files at a time are imported one after the other, each as a whole")
    func concurrent() async throws {
        let client = bench.client
        func file(_ prefix: String) -> TestRequest {
            let lines = (0..<200).map { "\(prefix)-\($0),Place,\($0 % 90),\($0 % 180),100\n" }
            return TestRequest(
                "POST", "/v1/geofences:import", body: "id,name,latitude,longitude,radius\n" + lines.joined(), type: "text/csv")
        }
        let (a, b, c) = (file("a"), file("b"), file("c"))
        async let first = client.answer(a)
        async let second = client.answer(b)
        async let third = client.answer(c)
        let answers = try await [first.json(), second.json(), third.json()]
        #expect(answers.map { $0["imported"]?.double } == [200, 200, 200])
        #expect(try await bench.json("/v1/geofences?limit=1000")["geofences"]?.array?.count == 600)
    }

    @Test("Answers list the first refusals, and count all")
    func manyRefusals() async throws {
        let imported = try await bench.ask(
            "POST", "/v1/geofences:import",
            body: #"{"type":"FeatureCollection","features":["# + Array(repeating: "{}", count: 5000).joined(separator: ",")
                + "]}",
            type: "application/geo+json")
        #expect(imported.status == 422)
        let lines = #"{"device":"a","latitude":1,"longitude":2}"# + "\n"
        let positions = try await bench.ask(
            "POST", "/v1/positions", body: String(repeating: lines, count: 5000), type: "application/x-ndjson")
        let observations = try await bench.ask(
            "POST", "/v1/devices/a/observations", body: "[" + Array(repeating: "{}", count: 5000).joined(separator: ",") + "]")
        for answer in [try imported.json(), try positions.json(), try observations.json()] {
            #expect(answer["refused"]?.array?.count == 100 && answer["refusedCount"]?.double == 5000)
        }
    }

    @Test("Files that are not UTF-8 are read as Windows-1252, and the answers remark that")
    func encoding() async throws {
        func send(_ text: String, to target: String) async throws -> JSONValue {
            var request = TestRequest("POST", target, body: "", type: "text/csv")
            request.body = text.unicodeScalars.map { UInt8($0.value) }
            return try await bench.answer(request).json()
        }
        let imported = try await send("id;name;lat;lon;radius\nb;Büro;52,5;13,4;100\n", to: "/v1/geofences:import")
        #expect(imported["remarks"]?.array?.map { $0["reason"]?.string?.contains("Windows-1252") } == [true])
        #expect(try await bench.json("/v1/geofences/b")["name"] == "Büro")
        let fed = try await send("device;time;lat;lon\nJürgen;1777629600;52,5;13,4\n", to: "/v1/positions")
        #expect(fed["accepted"]?.double == 1)
        #expect(fed["remarks"]?.array?.map { $0["reason"]?.string?.contains("Windows-1252") } == [true])
        let text = "device,time,lat,lon\nö,1777629600,1,2\n"
        let plain = try await bench.ask("POST", "/v1/positions", body: text, type: "text/csv")
        #expect(try plain.json()["accepted"]?.double == 1 && plain.json()["remarks"] == nil)
    }

    @Test("The format of a file is recognized by its content, and the query says what the file does not")
    func formats() async throws {
        func take(_ body: String, _ query: String = "") async throws -> JSONValue {
            try await bench.ask("POST", "/v1/geofences:import\(query)", body: body, type: "application/octet-stream").json()
        }
        let point = "<kml><Placemark><name>Gate</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark></kml>"
        #expect(try await take(point).column("refused", "field") == ["geofence 1: radius"])
        #expect(try await take(point, "?radius=75")["imported"]?.double == 1)
        #expect(try await bench.json("/v1/geofences/gate")["radius"]?.double == 75)
        #expect(try await take(#"[{"id":7,"name":"Depot","area":"CIRCLE (48.2 16.3, 150)"}]"#)["imported"]?.double == 1)
        #expect(try await bench.json("/v1/geofences/7")["longitude"]?.double == 16.3)
        let waypoints = #"{"_type":"waypoints","waypoints":[{"desc":"Home","lat":52.5,"lon":13.4,"rad":100,"rid":"6da9cf"}]}"#
        #expect(try await take(waypoints)["imported"]?.double == 1)
        #expect(try await bench.json("/v1/geofences/6da9cf")["name"] == "Home")
        let columns = "?columns=name=Ort,latitude=Breite,longitude=Laenge&radius=30"
        #expect(try await take("Ort;Breite;Laenge\nHof;52,5163;13,3777\n", columns)["imported"]?.double == 1)
        #expect(try await bench.json("/v1/geofences/hof")["latitude"]?.double == 52.5163)
        for (query, field) in [("radius=0", "radius"), ("radius=x", "radius"), ("columns=name", "columns")] {
            let answer = try await bench.ask("POST", "/v1/geofences:import?\(query)", body: point)
            #expect(try answer.status == 422 && answer.json()["parameters"]?["field"]?.string == field, "\(query)")
        }
    }

    @Test("An import without IDs moves no geofence unless asked to")
    func conflicts() async throws {
        func take(_ query: String = "") async throws -> JSONValue {
            let text = "name,latitude,longitude,radius\nA,52.5,13.4,100\n"
            return try await bench.ask("POST", "/v1/geofences:import\(query)", body: text, type: "text/csv").json()
        }
        try await bench.add("a", 1, 2)
        let refused = try await take("?onConflict=refuse")
        #expect(refused["imported"]?.double == 0)
        let refusal = try #require(refused["refused"]?.array?.first)
        #expect(refusal["line"]?.double == 2 && refusal["value"] == "a")
        for place in ["100 m around 1.0, 2.0", "100 m around 52.5, 13.4"] {
            #expect(refusal["reason"]?.string?.contains(place) == true, "\(refusal)")
        }
        #expect(try await take() == refused)
        let renamed = try await take("?onConflict=rename")
        #expect(renamed["renamed"]?.array == [["name": "A", "wanted": "a", "id": "a-2"]])
        #expect(try await take("?onConflict=rename")["unchanged"]?.double == 1)
        #expect(try await bench.ask("DELETE", "/v1/geofences/a-2").status == 204)
        let replaced = try await take("?onConflict=replace")
        #expect(replaced["replaced"]?.double == 1)
        let replacement = try #require(replaced["replacements"]?.array?.first)
        #expect(replacement["old"]?["latitude"]?.double == 1 && replacement["new"]?["latitude"]?.double == 52.5)
        #expect(try await take()["unchanged"]?.double == 1)
        #expect(try await bench.ask("POST", "/v1/geofences:import?onConflict=ask", body: "").status == 422)
    }

    @Test("Outlines across the antimeridian are taken the short way, and survive export and import")
    func outlines() async throws {
        let ring = "[[[179,1],[-179,1],[-179,2],[179,2],[179,1]]]"
        func feature(_ id: String) -> String {
            "{\"type\":\"Feature\",\"id\":\"\(id)\",\"properties\":{},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":\(ring)}}"
        }
        let short = try await bench.ask("POST", "/v1/geofences:import", body: feature("short")).json()
        #expect(short.column("notes", "geofenceId") == ["short", "short"])
        #expect(short.column("notes", "code") == ["shortWay", "place"])
        let wide = try await bench.ask("POST", "/v1/geofences:import?asWritten=true", body: feature("wide")).json()
        #expect(wide.column("notes", "code") == ["place"])
        let exported = try await bench.ask("GET", "/v1/geofences:export").text
        for id in ["short", "wide"] { #expect(try await bench.ask("DELETE", "/v1/geofences/\(id)").status == 204) }
        #expect(
            try await bench.ask("POST", "/v1/geofences:import", body: exported).json().column("notes", "code") == [
                "place", "place",
            ])
        #expect(try await bench.ask("GET", "/v1/geofences:export").text == exported)
        #expect(try await bench.json("/v1/geofences?containing=1.5,0").column("geofences", "id") == ["wide"])
        #expect(try await bench.json("/v1/geofences?containing=1.5,180").column("geofences", "id") == ["short"])
    }

    @Test("A file without a valid geofence and a file of another kind are refused")
    func nothingGood() async throws {
        let none = #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{}}]}"#
        #expect(try await bench.ask("POST", "/v1/geofences:import", body: none).status == 422)
        #expect(try await bench.ask("POST", "/v1/geofences:import", body: "").status == 415)
        #expect(try await bench.ask("POST", "/v1/geofences:import", body: "{\"type\":").status == 400)
    }

    @Test("An export is a FeatureCollection, and importing it changes nothing")
    func export() async throws {
        try await bench.ask("POST", "/v1/geofences:import?mend=true", body: collection)
        let exported = try await bench.ask("GET", "/v1/geofences:export")
        #expect(exported["Content-Type"] == "application/geo+json")
        #expect(try exported.json()["features"]?.array?.count == 2)
        let again = try await bench.ask("POST", "/v1/geofences:import", body: exported.text).json()
        #expect(again["imported"]?.double == 2)
        #expect(again["replaced"]?.double == 0)
        #expect(try await bench.ask("GET", "/v1/geofences:export").text == exported.text)
    }

    @Test("Overlapping geofences are listed")
    func overlaps() async throws {
        try await bench.add("a", 52.5, 13.4, radius: 100)
        try await bench.add("b", 52.5, 13.4, radius: 50)
        try await bench.add("c", 52.5, 13.4, radius: 50)
        try await bench.add("d", 10, 10, radius: 50)
        let all = try await bench.json("/v1/geofences/overlaps")
        #expect(all.column("overlaps", "relation") == ["contains", "contains", "equals"])
        #expect(all["isComplete"]?.bool == true)
        let some = try await bench.json("/v1/geofences/overlaps?limit=2")
        #expect(some["overlaps"]?.array?.count == 2)
        #expect(some["isComplete"]?.bool == false)
        #expect(try await bench.json("/v1/geofences/overlaps?of=c").column("overlaps", "b") == ["a", "b"])
        #expect(try await bench.json("/v1/geofences/overlaps?limit=3")["isComplete"]?.bool == true)
        #expect(try await bench.ask("GET", "/v1/geofences/overlaps?of=x").status == 404)
    }

    @Test("The overlaps of a draft are listed, and nothing is changed")
    func overlapsOfDraft() async throws {
        try await bench.add("a", 52.5, 13.4, radius: 100)
        try await bench.add("b", 52.5, 13.403, radius: 50)
        try await bench.add("c", 10, 10, radius: 50)
        func ask(_ draft: String, _ query: String = "") async throws -> JSONValue {
            try await bench.ask("POST", "/v1/geofences:overlaps\(query)", body: draft).json()
        }
        let new = try await ask(#"{"latitude":52.5,"longitude":13.4,"radius":1000}"#)
        #expect(new.column("overlaps", "a") == ["draft", "draft"] && new.column("overlaps", "b") == ["a", "b"])
        #expect(new.column("overlaps", "relation") == ["contains", "contains"] && new["isComplete"]?.bool == true)
        #expect(new["overlaps"]?.array?.first?["nameOfB"] != nil && new["overlaps"]?.array?.first?["shareOfB"]?.double == 1)
        // A draft of an existing geofence is not compared with that geofence.
        let changed = try await ask(#"{"id":"a","name":"A","latitude":52.5,"longitude":13.4,"radius":200}"#)
        #expect(changed.column("overlaps", "b") == ["b"] && changed.column("overlaps", "relation") == ["overlaps"])
        // The same pair gives the same result when it is stored.
        try await bench.ask("PATCH", "/v1/geofences/a", body: #"{"radius":200}"#)
        let saved = try await bench.json("/v1/geofences/overlaps?of=a")
        for name in ["relation", "sharedArea", "shareOfA", "shareOfB"] {
            #expect(saved["overlaps"]?.array?.first?[name] == changed["overlaps"]?.array?.first?[name])
        }
        let some = try await ask(#"{"latitude":52.5,"longitude":13.4,"radius":1000}"#, "?limit=1")
        #expect(some["overlaps"]?.array?.count == 1 && some["isComplete"]?.bool == false)
        let square = #"{"geometry":{"type":"Polygon","coordinates":[[[13.39,52.49],[13.41,52.49],[13.41,52.51],[13.39,52.51]]]}}"#
        #expect(try await ask(square).column("overlaps", "relation") == ["contains", "contains"])
        #expect(try await bench.json("/v1/geofences").column("geofences", "id") == ["a", "b", "c"])
    }

    @Test("An invalid draft is refused with the name of the field")
    func overlapsOfWrongDraft() async throws {
        for (draft, field) in [
            (#"{"latitude":95,"longitude":13.4,"radius":100}"#, "latitude"),
            (#"{"latitude":5,"longitude":13.4,"radius":0}"#, "radius"),
            (#"{"geometry":{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}}"#, "geometry"),
        ] {
            let answer = try await bench.ask("POST", "/v1/geofences:overlaps", body: draft)
            #expect(try answer.status == 422 && answer.json()["parameters"]?["field"]?.string == field, "\(answer.text)")
        }
    }
}
