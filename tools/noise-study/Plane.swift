import Geodesy
import Geometry
import TestSupport

/// Metres east (x) and north (y) of a journey's origin.
typealias Point = SIMD2<Double>

extension Point {
    /// Metres from the origin.
    var length: Double { (x * x + y * y).squareRoot() }

    /// A step of so many metres in a direction, in radians from east, counterclockwise.
    init(angle: Double, length: Double) { self.init(length * cos(angle), length * sin(angle)) }

    /// To the left of this direction, and as long.
    var left: Point { Point(-y, x) }
}

/// The azimuthal equidistant plane around a place: within 10 km of it, lengths are true to a part in two million.
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
    mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// A number whose logarithm is uniform: as often between 10 and 20 as between 100 and 200.
    mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }

    /// Radians.
    mutating func angle() -> Double { uniform(0...(2 * .pi)) }

    mutating func isTrue(_ probability: Double) -> Bool { uniform(0...1) < probability }

    /// A place in a disc, each part of it as likely.
    mutating func point(within radius: Double) -> Point { Point(angle: angle(), length: radius * uniform(0...1).squareRoot()) }
}
