import Foundation
import Geodesy
import Geometry
import TestSupport
import Testing

@Suite("Earth vectors")
struct EarthVectorTests {
    @Test("The chord between two vectors bounds the geodesic from both sides", arguments: [1, 2, 3, 4] as [UInt64])
    func bounds(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let a = Coordinate(
                latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            let distance = pow(10, Double.random(in: -1...7.3, using: &random))
            let b = Geodesic.direct(a, azimuth: .random(in: 0...360, using: &random), distance: distance)
            let geodesic = Geodesic.distance(a, b)
            let chord = EarthVector(a).chordSquared(to: EarthVector(b)).squareRoot()
            #expect(chord <= geodesic + EarthVector.roundingError, "\(a) \(b), seed \(seed)")
            #expect(EarthVector.longestGeodesic(chord: chord) >= geodesic - EarthVector.roundingError, "\(a) \(b), seed \(seed)")
            // A limit just below the geodesic must not be reported as held, nor one just above as exceeded.
            let bounds = DistanceBounds(EarthVector(a), EarthVector(b))
            #expect(bounds.isWithin(geodesic - 1e-5) != true, "\(a) \(b), seed \(seed)")
            #expect(bounds.isWithin(geodesic + 1e-5) != false, "\(a) \(b), seed \(seed)")
        }
    }

    @Test("The bounds of a distance are close to each other")
    func sharpness() {
        for (length, gap) in [(500.0, 4e-6), (10_000, 0.002), (100_000, 1.1)] {
            let center = EarthVector(Coordinate(latitude: 52, longitude: 13))
            let place = EarthVector(x: center.x + length, y: center.y, z: center.z)
            let bounds = DistanceBounds(center, place)
            #expect(bounds.atMost - bounds.atLeast < gap)
            #expect(bounds.isWithin(length - gap) == false && bounds.isWithin(length + gap) == true)
            #expect(bounds.isWithin(-1) == false)
        }
    }
}

@Suite("Sine and cosine of degrees")
struct SineAndCosineTests {
    @Test("Sine and cosine agree with the C library, to the last digits", arguments: [1, 2] as [UInt64])
    func library(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50_000 {
            let range = [1e-9, 1, 45, 90, 180, 720, 1e6].randomElement(using: &random)!
            let angles = SIMD2(Double.random(in: -range...range, using: &random), .random(in: -range...range, using: &random))
            let (sine, cosine) = sineAndCosine(degrees: angles)
            for lane in 0..<2 {
                // The reduction is exact in degrees, but not in radians: 720° in radians are off by 1e-15 already.
                let tolerance = 4e-16 + 2.3e-16 * abs(angles[lane].radians)
                #expect(abs(sine[lane] - sin(angles[lane].radians)) <= tolerance, "\(angles[lane]), seed \(seed)")
                #expect(abs(cosine[lane] - cos(angles[lane].radians)) <= tolerance, "\(angles[lane]), seed \(seed)")
            }
        }
    }

    @Test("Sine and cosine are exact at multiples of 90°, and NaN for NaN and infinite angles")
    func corners() {
        for (angle, sine, cosine) in [(0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-90, -1, 0), (270, -1, 0), (-180, 0, -1)] {
            let found = sineAndCosine(degrees: SIMD2(angle, 45))
            #expect(found.sine.x == sine && found.cosine.x == cosine, "\(angle)")
        }
        let none = sineAndCosine(degrees: SIMD2(.nan, 90))
        #expect(none.sine.x.isNaN && none.cosine.x.isNaN && abs(none.sine.y - 1) < 1e-15)
        #expect(sineAndCosine(degrees: SIMD2(0, .infinity)).sine.y.isNaN)
    }
}
