import Geodesy
import Geometry
import Model
import TestSupport
import Testing

@testable import Monitor

@Suite("The first bytes of a fence's id")
struct FenceIDTests {
    private static let letters = Array("-.0123456789ABCXYZ_abcxyz")

    @Test("Compare like the whole, as far as they go")
    func order() {
        var random = SeededRandom(seed: 3)
        var ids = ["a", "-", "z", "0123456789abcdef", "0123456789abcdefg", "0123456789abcde", "0123456789abcdef-"]
        for _ in 0..<300 {
            let stem = ["", "fence-", "0123456789abcde"].randomElement(using: &random)!
            let rest = (0..<Int.random(in: 1...20, using: &random)).map { _ in Self.letters.randomElement(using: &random)! }
            ids.append(stem + String(rest))
        }
        for a in ids {
            let short = FenceID(a)
            #expect(short.text == String(a.prefix(16)))
            #expect(short.isCut == (a.utf8.count >= 16))
            for b in ids {
                let (first, second) = (String(a.prefix(16)), String(b.prefix(16)))
                #expect((short < FenceID(b)) == (first < second), "\(a) \(b)")
                #expect((short == FenceID(b)) == (first == second), "\(a) \(b)")
            }
        }
    }

    @Test("Put long ids in the order of the whole, and give them back whole")
    func long() {
        let ids = [
            "0123456789abcdefgh", "0123456789abcdef", "0123456789abcdefg", "0123456789abcde", String(repeating: "z", count: 64),
        ]
        var scene = Scene(ids.map { Scene.circle($0, 100) })
        scene.see(0, 0)
        #expect(scene.told == ids.sorted().map { "enter \($0) 0" })
        for (number, id) in ids.enumerated() { #expect(scene.engine.fences.key(ofID: id) == FenceKey(Int32(number + 1))) }
    }
}

@Suite("Standings")
struct StandingsTests {
    @Test("Hold what an array holds", arguments: 1...20 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var standings = Standings()
        var model: [FenceKey] = []
        for step in 0..<400 {
            let fence = FenceKey(Int32(step))
            switch Int.random(in: 0..<(model.count > 12 ? 6 : 5), using: &random) {
            case 0, 1:
                standings.append(Standing(fence, .inside))
                model.append(fence)
            case 2 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                standings[index] = Standing(fence, .entering)
                model[index] = fence
            default:
                guard !model.isEmpty else { continue }
                let index = Int.random(in: model.indices, using: &random)
                standings.remove(at: index)
                model.swapAt(index, model.count - 1)
                model.removeLast()
            }
            #expect(standings.count == model.count && standings.indices.map { standings[$0].fence } == model, "seed \(seed)")
            let wanted = FenceKey(.random(in: 0...Int32(step), using: &random))
            #expect(standings.firstIndex { $0.fence == wanted } == model.firstIndex(of: wanted), "seed \(seed)")
        }
    }
}

@Suite("Pendings")
struct PendingsTests {
    @Test("Hold what a dictionary holds, and give back what many took", arguments: 1...10 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let fix = Fix(time: Instant(milliseconds: 0), coordinate: Coordinate(latitude: 0, longitude: 0))
        var pendings = Pendings()
        var model: [Int32: Int] = [:]
        for step in 0..<600 {
            let pending = Presence.Pending(fix: fix, count: step, crossedAt: nil)
            let known = model.keys.sorted().randomElement(using: &random)
            // Now more come, now more go.
            if Int.random(in: 0..<10, using: &random) < (step / 100 % 2 == 0 ? 7 : 3) {
                let number = pendings.put(pending)
                #expect(number >= 0 && model[number] == nil, "seed \(seed)")
                model[number] = step
            } else if let known, Bool.random(using: &random) {
                #expect(pendings.put(pending, at: known) == known, "seed \(seed)")
                model[known] = step
            } else if let known {
                pendings.remove(known)
                model[known] = nil
            }
            #expect(pendings.isEmpty == model.isEmpty, "seed \(seed)")
            for (number, count) in model { #expect(pendings[number]?.count == count, "seed \(seed)") }
        }
        pendings.remove(Pendings.none)
        #expect(pendings[Pendings.none] == nil)
    }
}

@Suite("Quiet zones")
struct QuietZoneTests {
    private let fences = FenceSet(revision: 1, [FenceSet.Entry]())

    @Test("Hold no place that is further away than their radius", arguments: 1...10 as ClosedRange<UInt64>)
    func radius(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var held = 0
        for _ in 0..<2000 {
            let latitudes = [Double.random(in: -90...90, using: &random), 0, 89.9999, 90, -90, -89.99, 60]
            let longitudes = [Double.random(in: -180...180, using: &random), 180, -180, 179.9999, 0]
            let center = Coordinate(
                latitude: latitudes.randomElement(using: &random)!, longitude: longitudes.randomElement(using: &random)!)
            let radius = pow(10, Double.random(in: -0.9...7.3, using: &random))
            var zone = QuietZone()
            zone.open(around: center, EarthVector(center), radius: radius, of: fences)
            for _ in 0..<5 {
                var place = Geodesic.direct(
                    center, azimuth: .random(in: 0...360, using: &random),
                    distance: min(2e7, radius * .random(in: 0...1.2, using: &random)))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    place = Coordinate(latitude: center.latitude, longitude: .random(in: -180...180, using: &random))
                }
                guard zone.holds(place, among: fences.stamp) else { continue }
                held += 1
                #expect(Geodesic.distance(center, place) <= radius, "\(center) \(place) \(radius), seed \(seed)")
            }
        }
        #expect(held > 1000, "zones that hold nothing, seed \(seed)")
    }

    @Test("Hold nearly all of it, but nothing once they are closed, nor among other fences, nor when there is too little")
    func use() {
        var zone = QuietZone()
        #expect(!zone.holds(Scene.berlin, among: fences.stamp) && !zone.holds(Scene.berlin, among: 0))
        zone.open(around: Scene.berlin, EarthVector(Scene.berlin), radius: 1000, of: fences)
        for azimuth in stride(from: 0.0, to: 360, by: 10) {
            let place = Geodesic.direct(Scene.berlin, azimuth: azimuth, distance: 985)
            #expect(zone.holds(place, among: fences.stamp), "\(azimuth)")
            #expect(!zone.holds(place, among: fences.stamp &+ 1), "\(azimuth)")
        }
        #expect(!zone.holds(Coordinate(latitude: .nan, longitude: 0), among: fences.stamp))
        zone.clear()
        #expect(!zone.holds(Scene.berlin, among: fences.stamp))
        zone.open(around: Scene.berlin, EarthVector(Scene.berlin), radius: 0.01, of: fences)
        #expect(!zone.holds(Scene.berlin, among: fences.stamp))
        zone.open(around: Scene.berlin, EarthVector(Scene.berlin), radius: .infinity, of: fences)
        #expect(!zone.holds(Coordinate(latitude: -52, longitude: -166), among: fences.stamp))
        zone.open(around: Scene.berlin, EarthVector(Scene.berlin), radius: .nan, of: fences)
        #expect(!zone.holds(Scene.berlin, among: fences.stamp))
    }
}
