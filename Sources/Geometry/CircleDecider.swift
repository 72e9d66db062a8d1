import Geodesy

/// Whether a place lies within a distance of another: the one place where circles are decided.
///
/// `DistanceBounds` settle the clear cases. What they leave open, GEOS decides in the azimuthal equidistant plane around the centre, where the distance
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
        isWithin(limit, DistanceBounds(EarthVector(center), EarthVector(place)), center: center, place)
    }

    /// Whether the geodesic from `center` to `place` is at most `limit` metres long.
    ///
    /// - Parameters:
    ///   - bounds: Those of the two places.
    ///   - center: Read only where the bounds leave the answer open.
    @inlinable @inline(__always)
    public func isWithin(
        _ limit: Double, _ bounds: DistanceBounds, center: @autoclosure () -> Coordinate, _ place: Coordinate
    ) -> Bool {
        bounds.isWithin(limit) ?? decide(limit, center: center(), place)
    }

    /// GEOS alone, without the bounds.
    public func decide(_ limit: Double, center: Coordinate, _ place: Coordinate) -> Bool {
        guard limit >= 0 else { return false }
        let (x, y) = Geodesic.plane(around: center, place)
        guard let origin else { return x * x + y * y <= limit * limit }
        return origin.isWithin(limit, x: x, y: y)
    }
}
