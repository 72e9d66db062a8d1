#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

/// A range of latitudes and a range of longitudes in degrees. Longitudes may go past 180°: a box from 179 to 181 straddles the
/// antimeridian.
public struct BoundingBox: Hashable, Sendable {
    /// Southern edge in degrees, −90 … 90.
    public var south: Double
    /// Northern edge in degrees: at least `south`, at most 90.
    public var north: Double
    /// Western edge in degrees, at least −360.
    public var west: Double
    /// Eastern edge in degrees: at least `west`, at most `west + 360`.
    public var east: Double

    /// Creates a box from its edges, in degrees.
    @inlinable
    public init(south: Double, north: Double, west: Double, east: Double) {
        self.south = south
        self.north = north
        self.west = west
        self.east = east
    }

    /// The smallest box around coordinates whose longitudes are taken as numbers: 179 and −179 are 358 degrees apart, not 2. At
    /// most 360 degrees wide. Without coordinates, the box is invalid: its southern edge is infinite.
    public init(around places: some Sequence<Coordinate>) {
        self.init(south: .infinity, north: -.infinity, west: .infinity, east: -.infinity)
        for place in places {
            south = min(south, place.latitude)
            north = max(north, place.latitude)
            west = min(west, place.longitude)
            east = max(east, place.longitude)
        }
        if east - west > 360 { east = west + 360 }
    }

    /// The smallest box around boxes whose longitudes are taken as numbers, as in `init(around:)`.
    public init(joining boxes: [BoundingBox]) {
        self.init(
            around: boxes.lazy.flatMap {
                [Coordinate(latitude: $0.south, longitude: $0.west), Coordinate(latitude: $0.north, longitude: $0.east)]
            })
    }

    /// The center, with a longitude in ±180.
    public var center: Coordinate {
        Coordinate(latitude: (south + north) / 2, longitude: Coordinate.wrapped(longitude: (west + east) / 2))
    }

    /// The box moved east by a number of degrees of longitude.
    func shiftedEast(by degrees: Double) -> BoundingBox {
        BoundingBox(south: south, north: north, west: west + degrees, east: east + degrees)
    }

    /// A box that contains the circle, as `init(around:radius:)` makes it.
    public init(_ circle: Circle) {
        self.init(around: circle.center, radius: circle.radius)
    }

    /// A box that contains every coordinate within `radius` meters of `center`. It may be somewhat larger than needed. If a pole
    /// is that near, it has all longitudes.
    public init(around center: Coordinate, radius: Double) {
        // The radius in degrees of latitude, rounded up.
        let radiusInDegrees = radius / WGS84.shortestDegreeOfLatitude + 1e-9
        south = max(-90, center.latitude - radiusInDegrees)
        north = min(90, center.latitude + radiusInDegrees)
        // The half width of a circle of angle ρ at latitude φ on a sphere is asin(sin ρ / cos φ). Adding 0.7 % covers the
        // difference between the ellipsoid and a sphere.
        let angle = (radiusInDegrees * 1.007).radians
        let cosine = cos(center.latitude.radians)
        if center.latitude - radiusInDegrees <= -90 || center.latitude + radiusInDegrees >= 90 || angle >= .pi / 2
            || sin(angle) >= cosine
        {
            west = -180
            east = 180
        } else {
            let half = asin(sin(angle) / cosine).degrees + 1e-9
            west = center.longitude - half
            east = center.longitude + half
        }
    }

    /// Whether the coordinate is inside or on the edge. The longitude also matches after adding or subtracting 360 degrees.
    @inlinable
    public func contains(_ place: Coordinate) -> Bool {
        guard place.latitude >= south && place.latitude <= north else { return false }
        return (place.longitude >= west && place.longitude <= east)
            || (place.longitude + 360 >= west && place.longitude + 360 <= east)
            || (place.longitude - 360 >= west && place.longitude - 360 <= east)
    }

    /// Whether the boxes have a common point. The longitudes also match after adding or subtracting 360 or 720 degrees.
    public func intersects(_ other: BoundingBox) -> Bool {
        guard south <= other.north && other.south <= north else { return false }
        // Two turns are needed, because one box may begin at −360 and the other may reach beyond 360.
        for turn in [-720.0, -360, 0, 360, 720] where other.west + turn <= east && west <= other.east + turn { return true }
        return false
    }
}
