import Geodesy
import Geometry
import Model

/// The straight path from a fix to the observation after it, in the azimuthal equidistant plane around a circle's center.
struct PathSegment {
    /// Meters from the center to the start of the path.
    let a: Double
    /// Meters from the center to the end of the path.
    let b: Double
    /// The squared length of the path, in square meters.
    private let square: Double
    /// The dot product of the vector from the center to the start and the vector from start to end, in square meters.
    private let half: Double

    /// Computes the path with the fast approximation of the plane; nil if that is too imprecise to tell on which side of the circle both
    /// ends lie and when the path crosses the circle.
    init?(from before: Fix, _ start: EarthVector, to observation: Observation, past center: EarthVector, radius: Double) {
        let product: Double
        (a, b, product) = center.equidistant(start, observation.vector)
        square = a * a + b * b - 2 * product
        half = product - a * a
        let seconds: Double = observation.fix.time - before.time
        guard suffices(radius, EarthVector.equidistantError(max(a, b)), seconds) else { return nil }
    }

    /// Computes the path with exact geodesics, as `CircleDecider` does.
    init(from before: Fix, to observation: Observation, past center: Coordinate) {
        let start = Geodesic.plane(around: center, before.coordinate)
        let end = Geodesic.plane(around: center, observation.place)
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        a = (start.x * start.x + start.y * start.y).squareRoot()
        b = (end.x * end.x + end.y * end.y).squareRoot()
        square = dx * dx + dy * dy
        half = start.x * dx + start.y * dy
    }

    /// Whether the approximate plane, which is off by at most `error` meters, decides on which side of the circle the ends lie and, to a
    /// tenth of a millisecond, when the path crosses it. An error weighs more when the path meets the circle slowly or at a flat angle.
    private func suffices(_ radius: Double, _ error: Double, _ seconds: Double) -> Bool {
        let doubt = error + EarthVector.rounding
        guard abs(a - radius) > doubt, abs(b - radius) > doubt else { return false }
        let slowest = error * radius * seconds
        if (a < radius) != (b < radius) { return slowest * slowest <= 1e-8 * discriminant(radius) }
        let nearest = nearestSquared
        if nearest > (radius + doubt) * (radius + doubt) { return true }
        let across = radius * radius - nearest
        return across > 0 && slowest * slowest <= 1e-8 * square * across
    }

    /// Meters from the center to the nearest point of the path.
    var nearest: Double { nearestSquared.squareRoot() }

    private var nearestSquared: Double {
        guard square > 0, half < 0 else { return a * a }
        let share = -half / square
        return share < 1 ? max(0, a * a + share * (2 * half + share * square)) : b * b
    }

    /// The discriminant of |a + t (b − a)|² = r², divided by 4. Its root is half the rate at which the squared distance changes where the
    /// line meets the circle.
    private func discriminant(_ radius: Double) -> Double { half * half - square * (a * a - radius * radius) }

    /// The two fractions of the path, measured from its start, at which its line meets a circle of this radius; nil if it does not. They
    /// may lie outside 0 … 1.
    func shares(within radius: Double) -> (Double, Double)? {
        let discriminant = discriminant(radius)
        guard square > 0, discriminant >= 0 else { return nil }
        let (root, share) = (discriminant.squareRoot(), 1 / square)
        return ((-half - root) * share, (-half + root) * share)
    }
}
