import Foundation
import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("Polygons")
struct PolygonAreaTests {
    private let context = GEOSContext()

    private func area(_ polygons: [Polygon]) throws -> PolygonArea { try PolygonArea(polygons, context: context) }

    private func ring(_ numbers: [(Double, Double)]) -> [Coordinate] {
        numbers.map { Coordinate(latitude: $0.1, longitude: $0.0) }
    }

    /// Whether a ray to the east crosses the rings an odd number of times.
    private func isInside(_ place: Coordinate, _ rings: [[Coordinate]]) -> Bool {
        var inside = false
        for ring in rings {
            for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1))
            where (a.latitude > place.latitude) != (b.latitude > place.latitude) {
                let share = (place.latitude - a.latitude) / (b.latitude - a.latitude)
                if place.longitude < a.longitude + share * (b.longitude - a.longitude) { inside.toggle() }
            }
        }
        return inside
    }

    /// A star-shaped ring that never crosses itself.
    private func star(_ center: Coordinate, _ size: Double, _ corners: Int, _ random: inout SeededRandom) -> [Coordinate] {
        (0..<corners).map { corner in
            let angle = 2 * Double.pi * Double(corner) / Double(corners)
            let radius = size * Double.random(in: 0.4...1, using: &random)
            return Coordinate(
                latitude: center.latitude + radius * sin(angle), longitude: center.longitude + radius * cos(angle))
        }
    }

    @Test("A quick decision agrees with GEOS and the geodesic", arguments: Histories.seeds(1...8))
    func clearance(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var sure = 0
        for _ in 0..<30 {
            let size = [0.0005, 0.01, 1, 8].randomElement(using: &random)!
            let center = Coordinate(
                latitude: [0, 52.5, -81.9, 81.9].randomElement(using: &random)!,
                longitude: [0, 179.9, -179.99, 120].randomElement(using: &random)!)
            let shape = Polygon(
                exterior: star(center, size, .random(in: 3...60, using: &random), &random),
                holes: Bool.random(using: &random) ? [star(center, size * 0.3, 8, &random)] : [])
            let area = try area([shape])
            for _ in 0..<60 {
                let spread = size * [1, 1.5, 6].randomElement(using: &random)!
                let place = Coordinate(
                    latitude: max(-90, min(90, center.latitude + .random(in: -spread...spread, using: &random))),
                    longitude: Coordinate.wrapped(
                        longitude: center.longitude + .random(in: -spread...spread, using: &random)))
                let reach = Geodesic.distance(place, center) + size * 1.5 * 111_700
                guard let clear = area.clearance(place, reach: reach) else { continue }
                sure += 1
                #expect(clear.covers == area.covers(place), "seed \(seed), \(place)")
                #expect(clear.atLeast <= area.distanceToBoundary(place), "seed \(seed), \(place)")
            }
        }
        #expect(sure > 1000, "sure of too little, seed \(seed)")
    }

    @Test("A polygon covers what ray casting says it covers", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func coverage(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let center = Coordinate(
                latitude: .random(in: -60...60, using: &random), longitude: .random(in: -170...170, using: &random))
            let shape = Polygon(
                exterior: star(center, 1, .random(in: 3...40, using: &random), &random),
                holes: [star(center, 0.3, .random(in: 3...12, using: &random), &random)])
            let area = try area([shape])
            for _ in 0..<200 {
                let place = Coordinate(
                    latitude: center.latitude + .random(in: -1.2...1.2, using: &random),
                    longitude: center.longitude + .random(in: -1.2...1.2, using: &random))
                #expect(area.covers(place) == isInside(place, shape.rings), "\(place), seed \(seed)")
            }
        }
    }

    @Test("The boundary counts as inside, and the inside of a hole counts as outside")
    func boundary() throws {
        let shape = Polygon(
            exterior: ring([(0, 0), (4, 0), (4, 4), (0, 4)]), holes: [ring([(1, 1), (3, 1), (3, 3), (1, 3)])])
        let area = try area([shape])
        for (longitude, latitude, covered) in [
            (0.0, 0.0, true), (2, 0, true), (4, 4, true), (1, 2, true), (2, 2, false), (0.5, 0.5, true), (4.000001, 2, false),
        ] {
            #expect(area.covers(Coordinate(latitude: latitude, longitude: longitude)) == covered, "\(longitude), \(latitude)")
        }
    }

    @Test("A polygon across the antimeridian covers the same places in every spelling")
    func antimeridian() throws {
        let past = try area([Polygon(exterior: ring([(179, -17), (181, -17), (181, -16), (179, -16)]))])
        let before = try area([Polygon(exterior: ring([(-181, -17), (-179, -17), (-179, -16), (-181, -16)]))])
        let split = try area([
            Polygon(exterior: ring([(179, -17), (180, -17), (180, -16), (179, -16)])),
            Polygon(exterior: ring([(-180, -17), (-179, -17), (-179, -16), (-180, -16)])),
        ])
        for (longitude, latitude) in [
            (179.5, -16.5), (-179.5, -16.5), (180, -16.5), (-180, -16.5), (178.9, -16.5), (-178.9, -16.5), (179.5, -17.1),
        ] {
            let place = Coordinate(latitude: latitude, longitude: longitude)
            #expect(past.covers(place) == split.covers(place), "\(place)")
            #expect(before.covers(place) == split.covers(place), "\(place)")
            #expect(abs(past.distanceToBoundary(place) - split.distanceToBoundary(place)) < 1e-6, "\(place)")
            #expect(abs(before.distanceToBoundary(place) - split.distanceToBoundary(place)) < 1e-6, "\(place)")
        }
        #expect(split.covers(Coordinate(latitude: -16.5, longitude: 180)))
        // The seam is not a boundary: the nearest edge is half a degree away.
        #expect(split.distanceToBoundary(Coordinate(latitude: -16.5, longitude: 180)) > 50_000)
        #expect(abs(past.squareMeters - split.squareMeters) < 1)
    }

    @Test("A polygon knows the distance to its nearest edge", arguments: [1, 2, 3, 4] as [UInt64])
    func distance(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<12 {
            let size = pow(10, Double.random(in: -3...1, using: &random))
            let center = Coordinate(
                latitude: .random(in: -70...70, using: &random), longitude: .random(in: -160...160, using: &random))
            let ring = star(center, size, .random(in: 3...20, using: &random), &random)
            let area = try area([Polygon(exterior: ring)])
            let place = Coordinate(
                latitude: center.latitude + size * .random(in: -1.5...1.5, using: &random),
                longitude: center.longitude + size * .random(in: -1.5...1.5, using: &random))
            // Brute force: the geodesics to points along each edge, refined around the shortest.
            var best = Double.infinity
            for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                var from = 0.0
                var to = 1.0
                for _ in 0..<6 {
                    let shares = (0...200).map { from + (to - from) * Double($0) / 200 }
                    let distances = shares.map { share in
                        Geodesic.distance(
                            place,
                            Coordinate(
                                latitude: a.latitude + (b.latitude - a.latitude) * share,
                                longitude: a.longitude + (b.longitude - a.longitude) * share))
                    }
                    let least = distances.indices.min { distances[$0] < distances[$1] }!
                    best = min(best, distances[least])
                    from = shares[max(0, least - 1)]
                    to = shares[min(200, least + 1)]
                }
            }
            let found = area.distanceToBoundary(place)
            #expect(abs(found - best) < 0.001, "found \(found), brute force \(best), at \(place), seed \(seed)")
        }
    }

    @Test("A polygon that crosses itself has a flaw, named with the place")
    func crossing() throws {
        let bowTie = Polygon(exterior: ring([(0, 0), (2, 2), (2, 0), (0, 2)]))
        let flaw = try #require(PolygonArea.flaw([bowTie], context: context))
        #expect(flaw.reason == "Self-intersection")
        #expect(flaw.place == Coordinate(latitude: 1, longitude: 1))
        #expect(PolygonArea.flaw([Polygon(exterior: ring([(0, 0), (2, 0), (2, 2)]))], context: context) == nil)
    }

    @Test("A polygon has the area of the part of the earth that it covers")
    func size() throws {
        // A quarter of the earth, between the equator and the north pole. The surface of WGS 84 is 510,065,621.724 km² (NGA).
        let quarter = try area([Polygon(exterior: ring([(0, 0), (180, 0), (180, 90), (0, 90)]))])
        #expect(abs(quarter.squareMeters / (510_065_621_724_088.4 / 4) - 1) < 1e-9)
    }

    @Test("A path crosses a polygon where it meets the edges")
    func crossings() throws {
        let area = try area([
            Polygon(exterior: ring([(0, 0), (4, 0), (4, 4), (0, 4)]), holes: [ring([(1, 1), (3, 1), (3, 3), (1, 3)])])
        ])
        let shares = area.crossings(from: Coordinate(latitude: 2, longitude: -1), to: Coordinate(latitude: 2, longitude: 5))
        #expect(shares.map { ($0 * 6).rounded() } == [1, 2, 4, 5])
    }
}
