import Geodesy
import Geometry
import Model

/// Finds the stops in the positions of a device, which are added in order of time.
///
/// Positions belong to a stop while they are at most `radius` from the mean of those before. A single position farther away is an outlier; two
/// in a row end the stop. A gap does not end it, because many trackers send nothing while the engine is off.
struct StopFinder {
    /// In meters: more than the usual error of a position, and less than the way to the next parking lot.
    static let radius = 100.0

    private let device: String
    /// A shorter stop is left out, in seconds.
    private let minDuration: Double
    /// The stop so far; nil before the first position.
    private var stop: Stop?
    /// The last position, if it is too far away for the stop.
    private var stray: Fix?

    init(ofDevice device: String, minDuration: Double) {
        self.device = device
        self.minDuration = minDuration
    }

    /// Adds a position. One whose accuracy is worse than the radius says nothing, and is left out.
    ///
    /// - Returns: The stop that has ended.
    mutating func add(_ fix: Fix) -> Stop? {
        if let accuracy = fix.accuracy, accuracy > Self.radius { return nil }
        guard var stop else {
            begin(fix)
            return nil
        }
        if Geodesic.distance(stop.coordinate, fix.coordinate) <= Self.radius {
            stop.positions += 1
            stop.endedAt = fix.time
            stop.coordinate.move(to: fix.coordinate, by: 1 / Double(stop.positions))
            self.stop = stop
            stray = nil
            return nil
        }
        guard let first = stray else {
            stray = fix
            return nil
        }
        begin(first)
        _ = add(fix)
        return finished(stop)
    }

    /// The stop that lasts to the last position; nil if there is none.
    var last: Stop? { stop.flatMap { finished($0) } }

    /// A stop with its place rounded to a decimeter; nil if it is too short.
    private func finished(_ stop: Stop) -> Stop? {
        guard stop.duration >= minDuration else { return nil }
        var stop = stop
        let place = stop.coordinate
        stop.coordinate = Coordinate(
            latitude: (place.latitude * 1e6).rounded() / 1e6, longitude: (place.longitude * 1e6).rounded() / 1e6)
        return stop
    }

    private mutating func begin(_ fix: Fix) {
        stop = Stop(deviceId: device, startedAt: fix.time, endedAt: fix.time, coordinate: fix.coordinate, positions: 1)
        stray = nil
    }
}

extension Coordinate {
    /// Moves this place a part of the way to a near one.
    fileprivate mutating func move(to other: Coordinate, by part: Double) {
        let east = Self.wrapped(longitude: other.longitude - longitude)
        self = Coordinate(
            latitude: latitude + (other.latitude - latitude) * part, longitude: Self.wrapped(longitude: longitude + east * part))
    }
}
