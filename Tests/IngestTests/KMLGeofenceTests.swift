import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Geofences in KML")
struct KMLGeofenceTests {
    private func decode(_ bytes: [UInt8], radius: Double? = nil) throws -> GeofenceImport {
        try bytes.withUnsafeBufferPointer { try GeofenceDecoder.decode($0, source: "x.kml", options: .init(radius: radius)) }
    }

    private func decode(_ placemarks: String..., radius: Double? = nil) throws -> GeofenceImport {
        let text =
            "<?xml version=\"1.0\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\n\(placemarks.joined(separator: "\n"))\n"
        return try decode(Array("\(text)</Document></kml>".utf8), radius: radius)
    }

    private static let square = "0,0,10 1,0,10 1,1,10\n 0,1,10 0,0,10"
    private static let hole = "0.2,0.2 0.4,0.2 0.4,0.4 0.2,0.2"

    private static func ring(_ coordinates: String) -> String {
        "<LinearRing><coordinates>\(coordinates)</coordinates></LinearRing>"
    }

    private static func polygon(_ outer: String, _ inner: String...) -> String {
        "<Polygon><outerBoundaryIs>\(ring(outer))</outerBoundaryIs>"
            + inner.map { "<innerBoundaryIs>\(ring($0))</innerBoundaryIs>" }.joined() + "</Polygon>"
    }

    private func ring(_ corners: (Double, Double)...) -> [Coordinate] {
        corners.map { Coordinate(latitude: $0.1, longitude: $0.0) }
    }

    @Test("A polygon with a hole becomes a geofence with its name, description and data")
    func polygons() throws {
        let result = try decode(
            """
            <Placemark id="ID_0"><name> Yard </name><description><![CDATA[<b>North</b>]]></description><address>Main St 1</address>
            <ExtendedData><Data name="dwell"><value>60</value></Data><Data name="Groups"><value>vans; bikes</value></Data>
            <Data name="active"><value>no</value></Data><SchemaData><SimpleData name="owner">Ada</SimpleData></SchemaData></ExtendedData>
            \(Self.polygon(Self.square, Self.hole))</Placemark>
            """)
        #expect(result.refusals.isEmpty)
        let square = ring((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))
        let hole = ring((0.2, 0.2), (0.4, 0.2), (0.4, 0.4), (0.2, 0.2))
        #expect(
            result.entries.map(\.geofence) == [
                Geofence(
                    id: "yard", name: "Yard", shape: .polygons([Polygon(exterior: square, holes: [hole])]), isActive: false,
                    dwell: 60,
                    groups: ["vans", "bikes"],
                    properties: [
                        .init("owner", "Ada"), .init("description", "<b>North</b>"), .init("address", "Main St 1"),
                    ])
            ])
        #expect(result.entries.map(\.idSource) == [.name] && result.entries.map(\.line) == [3])
    }

    @Test("The polygons of a MultiGeometry are one geofence, and a point beside them is its label")
    func multiGeometry() throws {
        let result = try decode(
            "<Placemark><name>A</name><MultiGeometry><Point><coordinates>5,5</coordinates></Point>\(Self.polygon(Self.square))"
                + "<MultiGeometry>\(Self.ring("3,3 4,3 4,4 3,3"))</MultiGeometry></MultiGeometry></Placemark>")
        #expect(result.refusals.isEmpty && result.entries.count == 1)
        guard case .polygons(let polygons)? = result.entries.first?.geofence.shape else {
            Issue.record("no polygons")
            return
        }
        #expect(polygons.map { $0.exterior.count } == [5, 4])
    }

    @Test("A point is a circle by the radius in its data, or else by that of the options")
    func circles() throws {
        let points = [
            "<Placemark><name>A</name><ExtendedData><Data name=\"Radius\"><value>75.5</value></Data><Data name=\"id\"><value>a-1</value>"
                + "</Data></ExtendedData><Point><coordinates>13.4,52.5,0</coordinates></Point></Placemark>",
            "<Placemark><name>B</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>",
        ]
        let with = try decode(points[0], points[1], radius: 120)
        #expect(with.refusals.isEmpty && with.entries.map(\.geofence.id) == ["a-1", "b"])
        let radii = with.entries.map { entry in if case .circle(let circle) = entry.geofence.shape { circle.radius } else { 0.0 }
        }
        #expect(radii == [75.5, 120])
        let without = try decode(points[0], points[1])
        #expect(without.entries.count == 1 && without.refusals.map(\.refusal.field) == ["radius"])
        #expect(without.refusals.first?.refusal.reason.description.contains("--radius") == true)
        #expect(without.refusals.map(\.refusal.value) == ["B"])
    }

    @Test(
        "What is no geofence is refused with its line, element and reason, and the others are decoded",
        arguments: [
            (
                "<Placemark>\n<LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>", "LineString", 5,
                "encloses no area"
            ),
            ("<Placemark><name>T</name>\n\n<Track><when/><coord/></Track></Placemark>", "Track", 6, "encloses no area"),
            ("<Placemark><name>N</name></Placemark>", "Placemark", 4, "cannot be a geofence"),
            (
                "<Placemark><name>Oma</name><address>Ahornweg 3, 10115 Berlin</address></Placemark>", "Placemark", 4,
                "only an address, without coordinates: Ahornweg 3, 10115 Berlin"
            ),
            (
                "<Placemark><address><![CDATA[Rua do Ouro 1]]></address></Placemark>", "Placemark", 4,
                "without coordinates: Rua do Ouro 1"
            ),
            ("<Placemark><Polygon/></Placemark>", "outerBoundaryIs", 4, "no ring"),
            (
                "<Placemark><Polygon><outerBoundaryIs><LinearRing>\n<coordinates>1,2 3;4</coordinates></LinearRing></outerBoundaryIs>"
                    + "</Polygon></Placemark>", "coordinates", 5, "not a position"
            ),
            ("<Placemark>\(polygon("1,2 3,4"))</Placemark>", "geometry", 4, "fewer than three"),
            ("<Placemark>\(polygon("1,95 3,4 5,6"))</Placemark>", "latitude", 4, "out of range"),
            ("<Placemark><Point><coordinates>1,2 3,4</coordinates></Point></Placemark>", "coordinates", 4, "not a position"),
            (
                "<Placemark><MultiGeometry><Point><coordinates>1,2</coordinates></Point>\n<Point><coordinates>3,4</coordinates></Point>"
                    + "</MultiGeometry></Placemark>", "Point", 5, "2 points"
            ),
            (
                "<Placemark><ExtendedData><Data name='radius'><value>wide</value></Data></ExtendedData><Point><coordinates>1,2</coordinates>"
                    + "</Point></Placemark>", "radius", 4, "not a number"
            ),
        ] as [(String, String, Int, String)])
    func refusals(placemark: String, field: String, line: Int, reason: String) throws {
        let good = "<Placemark><name>G</name>\(Self.polygon(Self.square))</Placemark>"
        let result = try decode(good.replacing("\n", with: " "), placemark, good.replacing(">G<", with: ">H<"))
        #expect(result.entries.map(\.geofence.id) == ["g", "h"])
        let refused = try #require(result.refusals.first)
        #expect(
            result.refusals.count == 1 && refused.index == 2 && refused.refusal.line == line && refused.refusal.field == field)
        #expect(refused.refusal.reason.description.contains(reason) && refused.refusal.reason.description.contains("expected"))
    }

    @Test("A line beside polygons is refused, and the polygons are decoded")
    func lineBesidePolygon() throws {
        let result = try decode(
            "<Placemark><name>A</name><MultiGeometry>\(Self.polygon(Self.square))<LineString><coordinates>1,2 3,4</coordinates></LineString>"
                + "</MultiGeometry></Placemark>")
        #expect(result.entries.map(\.index) == [1] && result.refusals.map(\.index) == [2])
    }

    @Test("KMZ is decoded like the KML in it")
    func kmz() throws {
        for archive in [KMZSamples.deflated, KMZSamples.stored, KMZSamples.streamed] {
            let result = try decode(archive)
            #expect(result.entries.isEmpty && result.refusals.map(\.refusal.field) == ["Track"])
        }
        #expect(throws: Problem.self) { try decode(KMZSamples.bzip2) }
        let bomb = KMZSamples.archive("doc.kml", packed: KMZSamples.deflatedSpaces(atLeast: ZipArchive.maxUnpackedBytes))
        #expect(throws: Problem.tooLarge(what: .archived("x.kml", "doc.kml"), limit: .or(.mebibytes(64), .unpackedFile))) {
            try decode(bomb)
        }
    }

    @Test("A document without a Placemark, and other XML, is refused as a whole")
    func others() {
        for (text, reason) in [
            ("<kml><NetworkLink/></kml>", Phrase.linksOnly), ("<kml/>", .noPlacemarks),
        ] {
            #expect(throws: Problem.decodingFailed(source: "x.kml", line: nil, reason: .expecting(reason, .kmlGeofence))) {
                try decode(Array(text.utf8))
            }
        }
        #expect {
            try decode(Array("<svg/>".utf8))
        } throws: { error in
            guard case Problem.unsupportedFormat(_, .geofenceFileIs("XML"), _) = error else { return false }
            return true
        }
        #expect(throws: Problem.decodingFailed(source: "x.kml", line: 1, reason: .xmlCutOff)) { try decode(Array("<kml>".utf8)) }
    }
}
