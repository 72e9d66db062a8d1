import Geodesy

/// Decides whether a position lies within a distance of another. Every circle is decided here.
///
/// `DistanceBounds` decide the clear cases. GEOS decides the others in the azimuthal equidistant plane around the center, where the
/// distance from the origin is the geodesic distance.
///
/// It belongs to one thread, because its context does.
package struct CircleDecider {
    private let origin: GEOSGeometry?

    package init(context: GEOSContext) {
        origin = GEOSGeometry.point(x: 0, y: 0, in: context)
    }

    /// Whether the geodesic from `center` to `place` is at most `limit` meters long.
    package func isWithin(_ limit: Double, center: Coordinate, _ place: Coordinate) -> Bool {
        isWithin(limit, bounds: DistanceBounds(EarthVector(center), EarthVector(place)), center: center, of: place)
    }

    /// Whether the geodesic from `center` to `place` is at most `limit` meters long.
    ///
    /// - Parameters:
    ///   - bounds: The distance bounds of the two positions.
    ///   - center: Evaluated only if the bounds do not decide.
    @inlinable @inline(__always)
    package func isWithin(
        _ limit: Double, bounds: DistanceBounds, center: @autoclosure () -> Coordinate, of place: Coordinate
    ) -> Bool {
        bounds.isWithin(limit) ?? isWithinByGEOS(limit, center: center(), place)
    }

    /// Decides by GEOS alone, without bounds.
    package func isWithinByGEOS(_ limit: Double, center: Coordinate, _ place: Coordinate) -> Bool {
        guard limit >= 0 else { return false }
        let (x, y) = Geodesic.plane(around: center, place)
        guard let origin else { return x * x + y * y <= limit * limit }
        return origin.isWithin(limit, x: x, y: y)
    }
}
