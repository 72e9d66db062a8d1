import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("A chord through the earth")
struct EarthVectorTests {
    @Test("Bounds the geodesic from both sides", arguments: [1, 2, 3, 4] as [UInt64])
    func bounds(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let a = Coordinate(
                latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            let distance = pow(10, Double.random(in: -1...7.3, using: &random))
            let b = Geodesic.direct(a, azimuth: .random(in: 0...360, using: &random), distance: distance)
            let geodesic = Geodesic.distance(a, b)
            let chord = EarthVector(a).chordSquared(to: EarthVector(b)).squareRoot()
            #expect(chord <= geodesic + EarthVector.rounding, "\(a) \(b), seed \(seed)")
            #expect(EarthVector.longestGeodesic(chord: chord) >= geodesic - EarthVector.rounding, "\(a) \(b), seed \(seed)")
            // A limit just short of the geodesic is never surely held; one just beyond is never surely passed.
            #expect(EarthVector.surelyWithin(length: geodesic - 1e-5) <= chord, "\(a) \(b), seed \(seed)")
            #expect(EarthVector.surelyBeyond(length: geodesic + 1e-5) >= chord, "\(a) \(b), seed \(seed)")
        }
    }

    @Test("Leaves little open")
    func sharpness() {
        for (length, gap) in [(500.0, 4e-6), (10_000, 0.002), (100_000, 1.1)] {
            #expect(EarthVector.surelyBeyond(length: length) - EarthVector.surelyWithin(length: length) < gap)
        }
    }
}
