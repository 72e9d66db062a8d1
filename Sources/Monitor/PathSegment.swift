import Geodesy
import Geometry
import Model

/// The straight path to an observation from the fix before it, in the azimuthal equidistant plane around a circle's center.
struct PathSegment {
    /// Metres from the centre at its beginning and its end.
    let a: Double
    let b: Double
    /// The square of its length.
    private let square: Double
    /// The product of the vector to its beginning and the way itself.
    private let half: Double

    /// By the quick plane, if that tells on which side of the circle both ends lie and when the way meets it.
    init?(from before: Fix, _ start: EarthVector, to observation: Observation, past center: EarthVector, radius: Double) {
        let product: Double
        (a, b, product) = center.equidistant(start, observation.vector)
        square = a * a + b * b - 2 * product
        half = product - a * a
        let seconds: Double = observation.fix.time - before.time
        guard suffices(radius, EarthVector.equidistantError(max(a, b)), seconds) else { return nil }
    }

    /// As whoever decides about circles measures it.
    init(from before: Fix, to observation: Observation, past center: Coordinate) {
        let start = Geodesic.plane(around: center, before.coordinate)
        let end = Geodesic.plane(around: center, observation.place)
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        a = (start.x * start.x + start.y * start.y).squareRoot()
        b = (end.x * end.x + end.y * end.y).squareRoot()
        square = dx * dx + dy * dy
        half = start.x * dx + start.y * dy
    }

    /// Whether the quick plane, which may be off by `error`, tells on which side of the circle the ends lie and, to a tenth of a
    /// millisecond, when the path meets it: an error counts for more the more slowly and flatly the path meets the circle.
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

    /// Metres from the centre where it comes nearest.
    var nearest: Double { nearestSquared.squareRoot() }

    private var nearestSquared: Double {
        guard square > 0, half < 0 else { return a * a }
        let share = -half / square
        return share < 1 ? max(0, a * a + share * (2 * half + share * square)) : b * b
    }

    /// Of the equation |a + t (b − a)|² = r². Its root is how fast the square of the distance changes where the line meets the circle.
    private func discriminant(_ radius: Double) -> Double { half * half - square * (a * a - radius * radius) }

    /// The shares of the path at which its line meets a circle.
    func shares(within radius: Double) -> (Double, Double)? {
        let discriminant = discriminant(radius)
        guard square > 0, discriminant >= 0 else { return nil }
        let (root, share) = (discriminant.squareRoot(), 1 / square)
        return ((-half - root) * share, (-half + root) * share)
    }
}
