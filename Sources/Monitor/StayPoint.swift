import CStandardLibrary
import Geodesy
import Model

/// The estimated point where a device stays: the mean of its fixes, and the uncertainty of that mean.
///
/// The noise of a phone's position changes slowly; over an hour it wanders within three times the accuracy. A device that stays near a
/// boundary would cross it again and again. So a fix that lies no further from the mean than noise explains counts as another measurement
/// of the same place: a two-dimensional Kalman filter for an object that hardly moves. Once fixes have agreed with the mean for so long
/// that a walker would have left, fences are evaluated at the mean, until two fixes in a row disagree.
package struct StayPoint: Hashable, Sendable {
    /// The mean of the fixes.
    package var place: Coordinate
    /// The variance of the mean on each axis, in square meters.
    package var variance: Double
    /// The time of the first fix.
    package var since: Instant
    /// Meters per degree of longitude at the first fix.
    package var metersPerDegree: Double
    /// Whether the stay has lasted long enough that fences are evaluated at `place`.
    package var isSettled: Bool
    /// The time of the newest fix.
    package var last: Instant

    package init(
        place: Coordinate, variance: Double, since: Instant, metersPerDegree degree: Double, isSettled: Bool, last: Instant
    ) {
        self.place = place
        self.variance = variance
        self.since = since
        self.metersPerDegree = degree
        self.isSettled = isSettled
        self.last = last
    }

    /// A stay that begins with a fix; nil within one degree of a pole, where degrees of longitude are too short.
    init?(at fix: Fix) {
        guard abs(fix.coordinate.latitude) <= 89 else { return nil }
        let deviation = Self.deviation(of: fix)
        self.init(
            place: fix.coordinate, variance: deviation * deviation, since: fix.time,
            metersPerDegree: WGS84.longestDegree * cos(fix.coordinate.latitude.radians), isSettled: false,
            last: fix.time)
    }

    /// The 68 % radius of the mean in meters, comparable to a fix's accuracy.
    package var accuracy: Double { variance.squareRoot() * Self.radius68 }

    /// The stay after another fix; nil if noise does not explain the distance of the fix.
    ///
    /// The closer two fixes are in time, the more noise they share, and the less the later one adds.
    ///
    /// - Parameter limit: The number of standard deviations that noise explains.
    @inline(__always)
    func adding(_ fix: Fix, limit: Double) -> StayPoint? {
        let seconds: Double = fix.time - last
        let north = fix.coordinate.latitude - place.latitude
        var east = fix.coordinate.longitude - place.longitude
        if abs(east) > 180 { east -= east < 0 ? -360 : 360 }
        let (y, x) = (north * WGS84.longestDegree, east * metersPerDegree)
        let deviation = Self.deviation(of: fix)
        let own = deviation * deviation
        let drifted = variance + Self.varianceGrowth * seconds
        guard x * x + y * y <= limit * limit * (own + drifted) else { return nil }
        // Weighted by information, 1/variance. Of the fix, only the share that is independent of the previous fix counts.
        let known = own * (seconds + Self.noiseHalfLife)
        let weight = drifted * seconds / (known + drifted * seconds)
        var next = self
        next.place.latitude += north * weight
        next.place.longitude = Coordinate.wrapped(longitude: place.longitude + east * weight)
        next.variance = drifted * (1 - weight)
        next.last = fix.time
        next.isSettled = isSettled || fix.time - since >= (limit + 1) * deviation / Self.slowestWalk
        return next
    }

    /// The standard deviation of a fix on each axis, in meters.
    @inline(__always)
    private static func deviation(of fix: Fix) -> Double { max(fix.accuracyOrZero / radius68, leastDeviation) }

    /// The radius that contains 68 % of a two-dimensional normal distribution with a standard deviation of 1 on each axis: √(−2 ln 0.32).
    private static let radius68 = 1.5096
    /// Meters. The standard deviation of a fix is at least this, regardless of the accuracy that the phone claims.
    private static let leastDeviation = 3.0
    /// Meters. Coarser fixes never take part in a stay, regardless of the policy's `maxAccuracy`.
    static let coarsestAccuracy = 10_000.0
    /// Seconds after which half of a fix's information is independent of the previous fix.
    private static let noiseHalfLife = 20.0
    /// Square meters per second by which the variance grows, because a person moves about in a house.
    private static let varianceGrowth = 0.5
    /// Meters per second: half of a slow walk, because the mean follows a walker at half the speed.
    private static let slowestWalk = 0.5
}
