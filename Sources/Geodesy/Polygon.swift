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
