import Foundation
import Model
import TestSupport
import Testing

@Suite("Import and creation of geofences without IDs")
struct GeofenceImportCommandTests {
    private static let porto = "name,latitude,longitude,radius\nDepot,41.1496,-8.6109,100\n"
    private static let lisbon = "name,latitude,longitude,radius\nMarket,38.72,-9.14,60\nDepot,38.7223,-9.1393,150\n"
    private static let ring = "[[[179,1],[-179,1],[-179,2],[179,2],[179,1]]]"

    @Test("An import moves no geofence unless asked to, with the same output through a service")
    func conflicts() throws {
        let own = try Shell()
        let served = try ServedShell()
        let files = [
            "porto": try own.file("porto.csv", Self.porto), "lisbon": try own.file("lisbon.csv", Self.lisbon),
            "across": try own.file(
                "across.geojson",
                "{\"type\":\"Feature\",\"properties\":{\"name\":\"Across\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":\(Self.ring)}}"
            ), "broken": try own.file("broken.geojson", "{\"type\":\n"), "odd": try own.file("odd.txt", "hello\n"),
        ]
        func run(_ words: String...) throws -> Program.Result {
            let words = words.map { files[$0] ?? $0 }
            let (here, there) = try (own.picket.run(words), served.picket.run(words))
            #expect(here.output == there.output && here.errors == there.errors && here.status == there.status, "\(words)")
            return here
        }
        #expect(try run("geofence", "import", "porto").status == 0)
        #expect(
            try run("geofence", "import", "porto").output.contains("1 geofence imported, 1 of them already there, unchanged."))
        let refused = try run("geofence", "import", "lisbon")
        #expect(refused.status == 1 && refused.output.contains("1 geofence imported, 1 refused"))
        for part in ["lisbon.csv, line 3: geofence 2 'depot': id 'depot'", "41.1496, -8.6109", "38.7223, -9.1393", "--rename"] {
            #expect(refused.errors.contains(part), "\(refused.errors)")
        }
        let replaced = try run("geofence", "import", "lisbon", "--replace")
        #expect(
            replaced.output.contains(
                "  depot: was 'Depot', 100 m around 41.1496, -8.6109; now 'Depot', 150 m around 38.7223, -9.1393\n"))
        let renamed = try run("geofence", "import", "porto", "--rename")
        #expect(renamed.output.contains("  'Depot' got the id depot-2: depot is taken\n"), "\(renamed.output)")
        let again = try JSONParser.parse(try run("geofence", "import", "lisbon", "porto", "--json", "--replace").lines[1])[
            "summary"]
        #expect(again?["unchanged"]?.double == 1 && again?["replacements"]?.array == [] && again?["renamed"]?.array == [])
        #expect(try run("geofence", "import", "porto", "--replace", "--rename").status == 2)

        let across = try run("geofence", "import", "across")
        #expect(across.output.contains("uses the short way") && across.output.contains("from longitude 179 to 181"))
        #expect(
            try run("geofence", "import", "across", "--as-written").errors.contains(
                "'Across', a polygon of 4 corners around 1.5, 180"))
        let literal = try run("geofence", "import", "across", "--as-written", "--replace", "--json", "--language", "tr")
        let summary = try JSONParser.parse(literal.lines[0])["summary"]
        #expect(summary?["replaced"]?.double == 1 && summary?.column("notes", "code") == ["place"])
        #expect(try run("geofence", "import", "across", "--replace", "--language", "tr").output.contains("kısa yoldan"))
        #expect(try run("geofence", "import", "broken", "odd").errors.contains("odd.txt is not in a format"))
        #expect(try run("geofence", "list").output.contains("4 geofences"))
    }

    @Test("Files of other programs are imported, with the same output through a service and in each language")
    func formats() throws {
        let own = try Shell()
        let served = try ServedShell()
        let points = "<kml><Placemark><name>Gate</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>"
        let files = [
            "gate": try own.file("gate.kml", points + "</kml>"),
            "road": try own.file(
                "road.kml",
                points
                    + "\n<Placemark><name>Road</name><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark></kml>"
            ),
            "broken": try own.file("broken.kmz", "PK\u{3}\u{4}0123456789abcdef"),
            "table": try own.file("table.csv", "Ort;Breite;Länge\nHof;52,5163;13,3777\n"),
            "traccar": try own.file("traccar.json", #"[{"id":7,"name":"Depot","area":"CIRCLE (139.7 35.6, 150)"}]"#),
        ]
        func run(_ words: String...) throws -> Program.Result {
            let words = ["geofence", "import"] + words.map { files[$0] ?? $0 }
            let (here, there) = try (own.picket.run(words), served.picket.run(words))
            #expect(here.output == there.output && here.errors == there.errors && here.status == there.status, "\(words)")
            return here
        }
        let without = try run("gate")
        #expect(without.status == 1 && without.errors.contains("gate.kml, line 1: geofence 1: radius"), "\(without.errors)")
        #expect(without.errors.contains("--radius"), "\(without.errors)")
        #expect(try run("gate", "--radius", "75").output.contains("gate.kml: 1 geofence imported."))
        let road = try run("road", "--radius", "75")
        #expect(
            road.status == 1 && road.errors.contains("road.kml, line 2: geofence 2: LineString 'Road': a line encloses no area"))
        #expect(road.output.contains("1 geofence imported, 1 of them already there, unchanged, 1 refused."))
        #expect(try run("road", "--radius", "75", "--language", "tr").errors.contains("bir çizgi alan çevrelemez"))
        let broken = try run("broken")
        #expect(
            broken.status == 1 && broken.errors.contains("broken.kmz") && broken.errors.contains("damaged"), "\(broken.errors)")
        #expect(try run("broken", "--language", "tr").errors.contains("ZIP arşivi bozuk"))
        #expect(try run("traccar").errors.contains("the longitude seems to be first"))
        #expect(try run("traccar", "--language", "tr").errors.contains("boylam önce yazılmış"))
        let columns = "name=Ort,latitude=Breite,longitude=Länge"
        #expect(try run("table", "--radius", "50", "--columns", columns).output.contains("table.csv: 1 geofence imported."))
        #expect(try run("table").errors.contains("--columns latitude=COLUMN"))
        #expect(try run("gate", "--radius", "0").status == 2 && run("gate", "--columns", "name").status == 2)
    }

    private static let polygon = "((13.36 52.51, 13.40 52.51, 13.40 52.53, 13.36 52.53, 13.36 52.51))"

    /// Files as people have them, the options of the import, and parts of what it says. Each is imported into a store with a geofence in
    /// Berlin.
    private static let files: [(name: String, content: String, options: [String], said: [String])] = [
        (
            "traccar.txt", "POLYGON \(polygon)\n", [],
            [
                "1 geofence imported", "'fence' is around 13.38, 52.52.", "is 5,600 km from the other geofences",
                "52.52, 13.38 is near them: are latitude and longitude swapped?",
            ]
        ),
        ("multi.wkt", "MULTIPOLYGON (\(polygon))", [], ["1 geofence imported.", "'fence' is around 52.52, 13.38."]),
        (
            "z.wkt", "POLYGON Z ((13.36 52.51 0, 13.40 52.51 0, 13.40 52.53 0, 13.36 52.51 0))", [],
            ["1 geofence imported.", "around 52.52, 13.38."]
        ),
        ("ewkt.txt", "SRID=4326;POLYGON\(polygon)", [], ["1 geofence imported.", "around 52.52, 13.38."]),
        (
            "utm.txt", "SRID=25833;POLYGON((389000 5819000,389500 5819000,389500 5819500,389000 5819000))", [],
            ["utm.txt, line 1: geofence 1: outline", "'SRID=25833', which is not WGS 84"]
        ),
        (
            "mymaps.csv", "WKT,name,description\n\"POLYGON \(polygon)\",Hof,\n\"POINT (13.3777 52.5163)\",Kita,\n",
            ["--radius", "60"], ["2 geofences imported.", "'hof' is around 52.52, 13.38.", "'kita' is around 52.5163, 13.3777."]
        ),
        (
            "mymaps.csv", "WKT,name,description\n\"POLYGON \(polygon)\",Hof,\n\"POINT (13.3777 52.5163)\",Kita,\n", [],
            ["1 geofence imported, 1 refused.", "line 3: geofence 2: radius 'Kita': a point needs a radius", "--radius"]
        ),
        (
            "postgis.csv", "name;the_geom\nHof;0103000020E6100000010000000400000000\n", [],
            ["postgis.csv, line 2", "the_geom", "well-known binary", "ST_AsText"]
        ),
        (
            "census.geojson",
            #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4269"}},"#
                + #""features":[{"type":"Feature","properties":{"name":"G"},"geometry":{"type":"Polygon","#
                + #""coordinates":[[[13.36,52.51],[13.37,52.51],[13.37,52.52],[13.36,52.51]]]}}]}"#,
            [], ["1 geofence imported.", "'g' is around 52.515, 13.365."]
        ),
        (
            "utm.geojson",
            #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25833"}},"features":[]}"#,
            [], ["utm.geojson", "line 1", "'urn:ogc:def:crs:EPSG::25833', which is not WGS 84"]
        ),
        (
            "meters.geojson",
            #"{"type":"Polygon","coordinates":[[[389000,5819000],[389500,5819000],[389500,5819500],[389000,5819000]]]}"#
                .wrappedAsFeature,
            [], ["meters in a projected coordinate system"]
        ),
        (
            "wpt.gpx", "<gpx><wpt lat='52.5163' lon='13.3777'><name>Tor</name></wpt></gpx>", ["--radius", "100"],
            ["1 geofence imported.", "'tor' is around 52.5163, 13.3777."]
        ),
        (
            "wpt.gpx", "<gpx>\n<wpt lat='52.5163' lon='13.3777'><name>Tor</name></wpt></gpx>", [],
            ["wpt.gpx, line 2: geofence 1: radius 'Tor'", "--radius"]
        ),
        ("trk.gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>", [], ["trk.gpx", "no waypoints (wpt)"]),
        (
            "oma.kml", "<kml><Placemark><name>Oma</name><address>Ahornweg 3</address></Placemark></kml>", [],
            ["Placemark 'Oma': there is only an address, without coordinates: Ahornweg 3"]
        ),
    ]

    @Test(
        "Files as people have them are read or refused in words, with the same output through a service", arguments: files.indices
    )
    func peoplesFiles(index: Int) throws {
        let (name, content, options, said) = Self.files[index]
        let own = try Shell()
        let served = try ServedShell()
        let path = try own.file(name, content)
        for picket in [own.picket, served.picket] {
            #expect(try picket.run(["geofence", "add", "--id", "berlin", "--circle", "52.52,13.4,100"]).status == 0)
        }
        let words = ["geofence", "import", path] + options
        let (here, there) = try (own.picket.run(words), served.picket.run(words))
        #expect(here.output == there.output && here.errors == there.errors && here.status == there.status)
        for part in said { #expect((here.output + here.errors).contains(part), "\(part): \(here.output)\(here.errors)") }
    }

    @Test("Names in every script are recognized by a second import, with the same output through a service")
    func scripts() throws {
        let own = try Shell()
        let served = try ServedShell()
        func file(_ radius: Int) -> String {
            "name,lat,lon,radius\nДом,52.5163,13.3777,\(radius)\n自宅,48.2083,16.3731,\(radius)\nΣπίτι,38.0,23.7,\(radius)\n"
                + "Home,50.0,14.4,\(radius)\n"
        }
        let (small, large) = (try own.file("small.csv", file(100)), try own.file("large.csv", file(150)))
        func run(_ words: String...) throws -> Program.Result {
            let (here, there) = try (own.picket.run(words), served.picket.run(words))
            #expect(here.output == there.output && here.errors == there.errors && here.status == there.status, "\(words)")
            return here
        }
        #expect(try run("geofence", "import", small).output.contains("4 geofences imported."))
        let refused = try run("geofence", "import", large)
        #expect(
            refused.output.contains("0 geofences imported, 4 refused.") && refused.errors.contains("id 'dom'"),
            "\(refused.errors)")
        let replaced = try run("geofence", "import", large, "--replace")
        #expect(replaced.output.contains("dom: was 'Дом', 100 m around 52.5163, 13.3777; now 'Дом', 150 m"), "\(replaced.output)")
        #expect(try run("geofence", "list").output.contains("4 geofences"))
        #expect(try run("geofence", "add", "--name", "自宅", "--circle", "1,2,100").errors.contains("u81ea-u5b85"))
        #expect(try run("geofence", "add", "--name", "自宅", "--circle", "48.2083,16.3731,150").output.contains("Unchanged"))
    }

    @Test("Adding a geofence follows the same rule, with the same output through a service")
    func add() throws {
        let own = try Shell()
        let served = try ServedShell()
        let ring = "{\"type\":\"Polygon\",\"coordinates\":\(Self.ring)}"
        let across = try own.file("across.geojson", ring)
        let marked = try own.file(
            "marked.geojson", "{\"type\":\"Feature\",\"properties\":{\"asWritten\":true},\"geometry\":\(ring)}")
        func run(_ words: String...) throws -> Program.Result {
            let words = ["geofence"] + words
            let (here, there) = try (own.picket.run(words), served.picket.run(words))
            #expect(here.output == there.output && here.errors == there.errors && here.status == there.status, "\(words)")
            return here
        }
        #expect(try run("add", "--name", "Depot", "--circle", "41,-8,100").status == 0)
        let same = try run("add", "--name", "Depot", "--circle", "41,-8,100")
        #expect(same.status == 0 && same.output == "Unchanged: geofence depot already exists: Depot, 100 m around 41.0, -8.0\n")
        let refused = try run("add", "--name", "Depot", "--circle", "38,-9,100")
        #expect(refused.status == 2)
        for part in ["100 m around 41.0, -8.0", "100 m around 38.0, -9.0", "--id", "--rename", "picket geofence edit depot"] {
            #expect(refused.errors.contains(part), "\(refused.errors)")
        }
        let renamed = try run("add", "--name", "Depot", "--circle", "38,-9,100", "--rename", "--json")
        #expect(try JSONParser.parse(renamed.output)["id"] == "depot-2")
        #expect(try run("add", "--id", "depot", "--circle", "41,-8,100").status == 2)
        #expect(try run("add", "--id", "new", "--circle", "41,-8,100", "--rename").status == 2)

        #expect(
            try run("add", "--id", "a", "--geometry", across).output.contains("The outline of 'a' has edges of more than 180°"))
        let json = try JSONParser.parse(try run("add", "--name", "A", "--rename", "--geometry", across, "--json").output)
        #expect(json.column("notes", "code") == ["shortWay"] && json.column("notes", "geofenceId") == ["a-2"])
        #expect(try run("add", "--name", "A", "--geometry", across).output.contains("Unchanged: geofence a-2 already exists"))
        let edited = try JSONParser.parse(try run("edit", "a", "--geometry", across, "--as-written", "--json").output)
        #expect(edited["asWritten"] == true && edited["notes"] == nil)
        #expect(try JSONParser.parse(try run("edit", "a", "--priority", "1", "--json").output)["asWritten"] == true)
        #expect(try JSONParser.parse(try run("edit", "a", "--geometry", across, "--json").output)["asWritten"] == nil)
        #expect(try JSONParser.parse(try run("edit", "a", "--geometry", marked, "--json").output)["asWritten"] == true)
        #expect(try run("edit", "a", "--circle", "1,2,3", "--as-written").status == 2)
    }
}

extension String {
    /// A feature of GeoJSON with this geometry.
    fileprivate var wrappedAsFeature: String { #"{"type":"Feature","properties":{},"geometry":\#(self)}"# }
}

extension JSONValue {
    /// The strings of one member in all elements of a list.
    fileprivate func column(_ list: String, _ name: String) -> [String] {
        (self[list]?.array ?? []).compactMap { $0[name]?.string }
    }
}
