import Geodesy
import TestSupport

/// Simulates a person for ten days: stays of minutes to hours in and outside of six geofences, and the trips between them.
struct Resident {
    private var random: SeededRandom
    private var areas: [Area] = []
    private var path: [Point]
    /// The radius of the town in meters.
    private static let townRadius = 4000.0

    private init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        path = []
    }

    /// Creates a journey of about the given number of seconds that begins at home.
    static func journey(seed: UInt64, seconds: Int) -> Journey {
        var resident = Resident(seed: seed)
        for _ in 0..<6 {
            resident.areas.append(
                Area(
                    around: resident.random.point(within: townRadius), radius: resident.random.logUniform(80...250),
                    &resident.random))
        }
        resident.path = [resident.areas[0].center]
        while resident.path.count < seconds {
            resident.stay()
            resident.travel(to: resident.nextPlace())
        }
        let origin = Coordinate(
            latitude: resident.random.uniform(-60...60), longitude: resident.random.uniform(-180...180))
        return Journey(kind: .resident, plane: Plane(origin: origin), areas: resident.areas, path: resident.path)
    }

    /// The next goal: with a probability of 30 % at home, with 45 % inside any area, with 10 % beside an area, otherwise any point of the
    /// town.
    private mutating func nextPlace() -> Point {
        let chance = random.uniform(0...1)
        let area = chance < 0.3 ? areas[0] : areas[Int.random(in: areas.indices, using: &random)]
        if chance < 0.75 { return area.center + random.point(within: 0.7 * area.radius) }
        if chance < 0.85 { return area.center + Point(angle: random.angle(), length: area.radius + random.uniform(60...200)) }
        return random.point(within: Resident.townRadius)
    }

    /// Stays for ten minutes to ten hours.
    private mutating func stay() {
        path.append(contentsOf: repeatElement(path[path.count - 1], count: Int(random.logUniform(600...36_000))))
    }

    /// Travels to a place at a constant speed, with one bend: short ways on foot, longer ones by bicycle or car.
    private mutating func travel(to place: Point) {
        let start = path[path.count - 1]
        let distance = (place - start).length
        let bend = (start + place) / 2 + (place - start).left * (0.15 * random.normal())
        let speed = distance < 800 ? random.uniform(1.2...1.8) : random.uniform(4...14)
        for goal in [bend, place] {
            let from = path[path.count - 1]
            let seconds = max(1, ((goal - from).length / speed).rounded(.up))
            for second in stride(from: 1, through: seconds, by: 1) { path.append(from + (goal - from) * (second / seconds)) }
        }
    }
}
