import CGEOS
import Geodesy
import Ingest
import Model
import Places
import TestSupport
import Testing

@testable import Geometry

@Suite("Well-known text, compared with GEOS")
struct WellKnownTextOracleTests {
    /// The polygons that GEOS reads; nil if it refuses the text.
    private static func polygons(_ text: String, _ context: GEOSContext) -> [Polygon]? {
        let reader = GEOSWKTReader_create_r(context.handle)
        defer { GEOSWKTReader_destroy_r(context.handle, reader) }
        guard
            let geometry = try? GEOSGeometry(GEOSWKTReader_read_r(context.handle, reader, text), in: context)
        else { return nil }
        return geometry.parts().map { rings in
            let rings = rings.map { ring in ring.map { Coordinate(latitude: $0.y, longitude: $0.x) } }
            return Polygon(exterior: rings[0], holes: Array(rings.dropFirst()))
        }
    }

    /// A random polygon or multipolygon of closed rings, written in one of the forms that both read.
    private static func text(_ random: inout SeededRandom) -> String {
        func number(_ range: ClosedRange<Double>) -> String {
            let value = Double.random(in: range, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return "\(Int(value))"
            case 1: return "\(value)e0"
            default: return "\(value)"
            }
        }
        let hasHeights = Bool.random(using: &random)
        func space() -> String { ["", " ", "\n", " \t"].randomElement(using: &random)! }
        func position() -> String {
            let height = hasHeights ? " " + number(-100...9_000) : ""
            return "\(space())\(number(-180...180)) \(number(-90...90))\(height)\(space())"
        }
        func ring() -> String {
            let corners = (0..<Int.random(in: 3...7, using: &random)).map { _ in position() }
            return "(" + (corners + [corners[0]]).joined(separator: ",") + ")"
        }
        func polygon() -> String {
            "(" + (0..<Int.random(in: 1...3, using: &random)).map { _ in ring() }.joined(separator: "," + space()) + ")"
        }
        let tag = hasHeights ? " Z " : space()
        if Bool.random(using: &random) { return ["POLYGON", "Polygon"].randomElement(using: &random)! + tag + polygon() }
        return "MULTIPOLYGON" + tag + "("
            + (0..<Int.random(in: 1...3, using: &random)).map { _ in polygon() }.joined(separator: ",") + ")"
    }

    @Test("Random outlines have the same corners", arguments: Histories.seeds(1...20))
    func outlines(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let context = GEOSContext()
        for _ in 0..<100 {
            let text = Self.text(&random)
            // In a table, the order of the coordinates is beyond doubt.
            let file = try GeofenceFile.decode(Array("name,wkt\nA,\"\(text)\"\n".utf8), source: "x.csv")
            guard case .polygons(let polygons)? = file.entries.first?.geofence.shape else {
                Issue.record("seed \(seed): \(text): \(file.refusals)")
                continue
            }
            #expect(polygons == Self.polygons(text, context), "seed \(seed): \(text)")
        }
    }
}
