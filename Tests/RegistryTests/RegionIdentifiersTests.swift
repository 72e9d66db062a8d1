import Model
import Testing

@testable import Registry

@Suite("The region identifiers of an app")
struct RegionIdentifiersTests {
    private func made(
        _ prefix: String?, _ assigned: [(String, String)] = [], longest: Int? = nil
    ) throws(Problem) -> RegionIdentifiers {
        try RegionIdentifiers(prefix: prefix, assigned: assigned.map { ($0.0, $0.1) }, longest: longest)
    }

    @Test("Are Picket's own if the app says nothing about them")
    func own() throws {
        #expect(try made(nil) == .picket)
        for text in ["picket/home", "picket/#sentinel", "picket/gone/with spaces", "com.other/x", ""] {
            #expect(RegionIdentifiers.picket.region(of: text) == RegionID(text))
            #expect(RegionIdentifiers.picket.identifier(of: RegionID(text)) == text)
        }
    }

    @Test("With a prefix belong to the geofence whose id follows it")
    func prefixed() throws {
        let names = try made("com.example.fence.")
        #expect(names.region(of: "com.example.fence.home") == RegionID(geofence: "home"))
        #expect(names.identifier(of: RegionID(geofence: "home")) == "com.example.fence.home")
        #expect(names.region(of: "com.example.fence.#sentinel") == .sentinel)
        #expect(names.identifier(of: .sentinel) == "com.example.fence.#sentinel")
        // A region that begins as Picket's do is the app's own business now.
        let foreign = names.region(of: "picket/home")
        #expect(!foreign.isOurs && foreign.geofence == nil)
        #expect(names.identifier(of: foreign) == "picket/home")
        #expect(names.region(of: "com.other/x") == RegionID("com.other/x"))
    }

    @Test("Of single geofences come before the prefix, and a geofence has only one")
    func assigned() throws {
        let names = try made("app/", [("home", "HOME-1"), ("#sentinel", "guard")])
        #expect(names.region(of: "HOME-1") == RegionID(geofence: "home"))
        #expect(names.identifier(of: RegionID(geofence: "home")) == "HOME-1")
        #expect(names.region(of: "guard") == .sentinel && names.identifier(of: .sentinel) == "guard")
        #expect(names.identifier(of: RegionID(geofence: "work")) == "app/work")
        #expect(!names.region(of: "app/home").isOurs)
        #expect(names.identifier(of: names.region(of: "app/home")) == "app/home")
    }

    @Test("Are each translated to a region and back without a loss")
    func inverse() throws {
        let names = try made("p-", [("a", "1"), ("b", "2"), ("c", "p-c")])
        for id in ["a", "b", "c", "d", "x.y_z-1", "#sentinel"] {
            let region = RegionID(geofence: id)
            #expect(names.region(of: names.identifier(of: region)) == region)
        }
        for text in ["1", "2", "3", "p-a", "p-c", "p-d", "picket/a", "picket/", "p-", "p", "é"] {
            #expect(names.identifier(of: names.region(of: text)) == text)
        }
    }

    @Test(
        "Are refused by the name of the field when they are empty, too long, not printable, or not of one geofence alone",
        arguments: [
            ("", [], "identifierPrefix"), (String(repeating: "p", count: 37), [], "identifierPrefix"),
            ("a\n", [], "identifierPrefix"),
            ("p", [("home", "")], "identifiers.home"),
            ("p", [("home", String(repeating: "x", count: 101))], "identifiers.home"),
            ("p", [("home", "a\u{7}b")], "identifiers.home"),
            ("p", [("home", "x"), ("work", "x")], "identifiers.work"),
            // The prefix gives this identifier to the geofence "work".
            ("p/", [("home", "p/work")], "identifiers.home"), ("p/", [("home", "p/#sentinel")], "identifiers.home"),
            ("p", [("no id", "x")], "identifiers"), ("p", [("", "x")], "identifiers"), ("p", [("#other", "x")], "identifiers"),
        ] as [(String, [(String, String)], String)])
    func refused(_ prefix: String, _ assigned: [(String, String)], _ field: String) {
        do {
            _ = try made(prefix, assigned, longest: 100)
            Issue.record("\(prefix) and \(assigned) were accepted")
        } catch {
            #expect(error.parameters["field"]?.string == field)
        }
    }

    @Test("May be as long as the platform allows, and exchange their places")
    func accepted() throws {
        _ = try made(String(repeating: "p", count: 36), [("home", String(repeating: "x", count: 100))], longest: 100)
        _ = try made(String(repeating: "p", count: 136), [("home", String(repeating: "x", count: 200))])
        let names = try made("p/", [("home", "p/work"), ("work", "p/home")])
        #expect(names.region(of: "p/work") == RegionID(geofence: "home"))
    }
}
