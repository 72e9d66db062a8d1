import Geometry
import TestSupport
import Testing

@testable import Geodesy

@Suite("The index of balls")
struct SphereIndexTests {
    private struct Ball: Equatable {
        var number: Int
        var place: Coordinate
        var radius: Double
        var center: EarthVector { EarthVector(place) }

        /// Metres from its surface, in a straight line; negative inside.
        func beyond(_ vector: EarthVector) -> Double { center.chordSquared(to: vector).squareRoot() - radius }

        /// How far what the index reckons of it may be off: it keeps 32-bit numbers.
        var slack: Double { max(0.004, radius * 4e-5) }
    }

    /// Balls of every size, many of them at the poles and the antimeridian, many at one point, and many in crowds.
    private func balls(_ count: Int, _ random: inout SeededRandom) -> [Ball] {
        func anywhere() -> Coordinate {
            let latitude = [Double.random(in: -90...90, using: &random), 89.9999, -90, 90, 0].randomElement(using: &random)!
            let longitude = [Double.random(in: -180...180, using: &random), 180, -180, 179.9999].randomElement(using: &random)!
            return Coordinate(latitude: latitude, longitude: longitude)
        }
        let points = (0..<3).map { _ in anywhere() }
        return (0..<count).map { number in
            switch number % 4 {
            case 0: Ball(number: number, place: anywhere(), radius: pow(10, .random(in: 0...6.7, using: &random)))
            case 1: Ball(number: number, place: points[0], radius: pow(10, .random(in: 0...3, using: &random)))
            default:
                Ball(
                    number: number,
                    place: Geodesic.direct(
                        points[number % 3], azimuth: .random(in: 0...360, using: &random),
                        distance: pow(10, .random(in: 0...4, using: &random))),
                    radius: pow(10, .random(in: 0...2.5, using: &random)))
            }
        }
    }

    private func index(_ balls: [Ball]) -> SphereIndex {
        let index = SphereIndex()
        for ball in balls { index.insert(ball.number, ball.center, radius: ball.radius) }
        return index
    }

    /// A place in a ball, on its surface to a hair, or not far from it.
    private func place(by ball: Ball, _ random: inout SeededRandom) -> Coordinate {
        let share = [0, 1, 1 + 1e-7, 1 - 1e-7, .random(in: 0...1, using: &random), .random(in: 0...3, using: &random)]
            .randomElement(using: &random)!
        return Geodesic.direct(
            ball.place, azimuth: .random(in: 0...360, using: &random), distance: min(2e7, ball.radius * share))
    }

    /// Compares what an index finds at places near its balls with what all balls say.
    private func check(_ index: SphereIndex, _ balls: [Ball], _ count: Int, _ random: inout SeededRandom, _ remark: String) {
        let hits = SharedBuffer<SphereIndex.Hit>()
        for _ in 0..<count {
            guard let ball = balls.randomElement(using: &random) else { return }
            let place = EarthVector(place(by: ball, &random))
            let nearby = [0, 10, 5000].randomElement(using: &random)!
            hits.removeAll()
            let room = index.search(place, nearby: Double(nearby), hits)
            let found = hits.indices.map { hits[$0] }
            #expect(Set(found.map(\.number)).count == found.count, "named twice, \(remark)")
            let named = Set(found.lazy.filter { !$0.isNear }.map { Int($0.number) })
            let seen = Dictionary(found.map { (Int($0.number), $0) }) { first, _ in first }
            for ball in balls {
                let beyond = ball.beyond(place)
                if beyond <= 0 { #expect(named.contains(ball.number), "missing \(ball), \(beyond), \(remark)") }
                if named.contains(ball.number) {
                    #expect(beyond <= ball.slack, "\(ball) is \(beyond) m away, \(remark)")
                } else {
                    #expect(room.free <= max(0, beyond), "free \(room.free), but \(ball) is \(beyond) m away, \(remark)")
                }
                if let hit = seen[ball.number] {
                    #expect(Double(hit.beyond) >= beyond, "\(hit) of \(ball), \(beyond), \(remark)")
                } else if beyond < room.known {
                    #expect(beyond > Double(nearby), "\(ball) is known and \(beyond) m away, \(remark)")
                }
            }
            #expect(seen.keys.allSatisfy { number in balls.contains { $0.number == number } }, "\(remark)")
        }
    }

    @Test(
        "Names every ball that holds a place, each once, and knows how far the others are",
        arguments: 1...6 as ClosedRange<UInt64>)
    func search(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let balls = balls([1, 10, 300, 900, 900, 900][Int(seed - 1) % 6], &random)
        let index = index(balls)
        check(index, balls, 150, &random, "seed \(seed)")
        index.compact()
        check(index, balls, 50, &random, "compact, seed \(seed)")
    }

    @Test("Is as if made anew after balls came and went in any order", arguments: 7...10 as ClosedRange<UInt64>)
    func changes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var left = balls(800, &random).shuffled(using: &random)
        var held: [Ball] = []
        let index = SphereIndex()
        for _ in 0..<4000 {
            let grows = Int.random(in: 0..<3, using: &random) != 0
            if grows, let ball = left.popLast() {
                index.insert(ball.number, ball.center, radius: ball.radius)
                held.append(ball)
            } else if !held.isEmpty {
                let ball = held.remove(at: .random(in: held.indices, using: &random))
                index.remove(ball.number, ball.center, radius: ball.radius)
                left.insert(ball, at: .random(in: 0...left.count, using: &random))
            }
            if Int.random(in: 0..<500, using: &random) == 0 { index.compact() }
            if Int.random(in: 0..<200, using: &random) == 0 { check(index, held, 2, &random, "seed \(seed)") }
        }
        check(index, held, 60, &random, "seed \(seed)")
        let fresh = self.index(held)
        let (hits, freshHits) = (SharedBuffer<SphereIndex.Hit>(), SharedBuffer<SphereIndex.Hit>())
        for _ in 0..<100 {
            guard let ball = held.randomElement(using: &random) else { return }
            let place = EarthVector(place(by: ball, &random))
            hits.removeAll()
            freshHits.removeAll()
            _ = index.search(place, hits)
            _ = fresh.search(place, freshHits)
            let names = Set(hits.indices.map { Int(hits[$0].number) })
            for number in names.symmetricDifference(freshHits.indices.map { Int(freshHits[$0].number) }) {
                let ball = held.first { $0.number == number }
                #expect(ball.map { abs($0.beyond(place)) <= $0.slack } ?? false, "\(number), seed \(seed)")
            }
        }
        for ball in held.shuffled(using: &random) { index.remove(ball.number, ball.center, radius: ball.radius) }
        hits.removeAll()
        let room = index.search(EarthVector(Coordinate(latitude: 1, longitude: 1)), nearby: 1e7, hits)
        #expect(hits.count == 0 && room.free == .infinity && room.known == .infinity, "seed \(seed)")
    }

    @Test("Names every ball that a ball meets on the ground, ascending, each once", arguments: 11...14 as ClosedRange<UInt64>)
    func meeting(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let balls = balls(600, &random)
        let index = index(balls)
        for _ in 0..<120 {
            guard let ball = balls.randomElement(using: &random) else { return }
            let middle = place(by: ball, &random)
            let center = EarthVector(middle)
            let radius = pow(10, Double.random(in: -1...6.5, using: &random))
            let numbers = index.numbers(meeting: center, radius)
            #expect(numbers == Set(numbers).sorted(), "seed \(seed)")
            let named = Set(numbers)
            for ball in balls where radius + ball.radius < 1000 && ball.beyond(center) <= radius {
                #expect(named.contains(ball.number), "missing \(ball), seed \(seed)")
            }
            for _ in 0..<8 {
                let ground = EarthVector(
                    Geodesic.direct(
                        middle, azimuth: .random(in: 0...360, using: &random),
                        distance: min(2e7, radius * [1, .random(in: 0...1, using: &random)].randomElement(using: &random)!)))
                for ball in balls where ball.beyond(ground) <= 0 {
                    #expect(named.contains(ball.number), "missing \(ball) around \(middle) \(radius), seed \(seed)")
                }
            }
        }
    }

    @Test("Names every ball that a way meets on the ground, and none far from it", arguments: 15...18 as ClosedRange<UInt64>)
    func along(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let balls = balls(600, &random)
        let index = index(balls)
        var between = 0
        for _ in 0..<80 {
            guard let ball = balls.randomElement(using: &random) else { return }
            let start = place(by: ball, &random)
            let azimuth = Double.random(in: 0...360, using: &random)
            let length = pow(10, Double.random(in: -1...5.5, using: &random))
            let (a, b) = (EarthVector(start), EarthVector(Geodesic.direct(start, azimuth: azimuth, distance: length)))
            let distance = length * length / (8 * WGS84.smallestCurvatureRadius) + .random(in: 0.01...300, using: &random)
            let numbers = index.numbers(along: a, b, within: distance)
            #expect(numbers == Set(numbers).sorted(), "seed \(seed)")
            let named = Set(numbers)
            for share in [0, 0.5, 1] + (0..<20).map({ _ in Double.random(in: 0...1, using: &random) }) {
                let ground = EarthVector(Geodesic.direct(start, azimuth: azimuth, distance: length * share))
                for ball in balls where ball.beyond(ground) <= 0 {
                    #expect(named.contains(ball.number), "missing \(ball) from \(start) \(azimuth) \(length), seed \(seed)")
                }
            }
            let (from, way) = (SIMD3(a.x, a.y, a.z), SIMD3(b.x - a.x, b.y - a.y, b.z - a.z))
            for ball in numbers.map({ balls[$0] }) {
                let center = SIMD3(ball.center.x, ball.center.y, ball.center.z) - from
                let share = min(max((center * way).sum() / (way * way).sum(), 0), 1)
                let off = center - way * share
                let beyond = (off * off).sum().squareRoot() - ball.radius
                #expect(beyond <= distance * (1 + 1e-5) + 2 * ball.slack, "\(ball) is \(beyond) m away, seed \(seed)")
                if share > 0, share < 1 { between += 1 }
            }
        }
        #expect(between > 0, "only balls by the ends, seed \(seed)")
    }

    @Test("Is empty without balls, and finds nothing where there is no place")
    func nothing() {
        let hits = SharedBuffer<SphereIndex.Hit>()
        let empty = SphereIndex()
        #expect(empty.search(EarthVector(Coordinate(latitude: 0, longitude: 0)), hits).free == .infinity)
        #expect(empty.numbers(meeting: EarthVector(Coordinate(latitude: 0, longitude: 0)), 1e7).isEmpty)
        let index = index([Ball(number: 0, place: Coordinate(latitude: 0, longitude: 0), radius: 100)])
        #expect(index.search(EarthVector(Coordinate(latitude: .nan, longitude: 0)), hits).free == 0)
        #expect(hits.count == 0)
        let (nowhere, place) = (
            EarthVector(Coordinate(latitude: .nan, longitude: 0)), EarthVector(Coordinate(latitude: 0, longitude: 0))
        )
        #expect(index.numbers(meeting: nowhere, 100).isEmpty)
        #expect(index.numbers(along: place, nowhere, within: 100).isEmpty)
        #expect(index.search(EarthVector(Coordinate(latitude: 0, longitude: 0)), hits).free >= 0)
        #expect(hits.count == 1)
    }
}
