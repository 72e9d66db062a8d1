import Foundation
import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("Geodesics")
struct GeodesicTests {
    @Test("Distances agree with Karney's test lines", .enabled(if: SharedData.isAvailable(for: "Karney's test lines")))
    func karney() throws {
        let lines = try String(contentsOf: SharedData.file("geodesic/GeodTest-100.dat"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 100)
        for line in lines {
            let n = line.split(separator: " ").compactMap { Double($0) }
            let a = Coordinate(latitude: n[0], longitude: n[1])
            let b = Coordinate(latitude: n[3], longitude: n[4])
            #expect(abs(Geodesic.distance(a, b) - n[6]) < 2e-8, "\(line)")
        }
    }

    @Test("The distance to the end of a geodesic is the distance that was traveled")
    func roundTrip() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<1000 {
            let start = Coordinate(
                latitude: .random(in: -89...89, using: &random), longitude: .random(in: -180...180, using: &random))
            let distance = Double.random(in: 1...1_000_000, using: &random)
            let end = Geodesic.direct(start, azimuth: .random(in: 0...360, using: &random), distance: distance)
            #expect(abs(Geodesic.distance(start, end) - distance) < 1e-7)
        }
    }
}
