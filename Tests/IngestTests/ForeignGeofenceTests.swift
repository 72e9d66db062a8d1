import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Geofences of Traccar and OwnTracks")
struct ForeignGeofenceTests {
    private func decode(_ text: String, options: GeofenceDecodingOptions = .init()) throws -> GeofenceImport {
        try Array(text.utf8).withUnsafeBufferPointer { try GeofenceDecoder.decode($0, source: "x", options: options) }
    }

    private func circle(_ latitude: Double, _ longitude: Double, _ radius: Double) -> Shape {
        .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius))
    }

    private func polygon(_ corners: (Double, Double)...) -> Shape {
        .polygons([Polygon(exterior: corners.map { Coordinate(latitude: $0.0, longitude: $0.1) })])
    }

    // MARK: - Traccar

    @Test("Traccar's export is decoded: areas with the latitude first, its number as the ID, and everything else as properties")
    func traccar() throws {
        let result = try decode(
            """
            [{"id":7,"attributes":{"color":"#f00"},"calendarId":0,"name":"Depot","description":"North","area":"CIRCLE (52.5163 13.3777, 150.5)"},
            {"id":8,"attributes":{},"calendarId":3,"name":"Yard","description":null,
            "area":"POLYGON ((52.5 13.3, 52.6 13.3, 52.6 13.4, 52.5 13.3))"},
            {"id":9,"name":"Road","area":"LINESTRING (52.5 13.3, 52.6 13.3)","attributes":{"polylineDistance":25}}]
            """)
        #expect(
            result.entries.map(\.geofence) == [
                Geofence(
                    id: "7", name: "Depot", shape: circle(52.5163, 13.3777, 150.5),
                    properties: [.init("attributes", ["color": "#f00"]), .init("description", "North")]),
                Geofence(
                    id: "8", name: "Yard", shape: polygon((52.5, 13.3), (52.6, 13.3), (52.6, 13.4), (52.5, 13.3)),
                    properties: [.init("calendarId", .number("3"))]),
            ])
        #expect(result.entries.map(\.idSource) == [.given, .given] && result.entries.map(\.line) == [1, 2])
        let refused = try #require(result.refusals.first)
        #expect(refused.index == 3 && refused.id == "9" && refused.refusal.line == 4 && refused.refusal.field == "area")
        #expect(refused.refusal.reason == .expecting(.lineWithoutInside, .polygonAroundLine))
    }

    @Test("A single geofence, one a line, and a column of CSV are decoded, too")
    func traccarForms() throws {
        let one = #"{"id":7,"name":"Depot","area":"CIRCLE (1 2, 3)"}"#
        for text in [one, one + "\n", "[\(one)]", "[\n  \(one)\n]\n"] {
            #expect(try decode(text).entries.map(\.geofence) == [Geofence(id: "7", name: "Depot", shape: circle(1, 2, 3))])
        }
        #expect(try decode("\(one)\n\(one.replacing(":7", with: ":8"))").entries.map(\.geofence.id) == ["7", "8"])
        let table = try decode(
            "id,name,description,area\n7,Depot,North,\"CIRCLE (1 2, 3)\"\n8,Yard,,\"POLYGON((1 2, 1 3, 2 3))\"\n9,Odd,,\"POINT (1, 2)\"\n"
        )
        #expect(
            table.entries.map(\.geofence) == [
                Geofence(id: "7", name: "Depot", shape: circle(1, 2, 3), properties: [.init("description", "North")]),
                Geofence(id: "8", name: "Yard", shape: polygon((1, 2), (1, 3), (2, 3))),
            ])
        #expect(table.refusals.map(\.refusal.field) == ["area"] && table.refusals.map(\.refusal.line) == [4])
        #expect(table.refusals.map(\.refusal.value) == ["POINT (1, 2)"])
    }

    @Test("Areas alone are decoded, each where it starts")
    func areas() throws {
        let result = try decode(
            "CIRCLE (1 2, 3)\n\nPOLYGON((1 2, 1 3,\n 2 3), (1.1 2.5, 1.1 2.6, 1.2 2.6));\nLINESTRING (1 2, 3 4)\nnothing\nCIRCLE(4 5,6)"
        )
        #expect(result.entries.map(\.line) == [1, 3, 7] && result.entries.map(\.index) == [1, 2, 5])
        guard case .polygons(let polygons)? = result.entries.dropFirst().first?.geofence.shape else {
            Issue.record("no polygon")
            return
        }
        #expect(polygons.map { $0.holes.count } == [1])
        #expect(result.refusals.map(\.refusal.line) == [5, 6])
        #expect(result.refusals.map(\.refusal.reason).last == .expecting(.notWellKnownText, .traccarArea))
    }

    @Test(
        "An area that cannot be read is refused with the reason",
        arguments: [
            ("CIRCLE (52.5 13.4)", Phrase.notWellKnownText), ("CIRCLE (52.5 13.4, wide)", .notWellKnownText),
            ("CIRCLE (52.5, 13.4, 5)", .notWellKnownText), ("POLYGON (1 2, 3 4, 5 6)", .notWellKnownText),
            ("POLYGON ((1 2, 3, 5 6))", .notWellKnownText), ("POLYGON ((1 2", .notWellKnownText), ("", .notWellKnownText),
            ("POLYGON ((139.7 35.6, 139.8 35.6, 139.8 35.7))", .longitudeFirst),
            ("POLYGON ((1 2 3, 3 4 5, 5 6 7))", .notWellKnownText), ("MULTIPOINT ((1 2))", .noFenceGeometry),
            ("LINESTRING (1 2, 3 4)", .lineWithoutInside),
        ] as [(String, Phrase)])
    func refusals(area: String, reason: Phrase) throws {
        let json = JSONValue.array([
            ["id": .number("1"), "area": .string(area)], ["id": .number("2"), "area": "CIRCLE (1 2, 3)"],
        ])
        let result = try decode(json.description)
        #expect(result.entries.map(\.geofence.id) == ["2"])
        let refused = try #require(result.refusals.first?.refusal)
        #expect(refused.reason.withoutExpectation == reason)
        #expect(refused.field == "area" && refused.value == area)
    }

    @Test("A circle without extent is refused by the rules of all geofences")
    func rules() throws {
        let result = try decode(
            #"[{"id":1,"area":"CIRCLE (1 2, 0)"},{"id":2,"area":"POLYGON ((1 2, 3 4))"},{"id":"ü","area":"CIRCLE (1 2, 3)"}]"#)
        #expect(result.entries.isEmpty && result.refusals.map(\.refusal.field) == ["radius", "geometry", "id"])
    }

    // MARK: - OwnTracks

    @Test("The waypoints of OwnTracks are decoded, as a list, one by one or each alone")
    func ownTracks() throws {
        let home = #"{"_type":"waypoint","desc":"Home","lat":52.5,"lon":13.4,"rad":100,"tst":1777629600,"rid":"6da9cf"}"#
        let work = #"{"desc":"Work","lat":"52.6","lon":13.5,"rad":50,"tst":1777629601}"#
        let expected = [
            Geofence(
                id: "6da9cf", name: "Home", shape: circle(52.5, 13.4, 100), properties: [.init("tst", .number("1777629600"))]),
            Geofence(id: "work", name: "Work", shape: circle(52.6, 13.5, 50), properties: [.init("tst", .number("1777629601"))]),
        ]
        for text in [
            "{\"_type\":\"waypoints\",\"waypoints\":[\(home),\n\(work)]}",
            "{\"waypoints\":[\n\(home),\n\(work)\n],\"_type\":\"waypoints\"}\n",
            "[\(home),\(work)]", "\(home)\n\(work)\n",
        ] {
            let result = try decode(text)
            #expect(result.entries.map(\.geofence) == expected && result.refusals.isEmpty, "\(text)")
            #expect(result.entries.map(\.idSource) == [.given, .name])
        }
        for text in [home, home + "\n"] { #expect(try decode(text).entries.map(\.geofence) == [expected[0]]) }
        #expect(try decode(#"{"_type":"waypoints","waypoints":[]}"#).entries.isEmpty)
    }

    @Test(
        "A waypoint that is not a place is refused, and the others are decoded",
        arguments: [
            (#"{"_type":"waypoint","desc":"B","lat":0,"lon":0,"uuid":"e2c5","major":1}"#, "uuid"),
            (#"{"_type":"waypoint","desc":"B","lat":1,"lon":2,"rad":0}"#, "radius"),
            (#"{"_type":"waypoint","desc":"B","lat":1,"lon":2}"#, "radius"),
            (#"{"_type":"waypoint","desc":"B","lat":-1000000,"lon":-1000000,"rad":5}"#, "latitude"),
            (#"{"_type":"waypoint","desc":"B","lat":"north","lon":2,"rad":5}"#, "coordinates"),
            (#"{"_type":"waypoint","desc":"B"}"#, "radius"), (#"{"_type":"waypoint","desc":"#, "feature"),
        ] as [(String, String)])
    func ownTracksRefusals(waypoint: String, field: String) throws {
        let good = #"{"_type":"waypoint","desc":"G","lat":1,"lon":2,"rad":3}"#
        guard field != "feature" else {
            // Broken JSON ends the list.
            #expect(throws: Problem.self) { try decode("[\(good),\n\(waypoint)") }
            return
        }
        let result = try decode("{\"_type\":\"waypoints\",\"waypoints\":[\(waypoint),\n\(good)]}")
        #expect(result.entries.map(\.geofence.id) == ["g"] && result.refusals.map(\.refusal.field) == [field])
    }

    @Test("A radius of the options is for waypoints without one")
    func radius() throws {
        let result = try decode(
            #"[{"desc":"A","lat":1,"lon":2,"rad":0},{"desc":"B","lat":1,"lon":2,"rad":5}]"#, options: .init(radius: 80))
        #expect(result.entries.map(\.geofence.shape) == [circle(1, 2, 80), circle(1, 2, 5)])
    }

    @Test("Positions are no geofences, and named as what they are")
    func positions() {
        #expect {
            try decode("{\"device\":\"a\",\"timestamp\":1}\n{\"device\":\"b\",\"timestamp\":1}\n")
        } throws: { error in
            guard case Problem.unsupportedFormat(_, .geofenceFileIs("NDJSON"), _) = error else { return false }
            return true
        }
    }

    // MARK: - CSV

    @Test("Columns of CSV can be named, and numbers may have a decimal comma")
    func columns() throws {
        let columns = ["name": "Ort", "latitude": "Breite", "longitude": "Länge", "radius": "Umkreis (m)"]
        let result = try decode(
            "Ort;Breite;Länge;Umkreis (m);Art\nHof;52,5163;13,3777;75,5;Depot\n", options: .init(columns: columns))
        #expect(
            result.entries.map(\.geofence) == [
                Geofence(id: "hof", name: "Hof", shape: circle(52.5163, 13.3777, 75.5), properties: [.init("Art", "Depot")])
            ])
        let tabs = try decode("name\tlat\tlon\tradius\nHof\t52,5163\t13,3777\t75\n")
        #expect(tabs.entries.map(\.geofence.shape) == [circle(52.5163, 13.3777, 75)])
        #expect(try decode("name,lat,lon\nA,1,2\n", options: .init(radius: 9)).entries.map(\.geofence.shape) == [circle(1, 2, 9)])
        #expect(
            throws: Problem.decodingFailed(
                source: "x", line: 1,
                reason: .expecting(
                    .columnsUnknown(["longitude", "radius"], separator: ",", columns: ["name", "lat"]),
                    .or(.geofenceColumns, .columnsOption("longitude=COLUMN,radius=COLUMN"))))
        ) { try decode("name,lat\nA,1\n") }
        for columns in [["width": "lat"], ["latitude": "Breite"]] {
            #expect {
                try decode("name,lat,lon,radius\nA,1,2,3\n", options: .init(columns: columns))
            } throws: { error in
                guard case Problem.validationFailed("--columns", _, _, _) = error else { return false }
                return true
            }
        }
    }

    // MARK: - Damage

    private static let samples: [String] = [
        #"[{"id":7,"name":"Depot","area":"CIRCLE (52.5163 13.3777, 150.5)"},{"id":8,"area":"POLYGON ((1 2, 1 3, 2 3))"}]"#,
        "CIRCLE (1 2, 3)\nPOLYGON ((1 2, 1 3, 2 3), (1 2, 3 4, 5 6))\nLINESTRING (1 2, 3 4)",
        #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"H","lat":52.5,"lon":13.4,"rad":100,"tst":1,"rid":"6da9cf"}]}"#,
        "<kml><Placemark><name>A</name><MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates>"
            + "</LinearRing></outerBoundaryIs></Polygon></MultiGeometry></Placemark><Placemark><ExtendedData><Data name=\"radius\"><value>5"
            + "</value></Data></ExtendedData><Point><coordinates>1,2</coordinates></Point></Placemark></kml>",
    ]

    @Test("Truncated and damaged files cause no crash, and every geofence is valid", arguments: samples.indices)
    func damage(index: Int) {
        let sample = Array(Self.samples[index].utf8)
        var random = SeededRandom(seed: UInt64(51 + index))
        var inputs = (0..<sample.count).map { Array(sample.prefix($0)) }
        for _ in 0..<300 { inputs.append(Mutation.apply(to: sample, most: 4, &random)) }
        for input in inputs {
            do {
                let result = try input.withUnsafeBufferPointer {
                    try GeofenceDecoder.decode($0, source: "x", options: .init(radius: 5))
                }
                for entry in result.entries where entry.geofence.flaw != nil {
                    Issue.record("seed \(51 + index): \(String(decoding: input, as: UTF8.self))")
                }
            } catch {
                #expect(error is Problem)
            }
        }
    }
}
