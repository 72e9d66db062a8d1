import Foundation
import Geodesy
import TestSupport
import Testing

@Suite("The cell index")
struct CellIndexTests {
    /// Boxes of every size, many of them at the poles and the antimeridian.
    private func boxes(_ count: Int, _ random: inout SeededRandom) -> [BoundingBox] {
        (0..<count).map { _ in
            let radius = pow(10, Double.random(in: 0...6, using: &random))
            let latitude = [Double.random(in: -90...90, using: &random), 89.999, -90, 0].randomElement(using: &random)!
            let longitude = [Double.random(in: -180...180, using: &random), 180, -180, 179.9999].randomElement(using: &random)!
            return BoundingBox(around: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
        }
    }

    @Test("Candidates at a place include every box that contains it, each once", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func candidates(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let boxes = boxes(400, &random)
        let index = CellIndex(boxes)
        for _ in 0..<2000 {
            let near = boxes.randomElement(using: &random)!
            let place = Coordinate(
                latitude: min(90, max(-90, near.south + (near.north - near.south) * .random(in: -0.1...1.1, using: &random))),
                longitude: Coordinate.wrapped(
                    longitude: near.west + (near.east - near.west) * .random(in: -0.1...1.1, using: &random)))
            var named: [Int] = []
            index.forEachCandidate(at: place) { named.append($0) }
            #expect(Set(named).count == named.count, "twice at \(place), seed \(seed)")
            let holding = Set(boxes.indices.filter { boxes[$0].contains(place) })
            #expect(holding.isSubset(of: named), "missing \(holding.subtracting(named)) at \(place), seed \(seed)")
        }
    }

    @Test("Candidates for a box include every box that intersects it", arguments: [6, 7] as [UInt64])
    func meeting(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let boxes = boxes(300, &random)
        let index = CellIndex(boxes)
        for box in self.boxes(300, &random) {
            let named = Set(index.candidates(meeting: box))
            let meeting = Set(boxes.indices.filter { boxes[$0].intersects(box) })
            #expect(meeting.isSubset(of: named), "missing \(meeting.subtracting(named)) of \(box), seed \(seed)")
        }
    }

    @Test("An index without boxes gives no candidates")
    func empty() {
        let index = CellIndex([])
        index.forEachCandidate(at: Coordinate(latitude: 0, longitude: 0)) { _ in Issue.record("a candidate of nothing") }
        #expect(index.candidates(meeting: BoundingBox(south: -90, north: 90, west: -180, east: 180)).isEmpty)
    }
}
