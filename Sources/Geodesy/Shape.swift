/// All positions within a geodesic distance of a center.
public struct Circle: Hashable, Sendable {
    public var center: Coordinate
    /// Meters along the geodesic.
    public var radius: Double

    public init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = radius
    }
}

/// An area with holes. Its edges are straight in longitude and latitude, as in GeoJSON (RFC 7946 §3.1.6).
///
/// Rings may be open or closed, have either orientation, and go past ±180° of longitude.
public struct Polygon: Hashable, Sendable {
    /// The outer ring.
    public var exterior: [Coordinate]
    /// The rings of areas that are not part of the polygon.
    public var holes: [[Coordinate]]

    public init(exterior: [Coordinate], holes: [[Coordinate]] = []) {
        self.exterior = exterior
        self.holes = holes
    }

    /// The exterior ring, then the holes.
    public var rings: [[Coordinate]] { [exterior] + holes }
}

/// The shape of a geofence.
public enum Shape: Hashable, Sendable {
    case circle(Circle)
    /// One polygon, or several that form one area.
    case polygons([Polygon])

    /// A box around the shape: tight for polygons, also for those that are split at the antimeridian; slightly too wide for circles.
    public var boundingBox: BoundingBox {
        switch self {
        case .circle(let circle): return BoundingBox(circle)
        case .polygons(let polygons):
            let parts = polygons.map { BoundingBox(around: $0.exterior) }
            let asWritten = BoundingBox(joining: parts)
            let pastAntimeridian = BoundingBox(joining: parts.map { $0.east <= 0 ? $0.turned(by: 360) : $0 })
            return pastAntimeridian.east - pastAntimeridian.west < asWritten.east - asWritten.west ? pastAntimeridian : asWritten
        }
    }
}
