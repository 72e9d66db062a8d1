import Geodesy
import Model

/// Where a device may go without anything to tell: an ellipse in longitude and latitude around the place where it was last judged,
/// within which no answer can change, whatever a fix's accuracy.
///
/// A way that is straight in longitude and latitude is, by its parts along both, at most as long as the axes of the ellipse say:
/// a degree of latitude is nowhere longer than at the poles; a degree of longitude as long as the distance from the earth's
/// axis says, and that grows by no more than one goes. No geodesic is longer than that way.
struct SafeRegion: Sendable {
    private var latitude = 0.0
    private var longitude = 0.0
    /// Per degree, in shares of the radius; NaN for a zone that holds nothing.
    private var alongMeridian = Double.nan
    private var alongParallel = Double.nan
    /// The fences that it was found for.
    private var stamp: UInt64 = 0

    init() {}

    /// Holds nothing from now on.
    mutating func clear() { alongMeridian = .nan }

    /// Makes it the zone around a place.
    ///
    /// - Parameters:
    ///   - vector: That of `center`.
    ///   - radius: Metres over ground; too little of it is none.
    mutating func open(around center: Coordinate, _ vector: EarthVector, radius: Double, of fences: FenceSet) {
        guard radius >= Self.least else { return clear() }
        let axisDistance = (vector.x * vector.x + vector.y * vector.y).squareRoot()
        latitude = center.latitude
        longitude = center.longitude
        alongMeridian = WGS84.longestDegree / radius
        alongParallel = (axisDistance + radius) * (Double.pi / 180) / radius
        stamp = unsafe fences.stamp
    }

    /// Less is not worth the reckoning, in metres.
    private static let least = 0.1

    /// Whether a place surely lies in it, among the same fences.
    @inline(__always)
    func contains(_ place: Coordinate, among fences: UInt64) -> Bool {
        let north = (place.latitude - latitude) * alongMeridian
        let east = (place.longitude - longitude) * alongParallel
        return north * north + east * east < 0.999_999 && stamp == fences
    }
}
