import Foundation
import Geodesy
import Geometry
import Ingest
import Model
import Service
import TestSupport
import Testing

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
        #expect(refusal.reason.description.contains("at the same place and differs in dwell, groups"), "\(refusal.reason)")
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
        let places = imported.replacements.map { [$0.old, $0.new].map { Format.place($0.shape) } }
        #expect(
            places == [["100 m around 1.0, 2.0", "150 m around 3.0, 4.0"], ["150 m around 3.0, 4.0", "90 m around 7.0, 8.0"]])
        #expect(try latitude("depot") == 7)
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
        let text = csv("日本,1,2,100", "中国,3,4,100", ",5,6,100")
        #expect(try importCSV(text).refusals.isEmpty)
        #expect(try ["fence", "fence-2", "fence-3"].map(latitude) == [1, 3, 5])
        let more = try importCSV(csv("中国,3,4,100", ",7,8,100"))
        #expect(more.count == 2 && more.unchanged == 1 && more.replaced == 0)
        #expect(try ["fence", "fence-2", "fence-3", "fence-4"].map(latitude) == [1, 3, 5, 7])
    }

    @Test("An outline across the antimeridian is taken the short way, unless it is marked as written")
    func outlines() throws {
        func text(_ name: String, _ property: String = "") -> String {
            """
            {"type":"Feature","properties":{"name":"\(name)"\(property)},"geometry":{"type":"Polygon","coordinates":
            [[[179,1],[-179,1],[-179,2],[179,2],[179,1]]]}}
            """
        }
        let imported = try importCSV(text("Across"))
        #expect(imported.notes == [GeofenceNote(.shortWay, geofenceId: "across", west: 179, east: 181)])
        #expect(try stored["across"]?.shape.boundingBox.west == 179)
        let again = try importCSV(text("Across"))
        #expect(again.unchanged == 1 && again.notes.count == 1)
        #expect(try importCSV(text("Marked", #","asWritten":true"#)).notes.isEmpty)
        #expect(try stored["marked"]?.shape.hasWideEdge == true)
        #expect(try importCSV(text("Marked")).refusals.count == 1)
        let file = try GeofenceFile.decode(Array(text("Literal").utf8), source: "x")
        let literal = try GeofenceFile.importing(file, source: "x", into: bench.service, .init(asWritten: true))
        #expect(literal.notes.isEmpty)
        #expect(try stored["literal"]?.shape == stored["marked"]?.shape)
        // A self-intersecting outline is repaired on the side of the earth where it is meant.
        let bow = text("Bow").replacing("[-179,1],[-179,2]", with: "[-179,2],[-179,1]")
        #expect(try importCSV(bow).refusals.count == 1)
        let file2 = try GeofenceFile.decode(Array(bow.utf8), source: "x")
        let mended = try GeofenceFile.importing(file2, source: "x", into: bench.service, .init(mends: true))
        #expect(mended.repaired == 1 && mended.notes.map(\.code) == [.shortWay])
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
