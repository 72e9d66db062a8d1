/// All positions within a geodesic distance of a center.
public struct Circle: Hashable, Sendable {
    /// The center, on the WGS 84 ellipsoid.
    public var center: Coordinate
    /// Meters along the geodesic.
    public var radius: Double

    /// Creates a circle. The radius is in meters, and is not checked.
    public init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = radius
    }
}
