import Foundation
import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("Circles")
struct CircleDeciderTests {
    private let decider = CircleDecider(context: GEOSContext())

    private static let centers: [Coordinate] = [
        .init(latitude: 52.5163, longitude: 13.3777), .init(latitude: 0, longitude: 0),
        .init(latitude: -16.5, longitude: 179.9999),
        .init(latitude: 45, longitude: -180), .init(latitude: 90, longitude: 0), .init(latitude: -89.9999, longitude: 77),
        .init(latitude: 71.3, longitude: -156.8),
    ]
    private static let radii = [1.0, 25, 100, 500, 1000, 10_000, 100_000, 1_000_000]

    @Test("Inside and outside are exact to one millimeter, in every direction", arguments: centers, radii)
    func boundary(center: Coordinate, radius: Double) {
        for azimuth in stride(from: 0.0, to: 360, by: 22.5) {
            for step in [0.001, 0.01] {
                let inner = Geodesic.direct(center, azimuth: azimuth, distance: radius - step)
                let outer = Geodesic.direct(center, azimuth: azimuth, distance: radius + step)
                #expect(decider.isWithin(radius, center: center, inner), "\(step) m inside at \(azimuth)°")
                #expect(!decider.isWithin(radius, center: center, outer), "\(step) m outside at \(azimuth)°")
            }
        }
    }

    @Test("The fast filter, GEOS and the geodesic agree about every place", arguments: [1, 2, 3, 4] as [UInt64])
    func agreement(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var open = 0
        for _ in 0..<5000 {
            let center = Coordinate(
                latitude: [Double.random(in: -90...90, using: &random), 90, -89.99999, 0].randomElement(using: &random)!,
                longitude: [Double.random(in: -180...180, using: &random), 180, -180].randomElement(using: &random)!)
            let radius = pow(10, Double.random(in: 0...6, using: &random))
            let offset =
                [0, 0.001, 0.01, 1, radius * 0.3].randomElement(using: &random)! * Double.random(in: -1...1, using: &random)
            let place = Geodesic.direct(center, azimuth: .random(in: 0...360, using: &random), distance: max(0, radius + offset))
            let distance = Geodesic.distance(center, place)
            let settled = DistanceBounds(EarthVector(center), EarthVector(place)).isWithin(radius)
            if settled == nil { open += 1 }
            // Within 0.01 µm of the boundary, rounding decides.
            if abs(distance - radius) < 1e-8 { continue }
            #expect(decider.isWithinByGEOS(radius, center: center, place) == (distance <= radius), "GEOS, \(place), seed \(seed)")
            if let settled { #expect(settled == (distance <= radius), "bounds, \(place), seed \(seed)") }
        }
        #expect(open > 50, "too few cases came to GEOS to mean anything")
    }

    @Test(
        "The decisions agree with 1,500 reference pairs",
        .enabled(if: SharedData.isAvailable(for: "reference pairs of circle and place")))
    func reference() throws {
        let rows = try String(contentsOf: SharedData.file("geodesic/circle_pairs.csv"), encoding: .utf8).split(separator: "\n")
        #expect(rows.count == 1501)
        for row in rows.dropFirst() {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false)
            let n = cells.prefix(6).compactMap { Double($0) }
            let inside = decider.isWithin(
                n[2], center: Coordinate(latitude: n[0], longitude: n[1]), Coordinate(latitude: n[3], longitude: n[4]))
            #expect(inside == (cells[6] == "true"), "\(row)")
        }
    }
}
