import Core
import Foundation
import Geodesy
import Geometry
import Model
import ServiceTestSupport
import TestSupport
import Testing

@testable import Places

@Suite("Repair of outlines")
struct OutlineRepairTests {
    /// A star whose edges cross each other `corners * (corners / 2 - 1)` times.
    private func star(_ corners: Int, _ id: String) -> String {
        let places = (0...corners).map { index in
            let angle = 2 * Double.pi * Double(index * (corners / 2) % corners) / Double(corners)
            return "[\(13 + cos(angle) / 10),\(52 + sin(angle) / 10)]"
        }
        return
            #"{"type":"Feature","id":"\#(id)","properties":{},"geometry":{"type":"Polygon","coordinates":[[\#(places.joined(separator: ","))]]}}"#
    }

    private func importing(
        _ features: String..., into service: ServiceWriter, until end: ContinuousClock.Instant
    ) throws -> GeofenceFile.Imported {
        let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
        let file = try GeofenceFile.decode(Array(text.utf8), source: "x")
        let plan = try GeofenceImportPlan(file, source: "x", into: service, .init(repairs: true), repairingUntil: end)
        return try GeofenceFile.importing(plan, into: service)
    }

    @Test("An outline that would take too long to repair is refused with the limits, and others are taken")
    func tooComplicated() throws {
        let bench = try Workbench()
        let imported = try importing(
            star(151, "many"), star(11, "few"), into: bench.service, until: .now + .seconds(1000))
        #expect(imported.count == 1 && imported.repaired == 1)
        let refusal = try #require(imported.refusals.first)
        #expect(refusal.field == "geofence 'many': geometry" && imported.refusals.count == 1)
        #expect(
            refusal.reason.description.hasSuffix(
                "an outline with at most 2,000 corners that crosses itself at most 1,000 times, so that it can be fixed"))
    }

    @Test("When the time for repairs is over, outlines that cross themselves are refused, and others are taken")
    func late() throws {
        let bench = try Workbench()
        let square =
            #"{"type":"Feature","id":"square","properties":{},"geometry":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]}}"#
        let imported = try importing(star(5, "star"), square, into: bench.service, until: .now)
        #expect(imported.count == 1 && imported.repaired == 0)
        #expect(
            imported.refusals.first?.reason.description.hasPrefix(
                "its outline crosses or touches itself, and fixing the outlines before it took more than 10 seconds") == true)
    }

    @Test("When the time for checking is over, polygons are refused, and circles are taken")
    func lateCheck() throws {
        let bench = try Workbench()
        let text = """
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":"square","properties":{},
            "geometry":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,1]]]}},
            {"type":"Feature","id":"circle","properties":{"radius":100},"geometry":{"type":"Point","coordinates":[1,1]}}]}
            """
        let plan = try GeofenceImportPlan(
            try GeofenceFile.decode(Array(text.utf8), source: "x"), source: "x", into: bench.service, .init(),
            checkingUntil: .now)
        let imported = try GeofenceFile.importing(plan, into: bench.service)
        #expect(imported.count == 1 && imported.refusals.map(\.field) == ["geofence 'square': geometry"])
        #expect(
            imported.refusals.first?.reason.description
                == "checking the outlines before it took more than 30 seconds; expected fewer outlines in one file")
    }

    @Test("An outline that goes back and forth too often to be checked is refused, and a long coast is not")
    func intricate() throws {
        // A saw whose teeth lean over all others.
        let saw: Ring = (0..<20_000).map { number in
            (number % 2 == 0 ? 0 : 10, Double(number) / 10_000)
        }
        let context = GEOSContext()
        #expect(PolygonArea.flaw([polygon(saw)], context: context)?.reason == PolygonArea.tooIntricate)
        #expect(context.outlineChecks == 0)
        var random = SeededRandom(seed: 5)
        let coast: Ring = (0..<300_000).map { number in
            let angle = Double(number) / 300_000 * 2 * .pi
            let distance = 5 + sin(angle * 300) + .random(in: 0...0.00001, using: &random)
            return (distance * cos(angle), distance * sin(angle))
        }
        #expect(PolygonArea.flaw([polygon(coast)], context: context) == nil)
    }

    private typealias Ring = [(Double, Double)]

    private func polygon(_ ring: Ring) -> Polygon {
        Polygon(exterior: ring.map { Coordinate(latitude: $0.1, longitude: $0.0) })
    }

    @Test("Edges that overlap count as crossings, and neighbors do not")
    func overlaps() {
        let square = polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
        // Each side of one overlaps the same side of each other, so 24 squares make 4 * 24 * 23 / 2 = 1104 crossings.
        #expect(PolygonArea.isRepairable(Array(repeating: square, count: 22)))
        #expect(!PolygonArea.isRepairable(Array(repeating: square, count: 24)))
        let round: Ring = (0..<2000).map { number -> (Double, Double) in
            let angle = Double(number) * .pi / 1000
            return (cos(angle), sin(angle))
        }
        let circle = polygon(round)
        #expect(PolygonArea.isRepairable([circle]) && !PolygonArea.isRepairable([circle, square]))
        // A crossing of crossings: seven lines through one place.
        let spikes: Ring = (0..<7).flatMap { number -> Ring in
            let (x, y) = (cos(Double(number)), sin(Double(number)))
            return [(x, y), (-x, -y)]
        }
        #expect(PolygonArea.isRepairable([polygon(spikes)]))
    }
}
