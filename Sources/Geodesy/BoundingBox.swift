import CStandardLibrary

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

    @inlinable
    public init(south: Double, north: Double, west: Double, east: Double) {
        self.south = south
        self.north = north
        self.west = west
        self.east = east
    }

    /// The box around some coordinates. Longitudes are taken as written.
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

    /// The box around some boxes. Longitudes are taken as written.
    public init(joining boxes: [BoundingBox]) {
        self.init(
            around: boxes.lazy.flatMap {
                [Coordinate(latitude: $0.south, longitude: $0.west), Coordinate(latitude: $0.north, longitude: $0.east)]
            })
    }

    /// The box with a number of degrees added to its longitudes.
    func turned(by degrees: Double) -> BoundingBox {
        BoundingBox(south: south, north: north, west: west + degrees, east: east + degrees)
    }

    /// A box that contains the circle, at most a few parts in a thousand too wide.
    public init(_ circle: Circle) {
        self.init(around: circle.center, radius: circle.radius)
    }

    /// A box that contains every position within `radius` meters of `center`.
    public init(around center: Coordinate, radius: Double) {
        let reach = radius / WGS84.shortestDegreeOfLatitude + 1e-9
        south = max(-90, center.latitude - reach)
        north = min(90, center.latitude + reach)
        // The half width of a circle of angle ρ at latitude φ on a sphere is asin(sin ρ / cos φ). Adding 0.7 % covers the difference
        // between the ellipsoid and a sphere.
        let angle = (reach * 1.007).radians
        let cosine = cos(center.latitude.radians)
        if center.latitude - reach <= -90 || center.latitude + reach >= 90 || angle >= .pi / 2
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

    /// Whether the position is inside or on the edge, at any whole turn of its longitude.
    @inlinable
    public func contains(_ place: Coordinate) -> Bool {
        guard place.latitude >= south && place.latitude <= north else { return false }
        return (place.longitude >= west && place.longitude <= east)
            || (place.longitude + 360 >= west && place.longitude + 360 <= east)
            || (place.longitude - 360 >= west && place.longitude - 360 <= east)
    }

    /// Whether the boxes have a common point, at any whole turn of their longitudes.
    public func intersects(_ other: BoundingBox) -> Bool {
        guard south <= other.north && other.south <= north else { return false }
        // One box may begin at −360, and the other may reach beyond 360.
        for turn in [-720.0, -360, 0, 360, 720] where other.west + turn <= east && west <= other.east + turn { return true }
        return false
    }
}
