import Geodesy
import TestSupport
import Testing

@testable import Reconciler

/// Compares the results of the tree with those of a linear search over all circles.
@Suite struct BoundaryTreeTests {
    static func randomCoordinate(_ random: inout SeededRandom) -> Coordinate {
        // Often near the same few cities, sometimes near a pole or the antimeridian.
        switch Int.random(in: 0..<4, using: &random) {
        case 0: Coordinate(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
        case 1: Coordinate(latitude: 89.9, longitude: .random(in: -180...180, using: &random))
        case 2:
            Coordinate(latitude: .random(in: -1...1, using: &random), longitude: Bool.random(using: &random) ? 179.99 : -179.99)
        default:
            Coordinate(
                latitude: 52.5 + .random(in: -0.1...0.1, using: &random),
                longitude: 13.4 + .random(in: -0.1...0.1, using: &random))
        }
    }

    static func members(_ count: Int, _ random: inout SeededRandom) -> [BoundaryTree.Member] {
        (0..<count).map { number in
            let radius = [100.0, 500, 20_000, 900_000].randomElement(using: &random)! * .random(in: 0.5...1, using: &random)
            return BoundaryTree.Member(center: EarthVector(randomCoordinate(&random)), radius: radius, number: Int32(number))
        }
    }

    static func found(_ member: BoundaryTree.Member, _ place: EarthVector) -> BoundaryTree.NearbyCircle {
        let chord = place.chordSquared(to: member.center).squareRoot()
        return .init(number: Int(member.number), distance: BoundaryTree.distance(chord: chord, radius: member.radius))
    }

    /// Compares what the tree finds around a random point with the result of a linear search, and returns the point.
    private static func compare(
        _ tree: BoundaryTree, _ members: [BoundaryTree.Member], _ random: inout SeededRandom, _ seed: UInt64
    ) -> EarthVector {
        let place = EarthVector(Self.randomCoordinate(&random))
        let all = members.map { found($0, place) }.sorted(by: BoundaryTree.NearbyCircle.isNearer)
        let count = Int.random(in: 0...40, using: &random)
        #expect(tree.nearest(count, to: place) == Array(all.prefix(count)), "seed \(seed)")
        let reach = Double.random(in: 0...50_000, using: &random)
        #expect(Set(tree.within(reach, of: place)) == Set(all.filter { $0.distance <= reach }), "seed \(seed)")
        return place
    }

    @Test func treeFindsSameCirclesAsLinearSearch() {
        for seed in Histories.seeds(0...299) {
            var random = SeededRandom(seed: seed)
            let members = Self.members(Int.random(in: 0...300, using: &random), &random)
            let tree = BoundaryTree(members)
            for _ in 0..<10 {
                let place = Self.compare(tree, members, &random, seed)
                let holding = members.filter {
                    EarthVector.longestGeodesic(chord: place.chordSquared(to: $0.center).squareRoot()) <= $0.radius
                }
                #expect(Set(tree.containing(place).map(\.number)) == Set(holding.map { Int($0.number) }), "seed \(seed)")
            }
        }
    }

    @Test func changedTreeFindsSameCirclesAsLinearSearch() {
        for seed in Histories.seeds(0...39) {
            var random = SeededRandom(seed: seed)
            var members = Self.members(Int.random(in: 0...600, using: &random), &random)
            var tree = BoundaryTree(members)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                // Remove some circles and renumber the others consecutively, with gaps for new circles.
                var numbers = [Int32](repeating: -1, count: members.count)
                var kept: [BoundaryTree.Member] = []
                var free: [Int32] = []
                var next = Int32(0)
                for member in members.sorted(by: { $0.number < $1.number }) {
                    if Int.random(in: 0..<20, using: &random) == 0 { continue }
                    while Int.random(in: 0..<10, using: &random) == 0 {
                        free.append(next)
                        next += 1
                    }
                    numbers[Int(member.number)] = next
                    kept.append(.init(center: member.center, radius: member.radius, number: next))
                    next += 1
                }
                let added = zip(Self.members(free.count, &random), free).map { member, number in
                    BoundaryTree.Member(center: member.center, radius: member.radius, number: number)
                }
                tree.renumber(numbers)
                tree.insert(added)
                members = kept + added
                #expect(tree.count == members.count, "seed \(seed)")
                for _ in 0..<4 {
                    let place = Self.compare(tree, members, &random, seed)
                    #expect(
                        Set(tree.containing(place)) == Set(BoundaryTree(members).containing(place)), "seed \(seed)")
                }
            }
        }
    }

    @Test func equalCirclesAreOrderedByNumber() {
        let center = EarthVector(Coordinate(latitude: 10, longitude: 10))
        let tree = BoundaryTree((0..<100).map { BoundaryTree.Member(center: center, radius: 100, number: Int32(99 - $0)) })
        #expect(tree.nearest(5, to: EarthVector(Coordinate(latitude: 11, longitude: 10))).map(\.number) == [0, 1, 2, 3, 4])
        #expect(tree.count == 100)
    }
}

@Suite struct EnclosingCircleTests {
    @Test func enclosingCircleContainsEveryPointOfPolygon() {
        for seed in Histories.seeds(0...299) {
            var random = SeededRandom(seed: seed)
            let middle = BoundaryTreeTests.randomCoordinate(&random)
            let size = [0.001, 0.1, 3, 20].randomElement(using: &random)!
            let ring = (0..<Int.random(in: 3...9, using: &random)).map { _ in
                Coordinate(
                    latitude: min(90, max(-90, middle.latitude + .random(in: -size...size, using: &random))),
                    longitude: middle.longitude + .random(in: -size...size, using: &random))
            }
            let circle = Circle(enclosing: [Polygon(exterior: ring)])
            let center = EarthVector(circle.center)
            #expect(circle.center.isValid, "seed \(seed)")
            for (index, from) in ring.enumerated() {
                let to = ring[(index + 1) % ring.count]
                for _ in 0..<20 {
                    let share = Double.random(in: 0...1, using: &random)
                    let place = Coordinate(
                        latitude: from.latitude + (to.latitude - from.latitude) * share,
                        longitude: from.longitude + (to.longitude - from.longitude) * share)
                    let chord = EarthVector(place).chordSquared(to: center).squareRoot()
                    #expect(EarthVector.longestGeodesic(chord: chord) <= circle.radius, "seed \(seed)")
                }
            }
        }
    }

    @Test func squareKilometerHasCircleOfEightHundredMeters() {
        let circle = Circle(enclosing: [
            Polygon(exterior: [
                World.place(-500, -500), World.place(500, -500), World.place(500, 500), World.place(-500, 500),
            ])
        ])
        #expect((707...712).contains(circle.radius))
        #expect(circle.radius == circle.radius.rounded())
    }

    @Test func polygonsOnBothSidesOfAntimeridianHaveOneSmallCircle() {
        func box(_ west: Double, _ east: Double) -> Polygon {
            Polygon(exterior: [
                Coordinate(latitude: 0, longitude: west), Coordinate(latitude: 0, longitude: east),
                Coordinate(latitude: 1, longitude: east), Coordinate(latitude: 1, longitude: west),
            ])
        }
        #expect(Circle(enclosing: [box(179.5, 180), box(-180, -179.5)]).radius < 80_000)
        #expect(Circle(enclosing: [box(179.5, 180.5)]).radius < 80_000)
    }

    @Test func enclosingCircleOfNoPolygonsIsInfinite() {
        #expect(Circle(enclosing: []).radius == .infinity)
        let world = [-170.0, -90, 0, 90, 170].map { Coordinate(latitude: $0 / 2, longitude: $0) }
        #expect(
            Circle(enclosing: [
                Polygon(exterior: world + world.map { Coordinate(latitude: -$0.latitude, longitude: -$0.longitude) })
            ]).radius > 5_000_000)
    }
}
