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
