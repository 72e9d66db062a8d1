import Geodesy

/// An ellipse in longitude and latitude around the position where a device was last evaluated. While the device stays within it,
/// no transition can happen, regardless of the accuracy of its fixes.
///
/// The axes of the ellipse are conservative. A path that is straight in longitude and latitude is at least as long as the geodesic. A
/// degree of latitude is longest at the poles. A degree of longitude is proportional to the distance from the earth's axis, which grows by
/// at most the distance traveled.
struct SafeRegion: Sendable {
    private var latitude = 0.0
    private var longitude = 0.0
    /// Per degree, as a fraction of the radius; NaN for an empty region.
    private var alongMeridian = Double.nan
    private var alongParallel = Double.nan
    /// The `FenceSet.stamp` of the fences for which the region is valid.
    private var stamp: UInt64 = 0

    init() {}

    /// Makes the region empty.
    mutating func clear() { alongMeridian = .nan }

    /// Sets the region around a position.
    ///
    /// - Parameters:
    ///   - vector: The ECEF vector of `center`.
    ///   - radius: Meters over ground. A radius below 0.1 m gives an empty region.
    mutating func set(around center: Coordinate, _ vector: EarthVector, radius: Double, of fences: FenceSet) {
        guard radius >= Self.leastRadius else { return clear() }
        let axisDistance = (vector.x * vector.x + vector.y * vector.y).squareRoot()
        latitude = center.latitude
        longitude = center.longitude
        alongMeridian = WGS84.longestDegree / radius
        alongParallel = (axisDistance + radius) * (Double.pi / 180) / radius
        stamp = unsafe fences.stamp
    }

    /// The least useful radius in meters.
    private static let leastRadius = 0.1

    /// Whether a position certainly lies in the region, and the fences are the same as when it was set.
    @inline(__always)
    func contains(_ place: Coordinate, among fences: UInt64) -> Bool {
        let north = (place.latitude - latitude) * alongMeridian
        let east = (place.longitude - longitude) * alongParallel
        return north * north + east * east < 0.999_999 && stamp == fences
    }
}
