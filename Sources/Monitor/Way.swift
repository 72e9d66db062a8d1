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

    /// - Parameter radius: Of the circle: on which side of it both ends lie, it knows as well as whoever decides about circles.
    init(_ look: Look, past position: Int, of fences: FenceSet, radius: Double) {
        let (a, b, product) = fences.places[position].center.equidistant(look.start, look.vector)
        let square = a * a + b * b - 2 * product
        let quick = product - a * a
        if Self.suffices(a, b, square, quick, radius, EarthVector.equidistantError(max(a, b)), look) {
            (self.a, self.b, self.square, half) = (a, b, square, quick)
        } else {
            let center = fences.centers[position]
            let start = Geodesic.plane(around: center, look.before?.coordinate ?? look.place)
            let end = Geodesic.plane(around: center, look.place)
            let (dx, dy) = (end.x - start.x, end.y - start.y)
            self.a = (start.x * start.x + start.y * start.y).squareRoot()
            self.b = (end.x * end.x + end.y * end.y).squareRoot()
            self.square = dx * dx + dy * dy
            half = start.x * dx + start.y * dy
        }
    }

    /// Whether the quick plane, which may be off by `error`, tells on which side of the circle the ends lie and, to a tenth of a
    /// millisecond, when the way meets it: what it is off counts for more the more slowly and flatly the way meets it.
    private static func suffices(
        _ a: Double, _ b: Double, _ square: Double, _ half: Double, _ radius: Double, _ error: Double, _ look: Look
    ) -> Bool {
        let doubt = error + EarthVector.rounding
        guard abs(a - radius) > doubt, abs(b - radius) > doubt else { return false }
        let nearest = nearest(a, b, square, half)
        if nearest > radius + doubt { return true }
        let seconds: Double = look.fix.time - (look.before ?? look.fix).time
        let slowest = error * radius * seconds
        let across = radius * radius - nearest * nearest
        return across > 0 && slowest * slowest <= 1e-8 * square * across
    }

    /// Metres from the centre where it comes nearest.
    var nearest: Double { Self.nearest(a, b, square, half) }

    private static func nearest(_ a: Double, _ b: Double, _ square: Double, _ half: Double) -> Double {
        guard square > 0, half < 0 else { return a }
        let share = -half / square
        if share >= 1 { return b }
        return max(0, a * a + share * (2 * half + share * square)).squareRoot()
    }

    /// The shares of the way at which its line meets a circle: |a + t (b − a)|² = r².
    func shares(within radius: Double) -> (Double, Double)? {
        let inner = half * half - square * (a * a - radius * radius)
        guard square > 0, inner >= 0 else { return nil }
        return ((-half - inner.squareRoot()) / square, (-half + inner.squareRoot()) / square)
    }
}
