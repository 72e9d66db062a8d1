import Geodesy
import TestSupport

/// Simulates a person on foot in a town 3 km wide, who walks to places and stays at each one for minutes or hours.
struct Walker {
    private var random: SeededRandom
    private var areas: [Area] = []
    private var path: [Point] = []
    /// The radius of the town in meters.
    private static let townRadius = 1500.0

    private init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Creates a journey of about the given number of seconds that begins and ends outside the town.
    static func journey(seed: UInt64, seconds: Int) -> Journey {
        var walker = Walker(seed: seed)
        walker.drawAreas()
        let edge = Point(angle: walker.random.angle(), length: townRadius + 1000)
        walker.path = [edge]
        while walker.path.count < seconds {
            walker.walk(to: walker.nextPlace())
            walker.stay()
        }
        walker.walk(to: edge)
        let origin = Coordinate(latitude: walker.random.uniform(-60...60), longitude: walker.random.uniform(-180...180))
        return Journey(kind: .walker, plane: Plane(origin: origin), areas: walker.areas, path: walker.path)
    }

    private mutating func drawAreas() {
        for _ in 0..<12 {
            areas.append(Area(around: random.point(within: Walker.townRadius), radius: random.logUniform(30...500), &random))
        }
    }

    /// The next goal: with a probability of 70 % a point inside an area, with 15 % a point just outside an area, otherwise any point of the
    /// town.
    private mutating func nextPlace() -> Point {
        let area = areas[Int.random(in: areas.indices, using: &random)]
        let chance = random.uniform(0...1)
        if chance < 0.7 { return area.center + random.point(within: 0.8 * area.radius) }
        if chance < 0.85 { return area.center + Point(angle: random.angle(), length: area.radius + random.uniform(5...80)) }
        return random.point(within: Walker.townRadius)
    }

    /// Walks to a place at a constant speed, with one bend.
    private mutating func walk(to place: Point) {
        let start = path[path.count - 1]
        let bend = (start + place) / 2 + (place - start).left * (0.15 * random.normal())
        let speed = random.uniform(1.2...1.8)
        for goal in [bend, place] {
            let from = path[path.count - 1]
            let seconds = ((goal - from).length / speed).rounded(.up)
            for second in stride(from: 1, through: seconds, by: 1) { path.append(from + (goal - from) * (second / seconds)) }
        }
    }

    /// Stays for one minute to two hours, either at rest or moving around within some meters.
    private mutating func stay() {
        let place = path[path.count - 1]
        let seconds = Int(random.isTrue(0.4) ? random.uniform(60...300) : random.logUniform(300...7200))
        let restlessness = random.isTrue(0.5) ? 0.25 : 0
        var offset = Point.zero
        for _ in 0..<seconds {
            if restlessness > 0 { offset = offset * 0.998 + Point(random.normal(), random.normal()) * restlessness }
            path.append(place + offset)
        }
    }
}
