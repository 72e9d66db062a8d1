/// A position on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, −90 … 90.
    public var latitude: Double
    /// Degrees east of Greenwich, −180 … 180.
    public var longitude: Double

    /// Creates a coordinate from degrees, which are not checked.
    @inlinable
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both angles are finite and within −90 … 90 and −180 … 180.
    @inlinable
    public var isValid: Bool {
        abs(latitude) <= 90 && abs(longitude) <= 180  // NaN fails both comparisons
    }

    /// The longitude in −180 … 180 of the same meridian. Values in that range are returned unchanged.
    @inlinable
    public static func wrapped(longitude: Double) -> Double {
        if abs(longitude) <= 180 { return longitude }
        let remainder = longitude.remainder(dividingBy: 360)
        return remainder
    }
}
