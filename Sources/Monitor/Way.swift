import Geodesy
import Geometry
import Model

/// The straight way to a look from the fix before it, in the azimuthal equidistant plane around a circle's centre.
struct Way {
    /// Metres from the centre at its beginning and its end.
    let a: Double
    let b: Double
    /// The square of its length.
    private let square: Double
    /// The product of the vector to its beginning and the way itself.
    private let half: Double

    /// By the quick plane, if that tells on which side of the circle both ends lie and when the way meets it.
    init?(from before: Fix, _ start: EarthVector, to look: Look, past center: EarthVector, radius: Double) {
        let product: Double
        (a, b, product) = center.equidistant(start, look.vector)
        square = a * a + b * b - 2 * product
        half = product - a * a
        let seconds: Double = look.fix.time - before.time
        guard suffices(radius, EarthVector.equidistantError(max(a, b)), seconds) else { return nil }
    }

    /// As whoever decides about circles measures it.
    init(from before: Fix, to look: Look, past center: Coordinate) {
        let start = Geodesic.plane(around: center, before.coordinate)
        let end = Geodesic.plane(around: center, look.place)
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        a = (start.x * start.x + start.y * start.y).squareRoot()
        b = (end.x * end.x + end.y * end.y).squareRoot()
        square = dx * dx + dy * dy
        half = start.x * dx + start.y * dy
    }

    /// Whether the quick plane, which may be off by `error`, tells on which side of the circle the ends lie and, to a tenth of a
    /// millisecond, when the way meets it: what it is off counts for more the more slowly and flatly the way meets it.
    private func suffices(_ radius: Double, _ error: Double, _ seconds: Double) -> Bool {
        let doubt = error + EarthVector.rounding
        guard abs(a - radius) > doubt, abs(b - radius) > doubt else { return false }
        let nearest = nearestSquared
        if nearest > (radius + doubt) * (radius + doubt) { return true }
        let slowest = error * radius * seconds
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

    /// The shares of the way at which its line meets a circle: |a + t (b − a)|² = r².
    func shares(within radius: Double) -> (Double, Double)? {
        let inner = half * half - square * (a * a - radius * radius)
        guard square > 0, inner >= 0 else { return nil }
        return ((-half - inner.squareRoot()) / square, (-half + inner.squareRoot()) / square)
    }
}
