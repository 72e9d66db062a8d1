import Core
import Foundation
import Geodesy
import Geometry
import Model
import Presence
import Service
import ServiceTestSupport
import TestSupport
import Testing

@testable import Places

@Suite("Import of geofences without IDs")
struct GeofenceImportTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func importCSV(
        _ text: String, _ onConflict: GeofenceFile.ImportOptions.OnConflict = .refuse
    ) throws -> GeofenceFile.Imported {
        let file = try GeofenceFile.decode(Array(text.utf8), source: "places.csv")
        return try GeofenceFile.importing(file, source: "places.csv", into: bench.service, .init(onConflict: onConflict))
    }

    private func csv(_ rows: String...) -> String { "name,latitude,longitude,radius\n" + rows.joined(separator: "\n") + "\n" }

    private var stored: [String: Geofence] {
        get throws {
            var found: [String: Geofence] = [:]
            try bench.service.forEachGeofence { found[$0.id] = $0 }
            return found
        }
    }

    private func latitude(_ id: String) throws -> Double? {
        guard case .circle(let circle)? = try stored[id]?.shape else { return nil }
        return circle.center.latitude
    }

    @Test("Another place of the same name is refused, naming both, and nothing moves")
    func refuses() throws {
        _ = try importCSV(csv("Depot,41.1496,-8.6109,100"))
        let lisbon = try importCSV(csv("Market,38.72,-9.14,60", "Depot,38.7223,-9.1393,150"))
        #expect(lisbon.count == 1 && lisbon.replaced == 0)
        let refusal = try #require(lisbon.refusals.first)
        #expect(lisbon.refusals.count == 1 && refusal.line == 3 && refusal.field == "geofence 2 'depot': id")
        for part in ["100 m around 41.1496, -8.6109", "150 m around 38.7223, -9.1393", "--replace", "--rename", "onConflict"] {
            #expect(refusal.reason.description.contains(part), "\(refusal.reason)")
        }
        #expect(try latitude("depot") == 41.1496)
        #expect(try stored.keys.sorted() == ["depot", "market"])
    }

    @Test("A refusal at the same place names the differing fields")
    func samePlace() throws {
        _ = try importCSV(csv("Depot,1,2,100"))
        let refusal = try #require(
            try importCSV("name,latitude,longitude,radius,dwell,groups\nDepot,1,2,100,60,a\n").refusals.first)
        #expect(refusal.reason.description.contains("has the same coordinates and differs in dwell, groups"), "\(refusal.reason)")
    }

    @Test("The second of two places of one name in a file is refused, naming the first")
    func withinFile() throws {
        let text = csv("Stop,1,2,100", "Stop,3,4,100", "Stop,1,2,100")
        let imported = try importCSV(text)
        // The third geofence is equal to the first.
        #expect(imported.count == 2 && imported.unchanged == 1)
        let refusal = try #require(imported.refusals.first)
        #expect(imported.refusals.count == 1 && refusal.line == 3)
        #expect(
            refusal.reason.description.contains("'Stop', number 1 of the file, line 2: 100 m around 1.0, 2.0"),
            "\(refusal.reason)")
        #expect(refusal.reason.description.contains("100 m around 3.0, 4.0"))
        #expect(try stored.count == 1 && latitude("stop") == 1)
        // An explicit id takes precedence over a derived one, wherever it is in the file.
        let given = try importCSV("id,name,latitude,longitude,radius\n,School,5,6,10\nschool,Old school,7,8,10\n")
        #expect(given.refusals.first?.reason.description.contains("'Old school', number 2 of the file, line 3") == true)
        #expect(try latitude("school") == 7)
    }

    @Test("With replace, the result shows the old and the new place")
    func replaces() throws {
        _ = try importCSV(csv("Depot,1,2,100", "Market,5,6,70"))
        let imported = try importCSV(csv("Depot,3,4,150", "Market,5,6,70", "Depot,7,8,90"), .replace)
        #expect(imported.count == 3 && imported.replaced == 2 && imported.unchanged == 1 && imported.refusals.isEmpty)
        let places = imported.replacements.map { [$0.old, $0.new].map { $0.shape.place.description } }
        #expect(
            places == [["100 m around 1.0, 2.0", "150 m around 3.0, 4.0"], ["150 m around 3.0, 4.0", "90 m around 7.0, 8.0"]])
        #expect(try latitude("depot") == 7)
    }

    @Test("With replace, the next geofence of a name is found after the first one got another name")
    func replacesNext() throws {
        // The ids that the file gives belong to geofences with the same content.
        let text = """
            id,name,latitude,longitude,radius
            depot,Old store,1,2,100
            second,Old store,1,2,100
            ,Old store,1,2,100
            ,Depot,3,4,100
            ,Old store,5,6,100

            """
        let imported = try importCSV(text, .replace)
        #expect(imported.count == 5 && imported.unchanged == 1 && imported.refusals.isEmpty)
        #expect(try Set(stored.keys) == ["depot", "second"])
        #expect(try latitude("depot") == 3)
        #expect(try latitude("second") == 5)
    }

    @Test("With replace, a geofence is recognized after another one with the same name and content has changed")
    func replacesTwin() throws {
        let text = """
            id,name,latitude,longitude,radius
            alpha,Old store,1,2,100
            beta,Old store,1,2,100
            ,Old store,9,9,100
            ,Old store,1,2,100

            """
        #expect(try importCSV(text, .replace).unchanged == 1)
        #expect(try latitude("alpha") == 1)
        #expect(try latitude("beta") == 9)
    }

    @Test("With rename, geofences get free IDs, and a second import recognizes them")
    func renames() throws {
        _ = try importCSV(csv("Depot,1,2,100"))
        let text = csv("Depot,3,4,100", "Depot,5,6,100", "Depot 2,7,8,100", "Depot,1,2,100")
        let imported = try importCSV(text, .rename)
        #expect(imported.refusals.isEmpty && imported.count == 4 && imported.unchanged == 1 && imported.replaced == 0)
        #expect(imported.renamed.map(\.id) == ["depot-2", "depot-3", "depot-2-2"])
        #expect(imported.renamed.map(\.wanted) == ["depot", "depot", "depot-2"])
        #expect(try ["depot", "depot-2", "depot-3", "depot-2-2"].map(latitude) == [1, 3, 5, 7])
        let before = try stored
        for onConflict in GeofenceFile.ImportOptions.OnConflict.allCases {
            let again = try importCSV(text, onConflict)
            #expect(again.unchanged == 4 && again.refusals.isEmpty && again.renamed.isEmpty && again.replacements.isEmpty)
            #expect(try stored == before)
        }
    }

    @Test("An unchanged import changes nothing, not even the revision of the geofences")
    func unchanged() throws {
        let text = csv("Depot,1,2,100") + "Market,3,4,50\n"
        _ = try importCSV(text)
        let revision = try bench.revision()
        let again = try importCSV(text)
        #expect(again.count == 2 && again.unchanged == 2 && again.replaced == 0)
        #expect(try bench.revision() == revision)
    }

    @Test("A geofence with an ID replaces the one with the same ID")
    func given() throws {
        _ = try importCSV(csv("Depot,1,2,100"))
        let imported = try importCSV("id,name,latitude,longitude,radius\ndepot,Depot,3,4,100\n")
        #expect(imported.replaced == 1 && imported.refusals.isEmpty && imported.replacements.isEmpty)
        #expect(try latitude("depot") == 3)
    }

    @Test("Geofences without a usable name are numbered, and none is moved")
    func unnamed() throws {
        let text = csv(",1,2,100", ",3,4,100", "Fence,5,6,100")
        #expect(try importCSV(text, .rename).refusals.isEmpty)
        #expect(try ["fence", "fence-2", "fence-3"].map(latitude) == [1, 3, 5])
        let more = try importCSV(csv(",3,4,100", ",7,8,100"))
        #expect(more.count == 2 && more.unchanged == 1 && more.replaced == 0)
        #expect(try ["fence", "fence-2", "fence-3", "fence-4"].map(latitude) == [1, 3, 5, 7])
        // The answer has the id of each.
        #expect(
            more.notes == [
                .place(geofenceId: "fence-2", Coordinate(latitude: 3, longitude: 4)),
                .place(geofenceId: "fence-4", Coordinate(latitude: 7, longitude: 8)),
            ])
        let many = try importCSV(csv("A,1,2,1", "B,1,2,1", "C,1,2,1", "D,1,2,1", ",1.001,2,1", "E,1,2,1"))
        #expect(many.notes.map(\.code) == [.area, .place])
        #expect(many.notes.last == .place(geofenceId: "fence-5", Coordinate(latitude: 1.001, longitude: 2)))
    }

    // MARK: - Names

    private func circle(_ id: String, _ name: String, _ latitude: Double, _ longitude: Double, _ radius: Double = 100) -> Geofence
    {
        let center = Coordinate(latitude: latitude, longitude: longitude)
        return Geofence(id: id, name: name, shape: .circle(Circle(center: center, radius: radius)))
    }

    @Test(
        "A geofence is recognized by its name in every script, even with an ID of an earlier version", arguments: [true, false])
    func names(isFromEarlierVersion: Bool) throws {
        let rows = [
            "Дом,52.5163,13.3777,", "自宅,48.2083,16.3731,", "Σπίτι,38.0,23.7,", "Home,50.0,14.4,", "Küche,50.1,14.4,",
            "🏠,50.2,14.4,",
        ]
        func file(_ radius: Int) -> String {
            "name,lat,lon,radius\n" + rows.map { "\($0)\(radius)\n" }.joined()
        }
        var ids = ["dom", "u81ea-u5b85", "spiti", "home", "kuche", "fence"]
        if isFromEarlierVersion {
            ids = ["fence", "fence-2", "fence-3", "home", "k-che", "fence-4"]
            try bench.add(
                zip(ids, rows).map { id, row in
                    let fields = row.split(separator: ",").map(String.init)
                    return circle(id, fields[0], Double(fields[1])!, Double(fields[2])!)
                })
        } else {
            #expect(try importCSV(file(100)).count == 6)
        }
        #expect(try stored.keys.sorted() == ids.sorted())
        let again = try importCSV(file(100))
        #expect(again.unchanged == 6 && again.refusals.isEmpty)
        let refused = try importCSV(file(150))
        #expect(refused.count == 0 && refused.refusals.map(\.value) == ids)
        #expect(try stored.keys.sorted() == ids.sorted())
        let replaced = try importCSV(file(150), .replace)
        #expect(replaced.replaced == 6 && replaced.replacements.map(\.new.id) == ids && replaced.renamed.isEmpty)
        #expect(try stored.keys.sorted() == ids.sorted())
        #expect(try stored.values.allSatisfy { $0.shape.boundingBox.north - $0.shape.boundingBox.south > 0.0025 })
        let renamed = try importCSV(file(200), .rename)
        #expect(try renamed.count == 6 && stored.count == 12)
    }

    @Test("The name decides, regardless of the ID of the existing geofence")
    func chosenID() throws {
        try bench.add([
            circle("x-1", "Depot", 1, 2), circle("yard", "Hof", 3, 4), circle("z", "Ort", 5, 6), circle("y", "Ort", 5, 7),
        ])
        let refused = try importCSV(csv("Depot,1,2,150", "yard,3,4,100"))
        #expect(refused.count == 0 && refused.refusals.map(\.value) == ["x-1", "yard"])
        #expect(try importCSV(csv("Depot,1,2,100", "Ort,5,6,100")).unchanged == 2)
        let replaced = try importCSV(csv("Depot,1,2,150"), .replace)
        #expect(replaced.replacements.map(\.new.id) == ["x-1"])
        #expect(try stored.count == 4 && stored["x-1"]?.name == "Depot")
        // Of several with the name, the first one is meant.
        #expect(try importCSV(csv("Ort,8,8,100"), .replace).replacements.map(\.old.id) == ["y"])
        let renamed = try importCSV(csv("Depot,9,9,100"), .rename)
        #expect(
            renamed.renamed.isEmpty && renamed.notes.first == .place(geofenceId: "depot", Coordinate(latitude: 9, longitude: 9)))
    }

    @Test("Different names that give the same ID are different geofences")
    func sameID() throws {
        let long = String(repeating: "東", count: 20)
        let text = csv("Küche,1,2,100", "Kuche,3,4,100", "Дом,5,6,100", "Dom,7,8,100", "\(long)一,1,1,100", "\(long)二,1,3,100")
        let imported = try importCSV(text)
        #expect(imported.count == 6 && imported.refusals.isEmpty)
        #expect(imported.renamed.prefix(2).map(\.id) == ["kuche-2", "dom-2"] && imported.renamed.count == 3)
        for onConflict in GeofenceFile.ImportOptions.OnConflict.allCases {
            let again = try importCSV(text, onConflict)
            #expect(try again.unchanged == 6 && again.renamed.isEmpty && stored.count == 6)
        }
        let moved = try importCSV(csv("Dom,9,9,100"), .replace)
        #expect(try moved.replacements.map(\.new.id) == ["dom-2"] && latitude("dom") == 5)
    }

    @Test("Waypoints of several phones that differ only in their time are one geofence")
    func waypoints() throws {
        func file(_ time: Int, _ radius: Int = 80) -> String {
            #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"Büro","lat":48.21,"lon":16.38,"rad":"#
                + "\(radius),\"tst\":\(time)}]}"
        }
        _ = try importCSV(file(1_777_629_600))
        let revision = try bench.revision()
        for time in [1_777_629_600, 1_777_629_800, 5] {
            let again = try importCSV(file(time))
            #expect(again.unchanged == 1 && again.refusals.isEmpty && again.replaced == 0)
        }
        #expect(try bench.revision() == revision)
        #expect(try stored["buro"]?.properties == [.init("tst", .number("1777629600"))])
        #expect(try importCSV(file(7, 90)).refusals.count == 1)
    }

    // MARK: - Places

    private func addBerlin() throws {
        try bench.add((0..<8).map { circle("b-\($0)", "B \($0)", 52.5 + Double($0) / 100, 13.4) })
    }

    @Test("A geofence whose latitude and longitude are swapped is reported, with its distance")
    func swapped() throws {
        try addBerlin()
        let polygon = try importCSV("POLYGON ((13.36 52.51, 13.40 52.51, 13.40 52.53, 13.36 52.53, 13.36 52.51))")
        #expect(polygon.notes.map(\.code) == [.place, .swapped])
        guard case .swapped("fence", let place, let distance)? = polygon.notes.last else {
            Issue.record("\(polygon.notes)")
            return
        }
        #expect(place == Coordinate(latitude: 13.38, longitude: 52.52))
        // The oracle is the distance to the nearest center, less than 200 m from the edge of its box.
        let expected = (0..<8).map { Geodesic.distance(place, Coordinate(latitude: 52.5 + Double($0) / 100, longitude: 13.4)) }
            .min()!
        #expect(abs(distance - expected) < 200 && (5_500_000...5_700_000).contains(distance))
        #expect(polygon.notes[1].message.description.contains("5,600 km"))
    }

    @Test("Swapped geofences are reported, even if they are near each other, or some hundred kilometers from all others")
    func severalSwapped() throws {
        try addBerlin()
        let imported = try importCSV(
            csv("Isar,11.58,48.14,100", "Hof,13.38,52.52,100", "Tor,13.39,52.52,100", "Dom,52.52,13.4,100"))
        #expect(imported.notes.map(\.code) == [.place, .place, .place, .place, .swapped, .swapped, .swapped])
    }

    @Test("Within a file alone, the one whose place is swapped is reported")
    func swappedInFile() throws {
        let imported = try importCSV(csv("A,41.15,-8.61,100", "B,41.16,-8.62,100", "C,-8.6,41.15,100", "D,41.1,-8.6,100"))
        #expect(imported.notes.map(\.code) == [.place, .place, .place, .place, .swapped])
        guard case .swapped("c", _, _)? = imported.notes.last else {
            Issue.record("\(imported.notes)")
            return
        }
    }

    @Test("A geofence far from all others is reported; many far ones and large ones are not")
    func farAway() throws {
        try addBerlin()
        let far = try importCSV(csv("New York,40.71,-74.0,100", "München,48.14,11.58,100"))
        #expect(far.notes.map(\.code) == [.place, .place, .farAway])
        #expect(far.notes[2].message.description.contains("6,400 km"))
        let capitals = csv(
            "Tokyo,35.68,139.69,100", "Lima,-12.05,-77.04,100", "Nairobi,-1.29,36.82,100", "Sydney,-33.87,151.21,100",
            "Delhi,28.61,77.21,100", "Reykjavik,64.15,-21.94,100", "Honolulu,21.31,-157.86,100")
        let many = try importCSV(capitals)
        #expect(many.notes.map(\.code) == [.area])
        let pacific = """
            {"type":"Feature","properties":{"name":"Pacific"},"geometry":{"type":"Polygon","coordinates":
            [[[160,-60],[220,-60],[220,-30],[160,-30],[160,-60]]]}}
            """
        #expect(try importCSV(pacific).notes.map(\.code) == [.place])
        // Within the outline of another one, nothing is far.
        #expect(try importCSV(csv("Ship,-45,-170,100")).notes.map(\.code) == [.place])
    }

    @Test(
        "The area of many geofences is the smallest one around them, even across the antimeridian",
        arguments: [1, 2, 3] as [UInt64])
    func area(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for middle in [0.0, 179.9, -179.95, 13.4] {
            let places = (0..<9).map { _ in
                Coordinate(
                    latitude: Double.random(in: -2...2, using: &random),
                    longitude: Coordinate.wrapped(longitude: middle + Double.random(in: -1...1, using: &random)))
            }
            let rows = places.enumerated().map { "p\($0.offset),P,\($0.element.latitude),\($0.element.longitude),100\n" }.joined()
            let imported = try importCSV("id,name,latitude,longitude,radius\n" + rows)
            guard case .area(let box)? = imported.notes.first else {
                Issue.record("seed \(seed): \(imported.notes)")
                return
            }
            #expect(
                places.allSatisfy(box.contains) && box.east - box.west < 2.01 && box.north - box.south < 4.01,
                "seed \(seed): \(box)")
        }
    }

    @Test("A remark says that a file was read as Windows-1252, even in JSON")
    func encoding() throws {
        let bytes = "name;lat;lon;radius\nBüro;52,5;13,4;100\nCafé;48,2;16,4;1.500\n".unicodeScalars.map { UInt8($0.value) }
        let file = try GeofenceFile.decode(bytes, source: "places.csv")
        let imported = try GeofenceFile.importing(file, source: "places.csv", into: bench.service)
        #expect(imported.count == 2 && imported.remarks == [.readAsWindows1252])
        #expect(try Set(stored.values.map(\.name)) == ["Büro", "Café"])
        for language in Language.allCases {
            let json = imported.summary(ofFile: "places.csv", in: language)["remarks"]
            #expect(
                json == [
                    InputRemark.shape.encode(InputRemark(reason: .readAsWindows1252), in: AnswerLocale(language))
                ])
        }
        #expect(try importCSV(csv("Home,1,2,100")).json(in: .english)["remarks"] == nil)
    }

    @Test("A feed remarks that a file was read as Windows-1252, once for each file")
    func encodingOfFeed() throws {
        let rows = (0..<5000).map { "Jürgen;\(1_777_629_600 + $0);52,5;13,4\n" }.joined()
        let path = bench.directory.path + "/excel.csv"
        try Data(("device;time;lat;lon\n" + rows).unicodeScalars.map { UInt8($0.value) }).write(to: URL(filePath: path))
        let plain = try bench.directory.write("device,time,lat,lon\nJürgen,1777629600,52.5,13.4\n", to: "plain.csv")
        let fed = try bench.feed([path, plain])
        #expect(fed.summary.counts.accepted == 5000 && fed.summary.counts.duplicates == 1)
        #expect(fed.remarks == [.readAsWindows1252])
        #expect(try bench.feed([plain]).remarks.isEmpty)
    }

    // MARK: - Outlines

    @Test("An outline across the antimeridian is taken the short way, unless it is marked as written")
    func outlines() throws {
        func text(_ name: String, _ property: String = "") -> String {
            """
            {"type":"Feature","properties":{"name":"\(name)"\(property)},"geometry":{"type":"Polygon","coordinates":
            [[[179,1],[-179,1],[-179,2],[179,2],[179,1]]]}}
            """
        }
        let imported = try importCSV(text("Across"))
        #expect(
            imported.notes == [
                .shortWay(geofenceId: "across", west: 179, east: 181),
                .place(geofenceId: "across", Coordinate(latitude: 1.5, longitude: 180)),
            ])
        #expect(try stored["across"]?.shape.boundingBox.west == 179)
        let again = try importCSV(text("Across"))
        #expect(again.unchanged == 1 && again.notes == imported.notes)
        #expect(try importCSV(text("Marked", #","asWritten":true"#)).notes.map(\.code) == [.place])
        #expect(try stored["marked"]?.shape.hasWideEdge == true)
        #expect(try importCSV(text("Marked")).refusals.count == 1)
        let file = try GeofenceFile.decode(Array(text("Literal").utf8), source: "x")
        let literal = try GeofenceFile.importing(file, source: "x", into: bench.service, .init(asWritten: true))
        #expect(literal.notes.map(\.code) == [.place])
        #expect(try stored["literal"]?.shape == stored["marked"]?.shape)
        // A self-intersecting outline is repaired on the side of the earth where it is meant.
        let bow = text("Bow").replacing("[-179,1],[-179,2]", with: "[-179,2],[-179,1]")
        #expect(try importCSV(bow).refusals.count == 1)
        let file2 = try GeofenceFile.decode(Array(bow.utf8), source: "x")
        let repaired = try GeofenceFile.importing(file2, source: "x", into: bench.service, .init(repairs: true))
        #expect(repaired.repaired == 1 && repaired.notes.map(\.code) == [.shortWay, .place])
        #expect(try stored["bow"]?.shape.boundingBox == BoundingBox(south: 1, north: 2, west: 179, east: 181))
    }

    @Test("A file alone gets the IDs that an import with rename gives", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func alone(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let rows = (0..<40).map { number in
            let id =
                Int.random(in: 0..<6, using: &random) == 0
                ? ["depot-\(number)", "x-\(number)"].randomElement(using: &random)! : ""
            let name = ["Depot", "depot", "Depot 2", "日本", "", "X"].randomElement(using: &random)!
            return "\(id),\(name),\(Int.random(in: 1...4, using: &random)),1,\(Int.random(in: 1...2, using: &random))00"
        }
        let text = "id,name,latitude,longitude,radius\n" + rows.joined(separator: "\n") + "\n"
        let file = try GeofenceFile.decode(Array(text.utf8), source: "places.csv")
        let named = try GeofenceFile.geofences(of: file, context: GEOSContext()).geofences
        _ = try importCSV(text, .rename)
        #expect(try Dictionary(grouping: named, by: \.id) == stored.mapValues { [$0] }, "seed \(seed), \(text)")
    }

    /// Invariants of imports, checked with random files.
    @Test("In random histories, no place is lost without a report", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let options = GeofenceFile.ImportOptions.OnConflict.allCases
            let onConflict = options.randomElement(using: &random)!
            let rows = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                let id =
                    Int.random(in: 0..<4, using: &random) == 0 ? ["depot", "depot-2", "x"].randomElement(using: &random)! : ""
                let name = ["Depot", "depot", "Depot 2", "日本", "", "X"].randomElement(using: &random)!
                return "\(id),\(name),\(Int.random(in: 1...4, using: &random)),1,\(Int.random(in: 1...2, using: &random))00"
            }
            let text = "id,name,latitude,longitude,radius\n" + rows.joined(separator: "\n") + "\n"
            let before = try stored
            let imported = try importCSV(text, onConflict)
            let after = try stored
            let hint = Comment(rawValue: "\(onConflict), seed \(seed), \(text)")
            #expect(imported.count + imported.refusals.count == rows.count, hint)
            #expect(
                onConflict == .refuse || imported.refusals.allSatisfy { $0.reason.description.contains("the same id is also") },
                hint)
            // A geofence only changes if the file gives its id, or if the result reports its replacement.
            let given = Set(rows.compactMap { $0.split(separator: ",", omittingEmptySubsequences: false).first.map(String.init) })
            for (id, geofence) in before where after[id] != geofence {
                #expect(given.contains(id) || imported.replacements.contains { $0.old == geofence && $0.new.id == id }, hint)
            }
            // Every circle in the file is stored, unless it was refused or replaced.
            if onConflict == .rename, given == [""] {
                let shapes = Set(after.values.map(\.shape))
                for row in rows {
                    let fields = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                    let center = Coordinate(latitude: Double(fields[2])!, longitude: 1)
                    #expect(shapes.contains(.circle(Circle(center: center, radius: Double(fields[4])!))), hint)
                }
            }
            // Without replacements and explicit ids, importing the same file again changes nothing.
            if onConflict != .replace {
                let again = try importCSV(text, onConflict)
                #expect(again.refusals.map(\.line) == imported.refusals.map(\.line), hint)
                #expect(try stored == after, hint)
            }
        }
    }
}
