import Foundation
import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("Bounding boxes")
struct BoundingBoxTests {
    @Test("The bounding box of a circle contains the whole circle", arguments: [1, 2, 3] as [UInt64])
    func circles(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let center = Coordinate(
                latitude: [Double.random(in: -90...90, using: &random), 89.99, -89.5, 90].randomElement(using: &random)!,
                longitude: .random(in: -180...180, using: &random))
            let radius = pow(10, Double.random(in: 0...6.3, using: &random))
            let box = BoundingBox(Circle(center: center, radius: radius))
            for azimuth in stride(from: 0.0, to: 360, by: 7.5) {
                let place = Geodesic.direct(center, azimuth: azimuth, distance: radius)
                #expect(box.contains(place), "\(place) of \(radius) m around \(center), seed \(seed)")
            }
        }
    }
}

extension BoundingBoxTests {
    @Test(
        "Two boxes intersect when they share a longitude, even if they are written a full turn apart",
        arguments: [4, 5] as [UInt64])
    func turns(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            func box() -> BoundingBox {
                let west = Double.random(in: -360...360, using: &random)
                return BoundingBox(south: 0, north: 1, west: west, east: west + .random(in: 0...360, using: &random))
            }
            let (a, b) = (box(), box())
            // Two boxes overlap if the western edge of one lies in the other.
            func holds(_ box: BoundingBox, _ longitude: Double) -> Bool {
                let way = (longitude - box.west).truncatingRemainder(dividingBy: 360)
                return (way < 0 ? way + 360 : way) <= box.east - box.west
            }
            #expect(a.intersects(b) == (holds(a, b.west) || holds(b, a.west)), "\(a) \(b), seed \(seed)")
        }
    }
}

@Suite("Longitudes")
struct LongitudeTests {
    @Test(
        "A longitude is wrapped into ±180°",
        arguments: [(0.0, 0.0), (180, 180), (-180, -180), (181, -179), (-181, 179), (360, 0), (270, -90), (359.5, -0.5)])
    func wrapped(_ longitude: Double, _ expected: Double) {
        #expect(Coordinate.wrapped(longitude: longitude) == expected)
    }
}
