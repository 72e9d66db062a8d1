import Geodesy

/// Whether a place lies within a distance of another: the one place where circles are decided.
///
/// A cheap filter settles clear cases: the chord between the two places bounds the geodesic from both sides
/// (`EarthVector`). What it leaves open, GEOS decides in the azimuthal equidistant plane around the centre, where the distance
/// from the origin is the geodesic distance.
///
/// It belongs to one thread, as its context does.
public struct CircleDecider {
    private let origin: GEOSGeometry?

    public init(context: GEOSContext) {
        origin = GEOSGeometry.point(x: 0, y: 0, in: context)
    }

    /// Whether the geodesic from `center` to `place` is at most `limit` metres long.
    public func isWithin(_ limit: Double, center: Coordinate, _ place: Coordinate) -> Bool {
        switch CircleDecider.filter(limit, EarthVector(center).chordSquared(to: EarthVector(place))) {
        case .within: true
        case .beyond: false
        case .open: decide(limit, center: center, place)
        }
    }

    /// What a chord says of the geodesic above it.
    public enum Verdict: Hashable, Sendable {
        case within, beyond, open
    }

    /// The filter alone, on the square of a chord.
    public static func filter(_ limit: Double, _ chordSquared: Double) -> Verdict {
        let beyond = EarthVector.surelyBeyond(length: limit)
        if limit < 0 || chordSquared > beyond * beyond { return .beyond }
        let within = EarthVector.surelyWithin(length: limit)
        if within >= 0 && chordSquared <= within * within { return .within }
        return .open
    }

    /// GEOS alone, without the filter.
    public func decide(_ limit: Double, center: Coordinate, _ place: Coordinate) -> Bool {
        guard limit >= 0 else { return false }
        let (x, y) = Geodesic.plane(around: center, place)
        guard let origin else { return x * x + y * y <= limit * limit }
        return origin.isWithin(limit, x: x, y: y)
    }
}
