import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Geofences in well-known text, and waypoints of GPX")
struct WellKnownTextTests {
    private func decode(_ text: String, radius: Double? = nil) throws -> GeofenceImport {
        try decode(Array(text.utf8), radius: radius)
    }

    private func decode(_ bytes: [UInt8], radius: Double? = nil) throws -> GeofenceImport {
        try bytes.withUnsafeBufferPointer { try GeofenceDecoder.decode($0, source: "x", options: .init(radius: radius)) }
    }

    private func boxes(_ result: GeofenceImport) -> [BoundingBox] { result.entries.map(\.geofence.shape.boundingBox) }

    private let berlin = BoundingBox(south: 52.51, north: 52.53, west: 13.36, east: 13.4)

    @Test(
        "Text that only the OGC's notation has is read with the longitude first",
        arguments: [
            "SRID=4326;POLYGON((13.36 52.51, 13.40 52.51, 13.40 52.53, 13.36 52.53, 13.36 52.51))",
            "srid=4258; polygon ((13.36 52.51,13.40 52.51,13.40 52.53,13.36 52.53,13.36 52.51))",
            "POLYGON Z ((13.36 52.51 0, 13.40 52.51 0, 13.40 52.53 0, 13.36 52.53 0, 13.36 52.51 0))",
            "POLYGONZ((13.36 52.51 0, 13.40 52.51 0, 13.40 52.53 -1e2, 13.36 52.51 0))",
            "POLYGON ZM ((13.36 52.51 0 1, 13.40 52.51 0 2, 13.40 52.53 0 3, 13.36 52.51 0 1))",
            "POLYGON M((13.36 52.51 7,13.40 52.51 7,13.40 52.53 7,13.36 52.51 7))",
            "MULTIPOLYGON (((13.36 52.51, 13.40 52.51, 13.40 52.53, 13.36 52.51)))",
            "MULTIPOLYGON (((13.36 52.51, 13.37 52.51, 13.37 52.53, 13.36 52.51)),\n((13.39 52.52, 13.40 52.52, 13.40 52.53, 13.39 52.52)))",
            "SRID=0;POLYGON((13.36 52.51,13.40 52.51,13.40 52.53,13.36 52.51))",
        ])
    func longitudeFirst(text: String) throws {
        let result = try decode(text)
        #expect(result.refusals.isEmpty && boxes(result) == [berlin], "\(result)")
    }

    @Test("A plain polygon is Traccar's, with the latitude first, unless the file has text of the OGC and no circle")
    func order() throws {
        let (plain, swapped) = (
            "POLYGON ((52.51 13.36, 52.53 13.36, 52.53 13.4))", "POLYGON ((13.36 52.51, 13.36 52.53, 13.4 52.53))"
        )
        #expect(try boxes(decode(plain)) == [berlin])
        #expect(try boxes(decode(swapped + "\nMULTIPOLYGON (((13.36 52.51, 13.36 52.53, 13.4 52.53)))")) == [berlin, berlin])
        let traccar = try decode("\(plain)\nCIRCLE (1 2, 3)\nPOINT (13.4 52.5)", radius: 5)
        #expect(boxes(traccar).first == berlin && traccar.entries.count == 3)
        #expect(try boxes(decode("\(plain)\nLINESTRING (52.5 13.3, 52.6 13.3)")) == [berlin])
        // In the JSON of Traccar, each area is separate.
        #expect(try boxes(decode("[{\"id\":1,\"area\":\"\(plain)\"}]")) == [berlin])
    }

    @Test("A point is a circle with the radius of the options")
    func point() throws {
        let result = try decode("POINT (13.4 52.5)\nPOINT Z (13.4 52.5 34)", radius: 80)
        let circle = Shape.circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 80))
        #expect(result.entries.map(\.geofence.shape) == [circle, circle] && result.refusals.isEmpty)
        let without = try decode("POINT (13.4 52.5)")
        #expect(without.refusals.map(\.refusal.value) == ["[13.4,52.5]"])
        #expect(without.refusals.first?.refusal.reason.description.contains("--radius") == true)
    }

    @Test(
        "What cannot be read is refused with its line and the reason",
        arguments: [
            (
                "SRID=25833;POLYGON((389000 5819000,389500 5819000,389500 5819500,389000 5819000))",
                "'SRID=25833', which is not WGS 84"
            ),
            ("SRID=4267;POINT(13.4 52.5)", "'SRID=4267'"), ("MULTIPOLYGON EMPTY", "empty"), ("POINT EMPTY", "empty"),
            ("POLYGON Z ((139.7 35.6 0, 139.8 35.6 0, 139.8 35.7 0))", ""),
            ("POLYGON Z ((35.6 139.7 0, 35.6 139.8 0, 35.7 139.8 0))", "the latitude seems to be first"),
            ("MULTILINESTRING ((1 2, 3 4))", "encloses no area"), ("GEOMETRYCOLLECTION (POINT (1 2))", "cannot be a geofence"),
            ("CURVEPOLYGON (CIRCULARSTRING (0 0, 4 0, 4 4, 0 4, 0 0))", "cannot be a geofence"),
            ("POLYGON ((1 2, 3 4, 5 6)", "well-known text"), ("POLYGON ((1 2, 3 4, 5 6)) x", "well-known text"),
            ("POLYGON ((1 2 3 4 5, 3 4, 5 6))", "well-known text"), ("MULTIPOLYGON ((1 2, 3 4, 5 6))", "well-known text"),
            ("POINT (1,2)", "well-known text"), ("POINT (1e999 2)", "well-known text"),
            (
                "MULTIPOLYGON (((389000 5819000,389500 5819000,389500 5819500,389000 5819000)))",
                "meters in a projected coordinate system"
            ),
            ("0103000020E610000001000000050000", "well-known binary"),
            ("0101000020E6100000000000000000F03F0000000000000040", "ST_AsText"),
        ])
    func refusals(text: String, reason: String) throws {
        let result = try decode("POINT (13.4 52.5)\n\(text)\n", radius: 10)
        if reason.isEmpty {
            #expect(result.refusals.isEmpty && result.entries.count == 2)
        } else {
            #expect(result.refusals.map(\.refusal.line) == [2], "\(result.refusals)")
            #expect(result.refusals.first?.refusal.reason.description.contains(reason) == true, "\(result.refusals)")
        }
        #expect(try decode(text, radius: 10).refusals.map(\.refusal.line) == (reason.isEmpty ? [] : [1]))
    }

    @Test(
        "A column of well-known text has the longitude first",
        arguments: ["WKT", "wkt", "geom", "the_geom", "Geometry", "\"wkt_geom\""])
    func columns(name: String) throws {
        let polygon = "\"POLYGON ((13.36 52.51, 13.40 52.51, 13.40 52.53, 13.36 52.53, 13.36 52.51))\""
        let result = try decode(
            "\(name),name,description,area\n\(polygon),Hof,,1234.5\n\"POINT (13.3777 52.5163)\",Kita,klein,\nLINESTRING EMPTY,Weg,,\n",
            radius: 60)
        #expect(result.entries.map(\.geofence.name) == ["Hof", "Kita"] && boxes(result).first == berlin)
        // The `area` of such a table is its size.
        #expect(result.entries.map(\.geofence.properties) == [[.init("area", "1234.5")], [.init("description", "klein")]])
        #expect(
            result.entries.last?.geofence.shape
                == .circle(Circle(center: Coordinate(latitude: 52.5163, longitude: 13.3777), radius: 60)))
        #expect(result.refusals.map(\.refusal.line) == [4])
        let radii = try decode("name;\(name);radius\nA;SRID=4326;5\n".replacing("SRID=4326;", with: "\"SRID=4326;POINT(1 2)\";"))
        #expect(
            radii.entries.map(\.geofence.shape) == [.circle(Circle(center: Coordinate(latitude: 2, longitude: 1), radius: 5))])
        let binary = try decode("name,\(name)\nA,0101000020E6100000000000000000F03F0000000000000040\n", radius: 5)
        #expect(binary.refusals.first?.refusal.reason.description.contains("well-known binary") == true)
        // A table of circles may have its points in another form, too.
        let circles = try decode(
            "name,latitude,longitude,radius,\(name)\nA,1,2,3,0101000020E6100000000000000000F03F0000000000000040\n")
        #expect(
            circles.entries.map(\.geofence.shape) == [.circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 3))])
    }

    @Test("A column whose name looks like well-known text is a column", arguments: ["Point (name)", "Polygon", "POINT Z (m)"])
    func headings(name: String) throws {
        let result = try decode("\(name),name,latitude,longitude,radius\nx,A,1,2,3\n")
        #expect(result.entries.map(\.geofence.name) == ["A"] && result.refusals.isEmpty)
    }

    @Test("The column of well-known text can be named")
    func namedColumn() throws {
        let table = Array("Ort,Umriss\nHof,\"POINT (13.4 52.5)\"\n".utf8)
        let result = try table.withUnsafeBufferPointer {
            try GeofenceDecoder.decode($0, source: "x", options: .init(columns: ["name": "Ort", "wkt": "Umriss"], radius: 5))
        }
        #expect(result.entries.map(\.geofence.name) == ["Hof"])
    }

    // MARK: - GPX

    @Test("Waypoints of GPX are circles with the radius of the options, or with Garmin's proximity")
    func waypoints() throws {
        let gpx = """
            <?xml version="1.0"?><gpx version="1.1" xmlns:wptx1="http://www.garmin.com/xmlschemas/WaypointExtension/v1">
            <wpt lat="52.5163" lon="13.3777"><ele>34</ele><name>Tor</name><cmt>c</cmt><desc>Das <![CDATA[<b>Tor</b>]]></desc></wpt>
            <wpt lat="48.2" lon="16.37"><name>Hof</name><cmt>Wien</cmt>
            <extensions><wptx1:WaypointExtension><wptx1:Proximity>250</wptx1:Proximity></wptx1:WaypointExtension></extensions></wpt>
            <rte><rtept lat="1" lon="2"/></rte><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
            """
        let result = try decode(gpx, radius: 75)
        #expect(result.refusals.isEmpty)
        #expect(
            result.entries.map(\.geofence) == [
                Geofence(
                    id: "tor", name: "Tor",
                    shape: .circle(Circle(center: Coordinate(latitude: 52.5163, longitude: 13.3777), radius: 75)),
                    properties: [.init("description", "Das <b>Tor</b>")]),
                Geofence(
                    id: "hof", name: "Hof",
                    shape: .circle(Circle(center: Coordinate(latitude: 48.2, longitude: 16.37), radius: 250)),
                    properties: [.init("description", "Wien")]),
            ])
        let without = try decode(gpx)
        #expect(without.entries.map(\.geofence.id) == ["hof"] && without.refusals.map(\.refusal.value) == ["Tor"])
        #expect(without.refusals.first?.refusal.reason.description.contains("--radius") == true)
        #expect(without.refusals.map(\.refusal.line) == [2])
        let broken = try decode(
            "<gpx><wpt lat='x' lon='2'/><wpt lon='2'/><wpt lat='91' lon='2'/><wpt lat='1' lon='2'/></gpx>", radius: 5)
        #expect(broken.refusals.map(\.index) == [1, 2, 3] && broken.entries.map(\.idSource) == [.none])
        for text in ["<gpx/>", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>"] {
            #expect(throws: Problem.decodingFailed(source: "x", line: nil, reason: .expecting(.noWaypoints, .waypoints))) {
                try decode(text)
            }
        }
    }

    // MARK: - Random input

    /// Random geometries, as GeoJSON and as well-known text.
    private static func geometry(_ random: inout SeededRandom) -> (json: JSONValue, text: String) {
        func number(_ range: ClosedRange<Double>) -> JSONValue {
            let value = Double.random(in: range, using: &random)
            return JSONValue(Bool.random(using: &random) ? value : value.rounded())
        }
        let further = Int.random(in: 0...2, using: &random)
        func space() -> String { ["", " ", "\n\t"].randomElement(using: &random)! }
        func position() -> (JSONValue, String) {
            let (longitude, latitude) = (number(-180...180), number(-90...90))
            let more = (0..<further).map { _ in " \(number(-9...9))" }.joined()
            return ([longitude, latitude], "\(space())\(longitude) \(latitude)\(more)\(space())")
        }
        func list(_ count: Int, _ element: () -> (JSONValue, String)) -> (JSONValue, String) {
            let elements = (0..<count).map { _ in element() }
            return (.array(elements.map(\.0)), "(" + elements.map(\.1).joined(separator: ",") + ")")
        }
        func polygon() -> (JSONValue, String) {
            list(Int.random(in: 1...3, using: &random)) { list(Int.random(in: 3...6, using: &random), position) }
        }
        let dimensions = further == 0 ? "" : [["Z", "M"].randomElement(using: &random)!, "ZM"][further - 1]
        let prefix = ["", "SRID=4326;", "srid=4258;"].randomElement(using: &random)!
        let (type, name, content): (String, String, (JSONValue, String)) =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: ("Point", "POINT", { (json: $0.0, text: "(\($0.1))") }(position()))
            case 1: ("Polygon", "Polygon", polygon())
            default: ("MultiPolygon", "multipolygon", list(Int.random(in: 1...3, using: &random), polygon))
            }
        return (
            ["type": .string(type), "coordinates": content.0],
            "\(prefix)\(name)\([" ", ""].randomElement(using: &random)!)\(dimensions)\(space())\(content.1)"
        )
    }

    @Test("Random geometries are read as they were written, and damaged ones cause no crash", arguments: Histories.parts)
    func random(part: Int) {
        // With all histories, these are 200,000 damaged inputs.
        for seed in Histories.seeds(1...40, part: part) {
            var random = SeededRandom(seed: seed)
            for _ in 0..<500 {
                let (json, text) = Self.geometry(&random)
                let read = try? WellKnownText(text, order: .longitudeFirst).geometry
                if read != json { Issue.record("seed \(seed): \(text) gives \(String(describing: read))") }
                for _ in 0..<10 {
                    let damaged = Mutation.apply(to: Array(text.utf8), most: 4, &random)
                    let asTable = Int.random(in: 0..<4, using: &random) == 0
                    let input = asTable ? Array("name,wkt\nA,\"".utf8) + damaged + Array("\"\n".utf8) : damaged
                    guard let result = try? decode(input, radius: 5) else { continue }
                    for entry in result.entries where entry.geofence.flaw != nil {
                        Issue.record("seed \(seed): \(String(decoding: input, as: UTF8.self))")
                    }
                }
            }
        }
    }
}
