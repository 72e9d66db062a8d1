import Foundation
import Geodesy
import Model

/// The random movements of a device among circles: stays, trips to a circle, and walks without a destination.
struct RandomPath {
    /// The fixes, by time.
    private(set) var fixes: [Fix] = []

    private let origin: Coordinate
    private let targets: [(east: Double, north: Double)]
    private let end: Instant
    private var now: Instant
    private var (east, north) = (0.0, 0.0)
    private var random: SplitMix64

    /// Seconds between the fixes of a device that moves, and of one that stays.
    static let intervals = (moving: 30.0, resting: 600.0)
    /// Meters per second: on foot, by bicycle, by car in town and on a motorway.
    private static let speeds = [1.4, 5, 12, 28]
    /// The longest trip in seconds.
    private static let longestTrip = 5400.0

    /// - Parameter circles: Where the device goes to; at least one.
    init(among circles: [Circle], from start: Instant, to end: Instant, seed: UInt64) {
        var random = SplitMix64(state: seed)
        let home = circles.randomElement(using: &random)?.center ?? Coordinate(latitude: 0, longitude: 0)
        origin = home
        let meters = Self.metersPerDegree(home)
        targets = circles.map { circle in
            let east = (circle.center.longitude - home.longitude) * meters.longitude
            let north = (circle.center.latitude - home.latitude) * meters.latitude
            // A destination is not always the center.
            let reach = circle.radius * Double.random(in: 0...0.9, using: &random)
            let course = Double.random(in: 0..<(2 * .pi), using: &random)
            return (east + reach * sin(course), north + reach * cos(course))
        }
        self.random = random
        (now, self.end) = (start, end)
        while now < end {
            stay()
            if Int.random(in: 0..<5, using: &self.random) == 0 { wander() } else { travel() }
        }
    }

    private static func metersPerDegree(_ place: Coordinate) -> (latitude: Double, longitude: Double) {
        (111_195, 111_195 * max(0.01, cos(place.latitude * .pi / 180)))
    }

    private mutating func addFix(after seconds: Double) {
        now = now + seconds
        guard now <= end else { return }
        let meters = Self.metersPerDegree(origin)
        let place = Coordinate(
            latitude: min(89, max(-89, origin.latitude + north / meters.latitude)),
            longitude: Self.wrapped(origin.longitude + east / meters.longitude))
        fixes.append(Fix(time: now, coordinate: place, accuracy: .random(in: 4...60, using: &random)))
    }

    private static func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    /// Stays for 10 minutes to 9 hours, mostly not long.
    private mutating func stay() {
        let until = now + 600 * exp(Double.random(in: 0...4, using: &random))
        addFix(after: Self.intervals.moving)
        while now < min(until, end) { addFix(after: Self.intervals.resting) }
    }

    /// Goes to one of the nearer targets, with detours.
    private mutating func travel() {
        let candidates = (0..<4).compactMap { _ in targets.randomElement(using: &random) }
        let target = candidates.min { hypot($0.east - east, $0.north - north) < hypot($1.east - east, $1.north - north) }
        guard let target else { return }
        var speed = Self.speeds.randomElement(using: &random) ?? 5
        let distance = hypot(target.east - east, target.north - north)
        if distance / speed > Self.longestTrip { speed = distance / Self.longestTrip }
        while now < end {
            let (toEast, toNorth) = (target.east - east, target.north - north)
            let step = speed * Self.intervals.moving
            if hypot(toEast, toNorth) <= step {
                (east, north) = target
                addFix(after: Self.intervals.moving)
                return
            }
            move(step, course: atan2(toEast, toNorth) + Double.random(in: -0.6...0.6, using: &random))
        }
    }

    /// Moves at random for up to 20 minutes.
    private mutating func wander() {
        let speed = Self.speeds.randomElement(using: &random) ?? 5
        var course = Double.random(in: 0..<(2 * .pi), using: &random)
        for _ in 0..<Int.random(in: 5...40, using: &random) where now < end {
            course += Double.random(in: -0.8...0.8, using: &random)
            move(speed * Self.intervals.moving, course: course)
        }
    }

    private mutating func move(_ meters: Double, course: Double) {
        east += meters * sin(course)
        north += meters * cos(course)
        addFix(after: Self.intervals.moving)
    }
}
