import Geodesy
import Model

/// The place where a device stays, as far as its fixes tell: their mean, and how sure that is.
///
/// The noise of a phone's position changes slowly, and over an hour it leads anywhere within three times its accuracy. Who stays near a
/// boundary would cross it again and again. So a fix that lies no further from the mean than noise explains is no more than
/// another measurement of the same place, and taken into the mean with its weight: a Kalman filter in two dimensions for something that
/// all but stands still. Once a device has been explained like that for so long that whoever walks would have been gone, it
/// is judged by the mean, until two fixes in succession are not explained.
public struct StayPoint: Hashable, Sendable {
    /// The mean of the fixes.
    public var place: Coordinate
    /// Of the mean, on each axis, in square metres.
    public var variance: Double
    /// When its first fix was.
    public var since: Instant
    /// Metres to a degree of longitude where it began.
    public var degree: Double
    /// Whether it has lasted so long that the device is taken to stay.
    public var isSettled: Bool

    public init(place: Coordinate, variance: Double, since: Instant, degree: Double, isSettled: Bool) {
        self.place = place
        self.variance = variance
        self.since = since
        self.degree = degree
        self.isSettled = isSettled
    }

    /// One that a fix may be the first of; nil next to a pole, where a degree of longitude is no length to reckon with.
    init?(at fix: Fix) {
        guard abs(fix.coordinate.latitude) <= 89 else { return nil }
        let deviation = Self.deviation(of: fix)
        self.init(
            place: fix.coordinate, variance: deviation * deviation, since: fix.time,
            degree: WGS84.longestDegree * cos(fix.coordinate.latitude.radians), isSettled: false)
    }

    /// The radius of a mean that is as sure as a fix of this accuracy, in metres.
    public var accuracy: Double { variance.squareRoot() * Self.radius68 }

    /// The stay with another fix in it; nil if that lies too far off to be explained by noise.
    ///
    /// - Parameters:
    ///   - seconds: Since the fix before. What two fixes share of their noise, the later one does not tell anew.
    ///   - limit: How many standard deviations noise explains.
    @inline(__always)
    func joined(by fix: Fix, after seconds: Double, limit: Double) -> StayPoint? {
        let north = fix.coordinate.latitude - place.latitude
        var east = fix.coordinate.longitude - place.longitude
        if abs(east) > 180 { east -= east < 0 ? -360 : 360 }
        let (y, x) = (north * WGS84.longestDegree, east * degree)
        let deviation = Self.deviation(of: fix)
        let own = deviation * deviation
        let drifted = variance + Self.drift * seconds
        guard x * x + y * y <= limit * limit * (own + drifted) else { return nil }
        // By information: 1/variance of the mean, and of the fix only the share that is new.
        let known = own * (seconds + Self.memory)
        let weight = drifted * seconds / (known + drifted * seconds)
        var next = self
        next.place.latitude += north * weight
        next.place.longitude = Coordinate.wrapped(longitude: place.longitude + east * weight)
        next.variance = drifted * (1 - weight)
        next.isSettled = isSettled || fix.time - since >= (limit + 1) * deviation / Self.slowest
        return next
    }

    /// Of a fix, on each axis, in metres.
    @inline(__always)
    private static func deviation(of fix: Fix) -> Double { max(fix.reckonedAccuracy / radius68, leastDeviation) }

    /// The radius that holds 68 % of what deviates by 1 on each of two axes: √(−2 ln 0.32).
    private static let radius68 = 1.5096
    /// Metres. No phone is surer of where it is, whatever it says.
    private static let leastDeviation = 3.0
    /// Metres. Coarser fixes never tell where a device stays, whatever its policy takes for coarse.
    static let coarsest = 10_000.0
    /// Seconds after which half of what a fix tells is new.
    private static let memory = 20.0
    /// By how much the place may move, in square metres a second: somebody moves about in a house.
    private static let drift = 0.5
    /// Metres a second: half of a slow walk, because the mean comes along half as fast.
    private static let slowest = 0.5
}
