/// An area with optional holes. An edge is a straight line in longitude and latitude, as in GeoJSON (RFC 7946 §3.1.1).
///
/// The first corner of a ring may be repeated at its end. Corners may be in clockwise or counterclockwise order. Longitudes may
/// exceed ±180°, so that an area can cross the antimeridian.
public struct Polygon: Hashable, Sendable {
    /// The outer ring.
    public var exterior: [Coordinate]
    /// The rings of the holes, which are not part of the area.
    public var holes: [[Coordinate]]

    /// Creates a polygon from its rings, which are not checked.
    public init(exterior: [Coordinate], holes: [[Coordinate]] = []) {
        self.exterior = exterior
        self.holes = holes
    }

    /// The exterior ring, then the holes.
    public var rings: [[Coordinate]] { [exterior] + holes }
}
