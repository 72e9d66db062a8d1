import Foundation
import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("Overlaps")
struct OverlapTests {
    private let finder = OverlapFinder(context: GEOSContext())
    private let berlin = Coordinate(latitude: 52.5163, longitude: 13.3777)

    private func circle(_ center: Coordinate, _ radius: Double) -> Shape { .circle(Circle(center: center, radius: radius)) }

    /// The shared area of two circles in a plane.
    private func lens(_ r: Double, _ s: Double, _ d: Double) -> Double {
        if d >= r + s { return 0 }
        if d <= abs(r - s) { return .pi * min(r, s) * min(r, s) }
        let a = acos((d * d + r * r - s * s) / (2 * d * r))
        let b = acos((d * d + s * s - r * r) / (2 * d * s))
        return r * r * (a - sin(2 * a) / 2) + s * s * (b - sin(2 * b) / 2)
    }

    @Test("The overlap of two circles is their lens, within 0.1 % of the smaller circle", arguments: [1, 2, 3] as [UInt64])
    func lenses(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            let r = pow(10, Double.random(in: 0...5, using: &random))
            let s = pow(10, Double.random(in: 0...5, using: &random))
            let d = Double.random(in: 0...1.1, using: &random) * (r + s)
            let a = Coordinate(
                latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            let b = Geodesic.direct(a, azimuth: .random(in: 0...360, using: &random), distance: d)
            let overlap = try finder.overlap(circle(a, r), circle(b, s))
            let smaller = Double.pi * min(r, s) * min(r, s)
            #expect(
                abs(overlap.sharedArea - lens(r, s, d)) <= smaller / 1000,
                "\(r) m at \(a), \(s) m at \(d) m from it, seed \(seed)")
        }
    }

    @Test(
        "The relation of two circles changes within two millimeters",
        arguments: [
            (100.0, 100.0, 200.002, Overlap.Relation.disjoint), (100, 100, 200.0005, .touches), (100, 100, 199.9995, .touches),
            (100, 100, 199.998, .overlaps), (100, 40, 59.999, .contains), (100, 40, 60.002, .overlaps),
            (40, 100, 59.999, .within),
            (100, 100, 0, .equals), (100, 100.0005, 0.0002, .equals), (100, 99.99, 0, .contains),
            (50_000, 50_000, 100_000.002, .disjoint), (50_000, 50_000, 99_999.998, .overlaps),
        ])
    func relations(_ a: Double, _ b: Double, _ distance: Double, _ expected: Overlap.Relation) throws {
        for azimuth in [0.0, 90, 213] {
            let other = Geodesic.direct(berlin, azimuth: azimuth, distance: distance)
            #expect(try finder.overlap(circle(berlin, a), circle(other, b)).relation == expected)
        }
    }

    private func square(_ west: Double, _ south: Double, _ size: Double) -> Shape {
        .polygons([
            Polygon(
                exterior: [(0, 0), (1, 0), (1, 1), (0, 1)].map {
                    Coordinate(latitude: south + size * $0.1, longitude: west + size * $0.0)
                })
        ])
    }

    @Test("The relation of two polygons follows from their edges")
    func polygons() throws {
        #expect(try finder.overlap(square(0, 0, 1), square(1, 0, 1)).relation == .touches)
        #expect(try finder.overlap(square(0, 0, 1), square(2, 0, 1)).relation == .disjoint)
        #expect(try finder.overlap(square(0, 0, 1), square(0, 0, 1)).relation == .equals)
        #expect(try finder.overlap(square(0, 0, 4), square(1, 1, 1)).relation == .contains)
        #expect(try finder.overlap(square(1, 1, 1), square(0, 0, 4)).relation == .within)
        let half = try finder.overlap(square(0, 0, 1), square(0.5, 0, 1))
        #expect(half.relation == .overlaps)
        #expect(abs(half.shareOfA - 0.5) < 1e-6)
        // One of the areas is written a turn further east.
        #expect(try finder.overlap(square(179.5, 0, 1), square(-180, 0, 0.25)).relation == .contains)
    }

    @Test("The relation of a circle and a polygon follows from the distance of the center to the edges")
    func mixed() throws {
        let middle = Coordinate(latitude: 0.5, longitude: 0.5)
        let field = square(0, 0, 1)
        #expect(try finder.overlap(circle(middle, 1000), field).relation == .within)
        #expect(try finder.overlap(field, circle(middle, 1000)).relation == .contains)
        #expect(try finder.overlap(circle(middle, 100_000), field).relation == .contains)
        #expect(try finder.overlap(circle(middle, 60_000), field).relation == .overlaps)
        let west = Coordinate(latitude: 0.5, longitude: -1)
        let gap = Geodesic.distance(west, Coordinate(latitude: 0.5, longitude: 0))
        #expect(try finder.overlap(circle(west, gap - 10), field).relation == .disjoint)
        #expect(try finder.overlap(circle(west, gap + 10), field).relation == .overlaps)
        let inner = try finder.overlap(circle(middle, 1000), field)
        #expect(abs(inner.sharedArea - Double.pi * 1e6) < Double.pi * 1e3)
    }
}
