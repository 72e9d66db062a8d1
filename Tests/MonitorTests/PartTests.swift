import Foundation
import Geodesy
import Geometry
import Model
import TestSupport
import Testing

@testable import Monitor

@Suite("The first bytes of a fence ID")
struct FenceIDTests {
    private static let letters = Array("-.0123456789ABCXYZ_abcxyz")

    @Test("Shortened IDs compare like whole IDs, as far as they reach")
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
            #expect(short.mayBeTruncated == (a.utf8.count >= 16))
            for b in ids {
                let (first, second) = (String(a.prefix(16)), String(b.prefix(16)))
                #expect((short < FenceID(b)) == (first < second), "\(a) \(b)")
                #expect((short == FenceID(b)) == (first == second), "\(a) \(b)")
            }
        }
    }

    @Test("Long IDs are sorted as a whole, and are returned whole")
    func long() {
        let ids = [
            "0123456789abcdefgh", "0123456789abcdef", "0123456789abcdefg", "0123456789abcde", String(repeating: "z", count: 64),
        ]
        var scene = Scene(ids.map { Scene.circle($0, 100) })
        scene.observe(0, 0)
        #expect(scene.events == ids.sorted().map { "enter \($0) 0" })
        for (number, id) in ids.enumerated() { #expect(scene.engine.fences.geofence(FenceKey(Int32(number + 1)))?.id == id) }
    }
}

@Suite("Fence states")
struct FenceStatesTests {
    private static let fix = Fix(time: Instant(milliseconds: 0), coordinate: Coordinate(latitude: 0, longitude: 0))

    @Test(
        "Fence states hold what an array would hold, each with its pending transition", arguments: 1...20 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var states = FenceStates()
        var model: [(fence: FenceKey, count: Int?)] = []
        func pending(_ count: Int?) -> PendingTransition? {
            count.map { PendingTransition(fix: Self.fix, count: $0, crossedAt: nil) }
        }
        for step in 0..<800 {
            let fence = FenceKey(Int32(step))
            let count = Bool.random(using: &random) ? step : nil
            let index = model.indices.randomElement(using: &random)
            // Additions and removals predominate in turn.
            switch (Int.random(in: 0..<10, using: &random), index) {
            case (0..<(step / 300 % 2 == 0 ? 5 : 2), _), (_, nil):
                states.append(PackedFenceState(fence, phase: .entering), pending(count))
                model.append((fence, count))
            case (5...7, let index?):
                states.update(at: index, PackedFenceState(fence, phase: .exiting), pending(count))
                model[index] = (fence, count)
            case (_, let index?):
                states.remove(at: index)
                model.swapAt(index, model.count - 1)
                model.removeLast()
            }
            #expect(states.indices.map { states[$0].fence } == model.map(\.fence), "seed \(seed)")
            #expect(states.indices.map { states.pending(states[$0])?.count } == model.map(\.count), "seed \(seed)")
            #expect(states.hasPending == model.contains { $0.count != nil }, "seed \(seed)")
            let wanted = FenceKey(.random(in: 0...Int32(step), using: &random))
            #expect(states.index(of: wanted) == model.firstIndex { $0.fence == wanted }, "seed \(seed)")
        }
    }

    @Test("An updated fence state keeps the position of its fence")
    func position() {
        var states = FenceStates()
        states.append(PackedFenceState(FenceKey(7), at: 3, isPlain: true, phase: .inside), nil)
        states.update(at: 0, PackedFenceState(FenceKey(7), phase: .exiting), nil)
        #expect(states[0].position == 3 && states[0].isPlain && states[0].phase == .exiting)
    }
}

@Suite("Safe regions")
struct SafeRegionTests {
    private let fences = FenceSet(revision: 1, [FenceSet.KeyedGeofence]())

    @Test("A safe region contains no place farther away than its radius", arguments: 1...10 as ClosedRange<UInt64>)
    func radius(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var held = 0
        for _ in 0..<2000 {
            let latitudes = [Double.random(in: -90...90, using: &random), 0, 89.9999, 90, -90, -89.99, 60]
            let longitudes = [Double.random(in: -180...180, using: &random), 180, -180, 179.9999, 0]
            let center = Coordinate(
                latitude: latitudes.randomElement(using: &random)!, longitude: longitudes.randomElement(using: &random)!)
            let radius = pow(10, Double.random(in: -0.9...7.3, using: &random))
            var zone = SafeRegion()
            zone.set(around: center, EarthVector(center), radius: radius, of: fences)
            for _ in 0..<5 {
                var place = Geodesic.direct(
                    center, azimuth: .random(in: 0...360, using: &random),
                    distance: min(2e7, radius * .random(in: 0...1.2, using: &random)))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    place = Coordinate(latitude: center.latitude, longitude: .random(in: -180...180, using: &random))
                }
                guard zone.contains(place, among: fences.stamp) else { continue }
                held += 1
                #expect(Geodesic.distance(center, place) <= radius, "\(center) \(place) \(radius), seed \(seed)")
            }
        }
        #expect(held > 1000, "zones that hold nothing, seed \(seed)")
    }

    @Test("A safe region contains nearly its whole circle, and nothing when it is closed, too small or of another set of fences")
    func use() {
        var zone = SafeRegion()
        #expect(!zone.contains(Scene.berlin, among: fences.stamp) && !zone.contains(Scene.berlin, among: 0))
        zone.set(around: Scene.berlin, EarthVector(Scene.berlin), radius: 1000, of: fences)
        for azimuth in stride(from: 0.0, to: 360, by: 10) {
            let place = Geodesic.direct(Scene.berlin, azimuth: azimuth, distance: 985)
            #expect(zone.contains(place, among: fences.stamp), "\(azimuth)")
            #expect(!zone.contains(place, among: fences.stamp &+ 1), "\(azimuth)")
        }
        #expect(!zone.contains(Coordinate(latitude: .nan, longitude: 0), among: fences.stamp))
        zone.clear()
        #expect(!zone.contains(Scene.berlin, among: fences.stamp))
        zone.set(around: Scene.berlin, EarthVector(Scene.berlin), radius: 0.01, of: fences)
        #expect(!zone.contains(Scene.berlin, among: fences.stamp))
        zone.set(around: Scene.berlin, EarthVector(Scene.berlin), radius: .infinity, of: fences)
        #expect(!zone.contains(Coordinate(latitude: -52, longitude: -166), among: fences.stamp))
        zone.set(around: Scene.berlin, EarthVector(Scene.berlin), radius: .nan, of: fences)
        #expect(!zone.contains(Scene.berlin, among: fences.stamp))
    }
}
