import Foundation
import Geodesy
import Model

/// A reference implementation of stay points: the mean of the fixes that noise explains, weighted by their information.
struct ReferenceStay {
    private(set) var place: Coordinate
    /// The information of the mean: 1 / variance on each axis, in 1/m².
    private var information: Double
    private let since: Instant
    private(set) var last: Instant
    private let degree: Double
    private(set) var isSettled = false

    init?(_ fix: Fix) {
        guard abs(fix.coordinate.latitude) <= 89 else { return nil }
        place = fix.coordinate
        information = 1 / Self.variance(fix)
        (since, last) = (fix.time, fix.time)
        degree = WGS84.longestDegree * cos(fix.coordinate.latitude * .pi / 180)
    }

    var accuracy: Double { 1.5096 / information.squareRoot() }

    private static func variance(_ fix: Fix) -> Double {
        let deviation = max(3, fix.accuracyOrZero / 1.5096)
        return deviation * deviation
    }

    /// The variance of the mean at a moment. It grows by 0.5 m² per second.
    private func variance(at moment: Instant) -> Double { 1 / information + 0.5 * (moment - last) }

    private func offset(_ fix: Fix) -> (north: Double, east: Double) {
        let east = (fix.coordinate.longitude - place.longitude).remainder(dividingBy: 360)
        return (fix.coordinate.latitude - place.latitude, east)
    }

    func explains(_ fix: Fix, limit: Double) -> Bool {
        let (north, east) = offset(fix)
        let square = (north * WGS84.longestDegree) * (north * WGS84.longestDegree) + (east * degree) * (east * degree)
        return square <= limit * limit * (Self.variance(fix) + variance(at: fix.time))
    }

    /// The stay with another fix. Half of a fix's information is new 20 s after the previous fix.
    func joined(by fix: Fix, limit: Double) -> ReferenceStay {
        var next = self
        let seconds: Double = fix.time - last
        let known = 1 / variance(at: fix.time)
        let gained = seconds / (seconds + 20) / Self.variance(fix)
        let (north, east) = offset(fix)
        next.information = known + gained
        next.place = Coordinate(
            latitude: place.latitude + north * gained / (known + gained),
            longitude: Coordinate.wrapped(longitude: place.longitude + east * gained / (known + gained)))
        next.last = fix.time
        // After this time a device that moves 0.5 m/s faster than the mean would have left.
        if fix.time - since >= (limit + 1) * Self.variance(fix).squareRoot() / 0.5 { next.isSettled = true }
        return next
    }
}
