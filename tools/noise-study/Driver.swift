import Foundation
import Geodesy
import TestSupport

/// Simulates a person in a car: smooth roads between junctions, 5 to 30 m/s, stops at traffic lights and parking.
struct Driver {
    private var random: SeededRandom
    private var path: [Point]
    /// The direction of travel in radians from east, counterclockwise.
    private var heading: Double
    /// The speed in meters per second.
    private var speed = 5.0
    private static let regionRadius = 6000.0

    private init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        heading = random.angle()
        path = [Point(angle: heading + .pi, length: Driver.regionRadius + 2500)]
    }

    /// Creates a journey of about the given number of seconds that begins and ends outside all areas.
    static func journey(seed: UInt64, seconds: Int) -> Journey {
        var driver = Driver(seed: seed)
        let edge = driver.path[0]
        let junctions = (0..<12).map { _ in driver.random.point(within: regionRadius) }
        while driver.path.count < seconds {
            driver.drive(to: junctions[Int.random(in: junctions.indices, using: &driver.random)])
            if driver.random.isTrue(0.3) { driver.stop(for: driver.random.logUniform(120...3600)) }
        }
        driver.drive(to: edge)
        driver.stop(for: 60)
        let places = driver.path.filter { $0.length < regionRadius }
        let areas = (0..<20).map { number in
            number < 10
                ? Area.along(junctions, offset: 0...0.5, &driver.random) : Area.along(places, offset: 0...1.15, &driver.random)
        }
        let origin = Coordinate(latitude: driver.random.uniform(-60...60), longitude: driver.random.uniform(-180...180))
        return Journey(kind: .driver, plane: Plane(origin: origin), areas: areas, path: driver.path)
    }

    /// Drives to a goal, with a lateral acceleration of at most 3 m/s² and at most 7 m/s while the car still has to turn by more than 0.3
    /// radians.
    private mutating func drive(to goal: Point) {
        let cruise = random.uniform(5...30)
        while true {
            let way = goal - path[path.count - 1]
            if way.length < 40 + 2 * speed { return }
            if random.isTrue(0.002) { stop(for: random.uniform(5...90)) }
            let turn = (atan2(way.y, way.x) - heading).remainder(dividingBy: 2 * .pi)
            let wanted = abs(turn) > 0.3 ? min(cruise, 7) : cruise
            speed += max(-2.5, min(1.5, wanted - speed))
            let sharpest = min(0.6, 3 / max(speed, 1))
            heading += max(-sharpest, min(sharpest, turn))
            path.append(path[path.count - 1] + Point(angle: heading, length: speed))
        }
    }

    /// Brakes to a standstill and stays there for the given number of seconds.
    private mutating func stop(for seconds: Double) {
        while speed > 0 {
            speed = max(0, speed - 2.5)
            path.append(path[path.count - 1] + Point(angle: heading, length: speed))
        }
        path.append(contentsOf: repeatElement(path[path.count - 1], count: Int(seconds)))
    }
}

extension Area {
    /// Creates an area near one of the places. The distance between its center and the place is a random share of the radius from the range
    /// `offset`, in any direction.
    static func along(_ places: [Point], offset: ClosedRange<Double>, _ random: inout SeededRandom) -> Area {
        let place = places[Int.random(in: places.indices, using: &random)]
        let radius = random.logUniform(30...500)
        return Area(
            around: place + Point(angle: random.angle(), length: radius * random.uniform(offset)), radius: radius, &random)
    }
}
