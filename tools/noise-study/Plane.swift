import Foundation
import Geodesy
import Geometry
import TestSupport

/// A point in the plane of a journey, in meters east (x) and north (y) of the journey's origin.
typealias Point = SIMD2<Double>

extension Point {
    /// The distance to the origin in meters.
    var length: Double { (x * x + y * y).squareRoot() }

    /// Creates the vector with the given length in meters and direction in radians from east, counterclockwise.
    init(angle: Double, length: Double) { self.init(length * cos(angle), length * sin(angle)) }

    /// The vector of the same length, rotated by 90° to the left.
    var left: Point { Point(-y, x) }
}

/// The azimuthal equidistant projection around a coordinate. Within 10 km of the origin the error of lengths is at most 1 in 2 million.
struct Plane: Sendable {
    var origin: Coordinate

    func coordinate(_ point: Point) -> Coordinate {
        Geodesic.direct(origin, azimuth: atan2(point.x, point.y).degrees, distance: point.length)
    }

    func point(_ coordinate: Coordinate) -> Point {
        let (x, y) = Geodesic.plane(around: origin, coordinate)
        return Point(x, y)
    }
}

extension SeededRandom {
    /// A uniformly distributed number.
    mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// A number whose logarithm is uniformly distributed: as often between 10 and 20 as between 100 and 200.
    mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }

    /// A uniformly distributed angle in radians, from 0 to 2π.
    mutating func angle() -> Double { uniform(0...(2 * .pi)) }

    /// True with the given probability.
    mutating func isTrue(_ probability: Double) -> Bool { uniform(0...1) < probability }

    /// A uniformly distributed point of the disc around the origin with the given radius.
    mutating func point(within radius: Double) -> Point { Point(angle: angle(), length: radius * uniform(0...1).squareRoot()) }
}
