import Geodesy
import Geometry

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
        // What the quick plane may be off must not matter beside the length of the way: a tenth of a millisecond in five minutes.
        let error = EarthVector.equidistantError(max(a, b))
        let nearest = min(abs(a - radius), abs(b - radius))
        if nearest > error + EarthVector.rounding, error <= 2e-4 || error * error <= 9e-14 * square {
            (self.a, self.b, self.square, half) = (a, b, square, product - a * a)
        } else {
            let center = fences.centers[position]
            let start = Geodesic.plane(around: center, look.before?.coordinate ?? look.fix.coordinate)
            let end = Geodesic.plane(around: center, look.fix.coordinate)
            let (dx, dy) = (end.x - start.x, end.y - start.y)
            self.a = (start.x * start.x + start.y * start.y).squareRoot()
            self.b = (end.x * end.x + end.y * end.y).squareRoot()
            self.square = dx * dx + dy * dy
            half = start.x * dx + start.y * dy
        }
    }

    /// Metres from the centre where it comes nearest.
    var nearest: Double {
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
