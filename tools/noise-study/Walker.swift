import Geodesy
import TestSupport

/// Somebody on foot in a town of about a mile: goes to places, stays there for minutes or hours, and on.
struct Walker {
    private var random: SeededRandom
    private var areas: [Area] = []
    private var path: [Point] = []
    private static let townRadius = 1500.0

    private init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A journey that begins and ends out of town, and lasts about so many seconds.
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

    /// Seven times in ten a place within an area; else one just outside of an area, or anywhere.
    private mutating func nextPlace() -> Point {
        let area = areas[Int.random(in: areas.indices, using: &random)]
        let chance = random.uniform(0...1)
        if chance < 0.7 { return area.center + random.point(within: 0.8 * area.radius) }
        if chance < 0.85 { return area.center + Point(angle: random.angle(), length: area.radius + random.uniform(5...80)) }
        return random.point(within: Walker.townRadius)
    }

    /// Walks at one speed, with a bend.
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

    /// Stays for a minute to two hours: still, or moving about within some metres.
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
