/// The shape of a geofence.
public enum Shape: Hashable, Sendable {
    /// All positions within a distance of a center.
    case circle(Circle)
    /// One polygon, or several that form one area.
    case polygons([Polygon])

    /// A box around the shape: tight for polygons, even for those that are split at the antimeridian; slightly too wide for
    /// circles.
    public var boundingBox: BoundingBox {
        switch self {
        case .circle(let circle): return BoundingBox(circle)
        case .polygons(let polygons):
            let parts = polygons.map { BoundingBox(around: $0.exterior) }
            let asWritten = BoundingBox(joining: parts)
            let pastAntimeridian = BoundingBox(joining: parts.map { $0.east <= 0 ? $0.shiftedEast(by: 360) : $0 })
            return pastAntimeridian.east - pastAntimeridian.west < asWritten.east - asWritten.west ? pastAntimeridian : asWritten
        }
    }
}
