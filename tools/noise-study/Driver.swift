import Geodesy
import TestSupport

/// Somebody in a car: smooth roads between junctions, at 5 to 30 m/s, with stops at lights and parking.
struct Driver {
    private var random: SeededRandom
    private var path: [Point]
    /// Radians from east, counterclockwise.
    private var heading: Double
    /// Metres per second.
    private var speed = 5.0
    private static let regionRadius = 6000.0

    private init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        heading = random.angle()
        path = [Point(angle: heading + .pi, length: Driver.regionRadius + 2500)]
    }

    /// A journey that begins and ends outside of all areas, and lasts about so many seconds.
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

    /// Turns no sharper than a car does (3 m/s² sideways), and goes slowly while it has to turn far.
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

    /// Brakes, and stands for so many seconds.
    private mutating func stop(for seconds: Double) {
        while speed > 0 {
            speed = max(0, speed - 2.5)
            path.append(path[path.count - 1] + Point(angle: heading, length: speed))
        }
        path.append(contentsOf: repeatElement(path[path.count - 1], count: Int(seconds)))
    }
}

extension Area {
    /// An area near one of some places: its centre as far from it as these shares of its radius, in any direction.
    static func along(_ places: [Point], offset: ClosedRange<Double>, _ random: inout SeededRandom) -> Area {
        let place = places[Int.random(in: places.indices, using: &random)]
        let radius = random.logUniform(30...500)
        return Area(
            around: place + Point(angle: random.angle(), length: radius * random.uniform(offset)), radius: radius, &random)
    }
}
