import Geodesy
import Geometry
import Model

/// The straight path from a fix to the observation after it, in the azimuthal equidistant plane around a circle's center.
struct PathSegment {
    /// Meters from the center to the start of the path.
    let startDistance: Double
    /// Meters from the center to the end of the path.
    let endDistance: Double
    /// The squared length of the path, in square meters.
    private let lengthSquared: Double
    /// The dot product of the vector from the center to the start and the vector from start to end, in square meters.
    private let startDotPath: Double

    /// Computes the path with the fast approximation of the plane; nil if that is too imprecise to determine on which side of the
    /// circle both ends lie and when the path crosses the circle.
    init?(from before: Fix, _ start: EarthVector, to observation: Observation, past center: EarthVector, radius: Double) {
        let product: Double
        (startDistance, endDistance, product) = center.equidistant(start, observation.vector)
        lengthSquared = startDistance * startDistance + endDistance * endDistance - 2 * product
        startDotPath = product - startDistance * startDistance
        let seconds: Double = observation.fix.time - before.time
        guard isPrecise(radius: radius, error: EarthVector.equidistantError(max(startDistance, endDistance)), seconds: seconds)
        else { return nil }
    }

    /// Computes the path with exact geodesics, as `CircleDecider` does.
    init(from before: Fix, to observation: Observation, past center: Coordinate) {
        let start = Geodesic.plane(around: center, before.coordinate)
        let end = Geodesic.plane(around: center, observation.place)
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        startDistance = (start.x * start.x + start.y * start.y).squareRoot()
        endDistance = (end.x * end.x + end.y * end.y).squareRoot()
        lengthSquared = dx * dx + dy * dy
        startDotPath = start.x * dx + start.y * dy
    }

    /// Whether the approximate plane, which is off by at most `error` meters, decides on which side of the circle the ends lie and, to a
    /// tenth of a millisecond, when the path crosses it. An error weighs more when the path meets the circle slowly or at a flat angle.
    private func isPrecise(radius: Double, error: Double, seconds: Double) -> Bool {
        let doubt = error + EarthVector.roundingError
        guard abs(startDistance - radius) > doubt, abs(endDistance - radius) > doubt else { return false }
        let slowest = error * radius * seconds
        if (startDistance < radius) != (endDistance < radius) { return slowest * slowest <= 1e-8 * discriminant(radius) }
        let nearest = nearestDistanceSquared
        if nearest > (radius + doubt) * (radius + doubt) { return true }
        let across = radius * radius - nearest
        return across > 0 && slowest * slowest <= 1e-8 * lengthSquared * across
    }

    /// Meters from the center to the nearest point of the path.
    var nearestDistance: Double { nearestDistanceSquared.squareRoot() }

    private var nearestDistanceSquared: Double {
        guard lengthSquared > 0, startDotPath < 0 else { return startDistance * startDistance }
        let share = -startDotPath / lengthSquared
        return share < 1
            ? max(0, startDistance * startDistance + share * (2 * startDotPath + share * lengthSquared))
            : endDistance * endDistance
    }

    /// The discriminant of |a + t (b − a)|² = r², divided by 4. Its root is half the rate at which the squared distance changes where the
    /// line meets the circle.
    private func discriminant(_ radius: Double) -> Double {
        startDotPath * startDotPath - lengthSquared * (startDistance * startDistance - radius * radius)
    }

    /// The two fractions of the path, measured from its start, at which its line meets a circle of this radius; nil if it does not. They
    /// may lie outside 0 … 1.
    func crossingFractions(within radius: Double) -> (Double, Double)? {
        let discriminant = discriminant(radius)
        guard lengthSquared > 0, discriminant >= 0 else { return nil }
        let (root, share) = (discriminant.squareRoot(), 1 / lengthSquared)
        return ((-startDotPath - root) * share, (-startDotPath + root) * share)
    }
}
