import Foundation
import Geometry
import TestSupport
import Testing

@testable import Geodesy

@Suite("The index of spheres")
struct SphereIndexTests {
    private struct Sphere: Equatable {
        let number: Int
        let place: Coordinate
        let radius: Double
        let center: EarthVector

        init(number: Int, place: Coordinate, radius: Double) {
            (self.number, self.place, self.radius) = (number, place, radius)
            center = EarthVector(place)
        }

        /// Meters from the sphere's surface in a straight line, negative inside.
        func beyond(_ vector: EarthVector) -> Double { center.chordSquared(to: vector).squareRoot() - radius }

        /// Tolerance for the index's 32-bit distances, in meters.
        var slack: Double { max(0.004, radius * 4e-5) }
    }

    /// Spheres of every size, many of them at the poles, at the antimeridian, at one point, or in crowds.
    private func spheres(_ count: Int, _ random: inout SeededRandom) -> [Sphere] {
        func anywhere() -> Coordinate {
            let latitude = [Double.random(in: -90...90, using: &random), 89.9999, -90, 90, 0].randomElement(using: &random)!
            let longitude = [Double.random(in: -180...180, using: &random), 180, -180, 179.9999].randomElement(using: &random)!
            return Coordinate(latitude: latitude, longitude: longitude)
        }
        let points = (0..<3).map { _ in anywhere() }
        return (0..<count).map { number in
            switch number % 4 {
            case 0: Sphere(number: number, place: anywhere(), radius: pow(10, .random(in: 0...6.7, using: &random)))
            case 1: Sphere(number: number, place: points[0], radius: pow(10, .random(in: 0...3, using: &random)))
            default:
                Sphere(
                    number: number,
                    place: Geodesic.direct(
                        points[number % 3], azimuth: .random(in: 0...360, using: &random),
                        distance: pow(10, .random(in: 0...4, using: &random))),
                    radius: pow(10, .random(in: 0...2.5, using: &random)))
            }
        }
    }

    @Test("Many spheres at one place are added in linear time, and found")
    func samePlace() {
        let index = SphereIndex()
        let place = EarthVector(Coordinate(latitude: 20, longitude: 20))
        let count = 5000
        for number in 0..<count { index.insert(number, place, radius: 100) }
        // A sphere is in at most eight cells of a level, and each of a few levels examines it twice at most.
        #expect(index.examinedCount < count * 50)
        let candidates = SharedBuffer<SphereIndex.Candidate>()
        _ = index.search(place, into: candidates)
        #expect(Set(candidates.indices.map { candidates[$0].number }) == Set(0..<Int32(count)))
    }

    private func index(_ spheres: [Sphere]) -> SphereIndex {
        let index = SphereIndex()
        for sphere in spheres { index.insert(sphere.number, sphere.center, radius: sphere.radius) }
        return index
    }

    /// A position in a sphere, very close to its surface, or near it.
    private func place(by sphere: Sphere, _ random: inout SeededRandom) -> Coordinate {
        let share = [0, 1, 1 + 1e-7, 1 - 1e-7, .random(in: 0...1, using: &random), .random(in: 0...3, using: &random)]
            .randomElement(using: &random)!
        return Geodesic.direct(
            sphere.place, azimuth: .random(in: 0...360, using: &random), distance: min(2e7, sphere.radius * share))
    }

    /// Compares the index's results at positions near its spheres with a check of all spheres.
    private func check(_ index: SphereIndex, _ spheres: [Sphere], _ count: Int, _ random: inout SeededRandom, _ remark: String) {
        let candidates = SharedBuffer<SphereIndex.Candidate>()
        for _ in 0..<count {
            guard let sphere = spheres.randomElement(using: &random) else { return }
            let place = EarthVector(place(by: sphere, &random))
            let nearby = [0, 10, 5000].randomElement(using: &random)!
            candidates.removeAll()
            let room = index.search(place, nearby: Double(nearby), into: candidates)
            let found = candidates.indices.map { candidates[$0] }
            #expect(Set(found.map(\.number)).count == found.count, "named twice, \(remark)")
            let named = Set(found.lazy.filter { !$0.isOutside }.map { Int($0.number) })
            let seen = Dictionary(found.map { (Int($0.number), $0) }) { first, _ in first }
            for sphere in spheres {
                let beyond = sphere.beyond(place)
                if beyond <= 0 { #expect(named.contains(sphere.number), "missing \(sphere), \(beyond), \(remark)") }
                if named.contains(sphere.number) {
                    #expect(beyond <= sphere.slack, "\(sphere) is \(beyond) m away, \(remark)")
                } else {
                    #expect(
                        room.freeDistance <= max(0, beyond),
                        "free \(room.freeDistance), but \(sphere) is \(beyond) m away, \(remark)")
                }
                if let candidate = seen[sphere.number] {
                    #expect(Double(candidate.beyond) >= beyond, "\(candidate) of \(sphere), \(beyond), \(remark)")
                } else if beyond < room.searchedDistance {
                    #expect(beyond > Double(nearby), "\(sphere) is known and \(beyond) m away, \(remark)")
                }
            }
            #expect(seen.keys.allSatisfy { number in spheres.contains { $0.number == number } }, "\(remark)")
        }
    }

    @Test(
        "A search names every sphere that contains a place, each once, and the distance to the others",
        arguments: Histories.seeds(1...6))
    func search(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let spheres = spheres([1, 10, 300, 900, 900, 900][Int(seed - 1) % 6], &random)
        let index = index(spheres)
        check(index, spheres, 150, &random, "seed \(seed)")
        index.compact()
        check(index, spheres, 50, &random, "compact, seed \(seed)")
    }

    @Test("An index after insertions and removals in any order agrees with a new index", arguments: Histories.seeds(7...10))
    func changes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var left = spheres(800, &random).shuffled(using: &random)
        var held: [Sphere] = []
        let index = SphereIndex()
        for _ in 0..<4000 {
            let grows = Int.random(in: 0..<3, using: &random) != 0
            if grows, let sphere = left.popLast() {
                index.insert(sphere.number, sphere.center, radius: sphere.radius)
                held.append(sphere)
            } else if !held.isEmpty {
                let sphere = held.remove(at: .random(in: held.indices, using: &random))
                index.remove(sphere.number, sphere.center, radius: sphere.radius)
                left.insert(sphere, at: .random(in: 0...left.count, using: &random))
            }
            if Int.random(in: 0..<500, using: &random) == 0 { index.compact() }
            if Int.random(in: 0..<200, using: &random) == 0 { check(index, held, 2, &random, "seed \(seed)") }
        }
        check(index, held, 60, &random, "seed \(seed)")
        let fresh = self.index(held)
        let (candidates, freshHits) = (SharedBuffer<SphereIndex.Candidate>(), SharedBuffer<SphereIndex.Candidate>())
        for _ in 0..<100 {
            guard let sphere = held.randomElement(using: &random) else { return }
            let place = EarthVector(place(by: sphere, &random))
            candidates.removeAll()
            freshHits.removeAll()
            _ = index.search(place, into: candidates)
            _ = fresh.search(place, into: freshHits)
            let names = Set(candidates.indices.map { Int(candidates[$0].number) })
            for number in names.symmetricDifference(freshHits.indices.map { Int(freshHits[$0].number) }) {
                let sphere = held.first { $0.number == number }
                #expect(sphere.map { abs($0.beyond(place)) <= $0.slack } ?? false, "\(number), seed \(seed)")
            }
        }
        for sphere in held.shuffled(using: &random) { index.remove(sphere.number, sphere.center, radius: sphere.radius) }
        candidates.removeAll()
        let room = index.search(EarthVector(Coordinate(latitude: 1, longitude: 1)), nearby: 1e7, into: candidates)
        #expect(candidates.count == 0 && room.freeDistance == .infinity && room.searchedDistance == .infinity, "seed \(seed)")
    }

    @Test(
        "The index names every sphere that intersects a given sphere on the ground, ascending, each once",
        arguments: Histories.seeds(11...14))
    func meeting(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let spheres = spheres(600, &random)
        let index = index(spheres)
        for _ in 0..<120 {
            guard let sphere = spheres.randomElement(using: &random) else { return }
            let middle = place(by: sphere, &random)
            let center = EarthVector(middle)
            let radius = pow(10, Double.random(in: -1...6.5, using: &random))
            let numbers = index.numbers(meeting: center, radius: radius)
            #expect(numbers == Set(numbers).sorted(), "seed \(seed)")
            let named = Set(numbers)
            for sphere in spheres where radius + sphere.radius < 1000 && sphere.beyond(center) <= radius {
                #expect(named.contains(sphere.number), "missing \(sphere), seed \(seed)")
            }
            for _ in 0..<8 {
                let ground = EarthVector(
                    Geodesic.direct(
                        middle, azimuth: .random(in: 0...360, using: &random),
                        distance: min(2e7, radius * [1, .random(in: 0...1, using: &random)].randomElement(using: &random)!)))
                for sphere in spheres where sphere.beyond(ground) <= 0 {
                    #expect(named.contains(sphere.number), "missing \(sphere) around \(middle) \(radius), seed \(seed)")
                }
            }
        }
    }

    @Test(
        "The index names every sphere that a path meets on the ground, and none far from the path",
        arguments: Histories.seeds(15...18))
    func along(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let spheres = spheres(600, &random)
        let index = index(spheres)
        var between = 0
        for _ in 0..<80 {
            guard let sphere = spheres.randomElement(using: &random) else { return }
            let start = place(by: sphere, &random)
            let azimuth = Double.random(in: 0...360, using: &random)
            let length = pow(10, Double.random(in: -1...5.5, using: &random))
            let (a, b) = (EarthVector(start), EarthVector(Geodesic.direct(start, azimuth: azimuth, distance: length)))
            let distance = length * length / (8 * WGS84.smallestCurvatureRadius) + .random(in: 0.01...300, using: &random)
            let numbers = index.numbers(along: a, b, within: distance)
            #expect(numbers == Set(numbers).sorted(), "seed \(seed)")
            let named = Set(numbers)
            for share in [0, 0.5, 1] + (0..<20).map({ _ in Double.random(in: 0...1, using: &random) }) {
                let ground = EarthVector(Geodesic.direct(start, azimuth: azimuth, distance: length * share))
                for sphere in spheres where sphere.beyond(ground) <= 0 {
                    #expect(named.contains(sphere.number), "missing \(sphere) from \(start) \(azimuth) \(length), seed \(seed)")
                }
            }
            let (from, way) = (SIMD3(a.x, a.y, a.z), SIMD3(b.x - a.x, b.y - a.y, b.z - a.z))
            for sphere in numbers.map({ spheres[$0] }) {
                let center = SIMD3(sphere.center.x, sphere.center.y, sphere.center.z) - from
                let share = min(max((center * way).sum() / (way * way).sum(), 0), 1)
                let off = center - way * share
                let beyond = (off * off).sum().squareRoot() - sphere.radius
                #expect(beyond <= distance * (1 + 1e-5) + 2 * sphere.slack, "\(sphere) is \(beyond) m away, seed \(seed)")
                if share > 0, share < 1 { between += 1 }
            }
        }
        #expect(between > 0, "only spheres by the ends, seed \(seed)")
    }

    @Test("An index without spheres gives nothing, and a place with NaN coordinates finds nothing")
    func nothing() {
        let candidates = SharedBuffer<SphereIndex.Candidate>()
        let empty = SphereIndex()
        #expect(empty.search(EarthVector(Coordinate(latitude: 0, longitude: 0)), into: candidates).freeDistance == .infinity)
        #expect(empty.numbers(meeting: EarthVector(Coordinate(latitude: 0, longitude: 0)), radius: 1e7).isEmpty)
        let index = index([Sphere(number: 0, place: Coordinate(latitude: 0, longitude: 0), radius: 100)])
        #expect(index.search(EarthVector(Coordinate(latitude: .nan, longitude: 0)), into: candidates).freeDistance == 0)
        #expect(candidates.count == 0)
        let (nowhere, place) = (
            EarthVector(Coordinate(latitude: .nan, longitude: 0)), EarthVector(Coordinate(latitude: 0, longitude: 0))
        )
        #expect(index.numbers(meeting: nowhere, radius: 100).isEmpty)
        #expect(index.numbers(along: place, nowhere, within: 100).isEmpty)
        #expect(index.search(EarthVector(Coordinate(latitude: 0, longitude: 0)), into: candidates).freeDistance >= 0)
        #expect(candidates.count == 1)
    }
}
