/// Everything within a distance of a place.
public struct Circle: Hashable, Sendable {
    public var center: Coordinate
    /// Metres along the geodesic.
    public var radius: Double

    public init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = radius
    }
}

/// An area with straight edges in longitude and latitude (as GeoJSON means them, RFC 7946 §3.1.6), with holes.
///
/// Rings may be open or closed, run either way, and may go past ±180° of longitude.
public struct Polygon: Hashable, Sendable {
    public var exterior: [Coordinate]
    public var holes: [[Coordinate]]

    public init(exterior: [Coordinate], holes: [[Coordinate]] = []) {
        self.exterior = exterior
        self.holes = holes
    }

    /// The exterior, then the holes.
    public var rings: [[Coordinate]] { [exterior] + holes }
}

/// The shape of a geofence.
public enum Shape: Hashable, Sendable {
    case circle(Circle)
    /// One polygon, or several that count as one area.
    case polygons([Polygon])

    /// The smallest box around the shape that this module can give: tight for polygons, also for those that are cut in two at the
    /// antimeridian; a hair wide for circles.
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
