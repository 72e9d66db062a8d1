import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

extension GeofenceImport {
    fileprivate var geofences: [Geofence] { entries.map(\.geofence) }
}

@Suite("Geofence decoder and encoder")
struct GeofenceDecoderTests {
    private func decode(_ text: String) throws(Problem) -> GeofenceImport {
        try decode(Array(text.utf8), source: "fences")
    }

    private func decode(_ bytes: [UInt8], source: String) throws(Problem) -> GeofenceImport {
        let result: Result<GeofenceImport, Problem> = bytes.withUnsafeBufferPointer { buffer in
            do throws(Problem) { return .success(try GeofenceDecoder.decode(buffer, source: .verbatim(source))) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func point(_ members: String, _ properties: String) -> String {
        "{\"type\":\"Feature\",\(members)\"geometry\":{\"type\":\"Point\",\"coordinates\":[13.4,52.5]},\"properties\":{\(properties)}}"
    }

    private func collection(_ features: String...) -> String {
        "{\"type\":\"FeatureCollection\",\"features\":[\n\(features.joined(separator: ",\n"))]}"
    }

    @Test("Missing IDs are derived from names, the same every time")
    func madeIDs() throws {
        let long = String(repeating: "x", count: 70)
        let result = try decode(
            collection(
                point("", "\"name\":\"My Home\",\"radius\":50"), point("", "\"name\":\"my home\",\"radius\":50"),
                point("\"id\":\"my-home-2\",", "\"radius\":50"), point("", "\"name\":\"My home!\",\"radius\":50"),
                point("", "\"radius\":50"), point("", "\"name\":\"\(long)\",\"radius\":50"),
                point("", "\"name\":\"\(long)\",\"radius\":50"), point("\"id\":7,", "\"radius\":50")))
        let sixty = String(repeating: "x", count: 62)
        #expect(result.refusals.isEmpty)
        #expect(
            result.geofences.map(\.id)
                == ["my-home", "my-home", "my-home-2", "my-home", "fence", sixty + "xx", sixty + "xx", "7"])
    }

    @Test("Each entry names the origin of its ID, its index and line, and whether its outline is meant as written")
    func entries() throws {
        let polygon = #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]},"#
        let result = try decode(
            collection(
                point("\"id\":7,", "\"name\":\"Home\",\"radius\":50"), point("", "\"NAME\":\"Home\",\"radius\":50"),
                point("", "\"radius\":0"), point("", "\"name\":null,\"radius\":50"), point("", "\"name\":\"日本\",\"radius\":50"),
                polygon + #""properties":{"title":"A","asWritten":true}}"#))
        #expect(result.entries.map(\.idSource) == [.given, .name, .none, .name, .name])
        #expect(result.entries.map(\.index) == [1, 2, 4, 5, 6] && result.entries.map(\.line) == [2, 3, 5, 6, 7])
        #expect(result.entries.map(\.geofence.id) == ["7", "home", "fence", "u65e5-u672c", "a"])
        #expect(result.entries.map(\.isAsWritten) == [false, false, false, false, true])
        #expect(result.geofences.last?.properties == [.init("title", "A")])
    }

    @Test("A repeated ID is refused, with the place of the first one")
    func duplicates() throws {
        let result = try decode(
            collection(
                point("\"id\":\"a\",", "\"radius\":50"), point("\"id\":\"b\",", "\"radius\":50"),
                point("", "\"id\":\"a\",\"radius\":60")))
        #expect(result.geofences.map(\.id) == ["a", "b"])
        let refused = try #require(result.refusals.first)
        #expect(refused.index == 3 && refused.id == "a" && refused.refusal.line == 4 && refused.refusal.field == "id")
        #expect(refused.refusal.reason.description.contains("number 1"))
    }

    @Test(
        "A feature without a valid geofence is refused by name, and the others are decoded",
        arguments: [
            (#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#, "radius"),
            (#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":0}}"#, "radius"),
            (
                #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"properties":{}}"#,
                "geometry.type"
            ),
            (#"{"type":"Feature","geometry":null,"properties":{}}"#, "geometry.type"),
            (#"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4]]]},"properties":{}}"#, "geometry"),
            (#"{"type":"Feature","id":"ü","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":5}}"#, "id"),
            (#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,200]},"properties":{"radius":5}}"#, "latitude"),
            (
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[953210.7,4440237.8]},"properties":{"radius":5}}"#,
                "latitude"
            ),
            (#"{"type":"Point","coordinates":[1,2]}"#, "type"), ("7", "type"), (#"{"a":01}"#, "feature"),
        ])
    func refusals(feature: String, field: String) throws {
        let result = try decode(collection(feature, point("", "\"radius\":50")))
        #expect(result.geofences.count == 1)
        let refused = try #require(result.refusals.first)
        #expect(result.refusals.count == 1 && refused.index == 1)
        #expect(refused.refusal.line == 2 && refused.refusal.field == field)
        #expect(refused.refusal.reason.description.contains("expected"))
    }

    @Test("Another reference system is refused by its name, wherever the file names it", arguments: [true, false])
    func referenceSystem(isFirst: Bool) {
        let system = #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::32649"}}"#
        let features = "\"features\":[\(point("", "\"radius\":50"))]"
        let text = "{\"type\":\"FeatureCollection\",\(isFirst ? system : features),\(isFirst ? features : system)}"
        #expect {
            try decode(text)
        } throws: { error in
            error as? Problem
                == .decodingFailed(
                    source: "fences", line: 1, reason: .expecting(.otherReferenceSystem("urn:ogc:def:crs:EPSG::32649"), .wgs84))
        }
    }

    @Test(
        "WGS 84 is accepted under each of its names",
        arguments: [
            "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326", "OGC:CRS84", "CRS:84", "WGS 84",
            "urn:ogc:def:crs:EPSG::4269", "urn:ogc:def:crs:EPSG::4258", "EPSG:4283", "EPSG:7844", "urn:ogc:def:crs:OGC:1.3:CRS83",
            "urn:ogc:def:crs:EPSG::4979", "http://www.opengis.net/def/crs/EPSG/0/4258", "epsg:4326+5773", "NAD_83",
        ])
    func wgs84(name: String) throws {
        let system = "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"\(name)\"}}"
        #expect(try decode("{\(system),\"features\":[\(point("", "\"radius\":50"))]}").geofences.count == 1)
    }

    @Test(
        "A system that is not in degrees, or far from WGS 84, is refused under each of its names",
        arguments: [
            "EPSG:3857", "urn:ogc:def:crs:EPSG::25833", "WGS 84 / UTM zone 33N", "WGS 84 / Pseudo-Mercator", "EPSG:4267",
            "urn:ogc:def:crs:OGC:1.3:CRS27", "84", "", "EPSG:",
        ])
    func otherSystems(name: String) {
        let system = "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"\(name)\"}}"
        #expect(throws: Problem.self) { try decode("{\(system),\"features\":[\(point("", "\"radius\":50"))]}") }
    }

    @Test("A refused system is named with its line")
    func lineOfSystem() {
        let system = "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}"
        #expect(
            throws: Problem.decodingFailed(
                source: "fences", line: 3, reason: .expecting(.otherReferenceSystem("EPSG:3857"), .wgs84))
        ) { try decode("{\n\"type\":\"FeatureCollection\",\n\(system),\n\"features\":[\n]}") }
    }

    @Test("Meters of a projected system are named as such, in points and in polygons")
    func meters() throws {
        let polygon =
            "{\"type\":\"Polygon\",\"coordinates\":[[[389000,5819000],[389500,5819000],[389500,5819500],[389000,5819000]]]}"
        let result = try decode(
            collection(
                "{\"type\":\"Feature\",\"properties\":{},\"geometry\":\(polygon)}",
                point("", "\"radius\":50").replacing("[13.4,52.5]", with: "[389000,5819000]"))
                + "\n")
        #expect(result.refusals.map(\.refusal.field) == ["latitude", "latitude"])
        for refused in result.refusals {
            #expect(refused.refusal.reason.description.contains("meters in a projected coordinate system"), "\(refused.refusal)")
        }
    }

    @Test("Circles are decoded from CSV, with the column names of spreadsheets")
    func csv() throws {
        let result = try decode(
            "id;Name;Lat;Lng;Radius_m;Active;Devices;colour\nhome;\"Home; sweet\";52.5;13.4;75;no;a|b;red\n;Work;52.6;13.5;100;;;\n"
        )
        #expect(result.refusals.isEmpty)
        #expect(
            result.geofences == [
                Geofence(
                    id: "home", name: "Home; sweet",
                    shape: .circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 75)), isActive: false,
                    devices: ["a", "b"], properties: [.init("colour", "red")]),
                Geofence(
                    id: "work", name: "Work",
                    shape: .circle(Circle(center: Coordinate(latitude: 52.6, longitude: 13.5), radius: 100))),
            ])
    }

    @Test(
        "An invalid record is refused with its line",
        arguments: [
            ("a,A,52.5,13.4,", "radius"), ("a,A,52.5,13.4,wide", "radius"), ("a,A,north,13.4,5", "latitude"),
            ("a,A,95,13.4,5", "latitude"), ("a,\"A,52.5,13.4,5", "quotation"), ("a,A,52.5,13.4,5,6", "record"),
            ("b,A,52.5,13.4,5", "id"),
        ])
    func records(record: String, field: String) throws {
        let result = try decode("id,name,latitude,longitude,radius\nb,B,1,2,3\n\(record)\n")
        #expect(result.geofences.map(\.id) == ["b"])
        #expect(result.refusals.map(\.refusal.field) == [field] && result.refusals.map(\.refusal.line) == [3])
    }

    @Test(
        "Input without geofences is refused",
        arguments: [
            "", "  \n", "<kml/>", "PK\u{3}\u{4}xxxxxxxxxxxxxxxx", "id,name\n1,2\n",
            "{\"type\":\"FeatureCollection\",\"features\":[",
        ])
    func unsupported(text: String) {
        #expect(throws: Problem.self) { try decode(text) }
    }

    @Test("Encoded geofences are decoded to the same geofences", arguments: [1, 2, 3, 4] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fences = (0..<50).map { RandomFence.make($0, &random) }
        var encoder = GeofenceEncoder()
        let text = fences.map { encoder.encode($0) }.joined() + encoder.finish()
        let result = try decode(text)
        #expect(result.refusals.isEmpty, "seed \(seed)")
        #expect(result.geofences == fences, "seed \(seed)")
        #expect(text.split(separator: "\n").count == fences.count + 2)
    }

    @Test("An empty collection is encoded and decoded")
    func empty() throws {
        var encoder = GeofenceEncoder()
        #expect(try decode(encoder.finish()).geofences.isEmpty)
    }

    @Test(
        "Real points and areas are decoded in full", .enabled(if: SharedData.isAvailable(for: "reading of real geofences")),
        arguments: [
            ("airports_openflights", 7698), ("cairns_gtfs_stops", 416), ("california_counties", 58), ("limerick_stops_304", 36),
            ("ne_countries_110m", 177), ("porto_taxi_stands", 62), ("sf_planning_neighborhoods", 37),
            ("zurich_statistical_quarters", 34),
        ])
    func realFences(name: String, count: Int) throws {
        let result = try decode(try contents(of: SharedData.file("fences/\(name).geojson")), source: name)
        #expect(result.refusals.isEmpty)
        #expect(result.geofences.count == count)
    }

    @Test(
        "The reference circles are decoded in full",
        .enabled(if: SharedData.isAvailable(for: "reading of the oracle's geofences")))
    func oracleFences() throws {
        for row in Track.rows(of: "oracle/index.csv") {
            let result = try decode(try contents(of: SharedData.file(row["fences"]!)), source: row["fences"]!)
            #expect(result.refusals.isEmpty && result.geofences.count == Int(row["n_fences"]!)!, "\(row["fences"]!)")
        }
    }
}

/// Makes a random valid geofence.
private enum RandomFence {
    static func make(_ index: Int, _ random: inout SeededRandom) -> Geofence {
        let center = place(&random)
        let shape: Shape =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: .circle(Circle(center: center, radius: Double.random(in: 1...1_000_000, using: &random)))
            case 1: .polygons([polygon(center, &random)])
            default: .polygons((0..<3).map { _ in polygon(place(&random), &random) })
            }
        var fence = Geofence(
            id: "f-\(index)", name: ["Home", "Büro \"2\"\\", "東京 🗼", "a,b;c"].randomElement(using: &random)!, shape: shape)
        fence.isActive = Bool.random(using: &random)
        fence.priority = Int.random(in: -3...3, using: &random)
        if Bool.random(using: &random) { fence.dwell = Double.random(in: 1...86_400, using: &random) }
        if Bool.random(using: &random) { fence.devices = ["a", "b \"c\""] }
        if Bool.random(using: &random) { fence.groups = ["family"] }
        if Bool.random(using: &random) { fence.triggers = [.enter] }
        if Bool.random(using: &random) {
            fence.policy.base = .phone
            fence.policy.maxAccuracy = .infinity
        }
        if Bool.random(using: &random) {
            fence.properties = [.init("colour", "red"), .init("n", .number("1.50")), .init("o", ["a": [.number("1"), .null]])]
        }
        return fence
    }

    private static func place(_ random: inout SeededRandom) -> Coordinate {
        Coordinate(
            latitude: Double.random(in: -89...89, using: &random), longitude: Double.random(in: -179...179, using: &random))
    }

    private static func polygon(_ center: Coordinate, _ random: inout SeededRandom) -> Polygon {
        func ring(_ size: Double) -> [Coordinate] {
            let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)]
            return corners.map {
                Coordinate(latitude: center.latitude + $0.1 * size, longitude: center.longitude + $0.0 * size)
            }
        }
        return Polygon(exterior: ring(0.7), holes: Bool.random(using: &random) ? [ring(0.3)] : [])
    }
}
