import Geodesy
import Geometry
import Model

/// The speed that two fixes imply.
package enum FixSpeed {
    /// The speed that makes a fix an outlier under a policy, in meters per second; 0 if the fix is not an outlier.
    ///
    /// - Parameter before: The newest fix that is believed; nil for none.
    package static func outlierSpeed(from before: Fix?, to fix: Fix, _ policy: DecisionPolicy) -> Double {
        guard let before else { return 0 }
        return withoutCoarse(implied(from: before, to: fix, over: policy.maxSpeed), from: before, to: fix, policy)
    }

    /// The lowest speed that two fixes imply, in meters per second over at least one second, if it exceeds a limit; else 0. The device may
    /// have moved less than their distance, by both accuracies.
    package static func implied(from before: Fix, to fix: Fix, over limit: Double) -> Double {
        implied(from: before, to: fix, over: limit, isExact: false) { EarthVector($0) }
    }

    /// A fix that is too coarse to decide anything is not an outlier, and does not make an outlier of a precise one.
    @inline(__always)
    static func withoutCoarse(_ speed: Double, from before: Fix?, to fix: Fix, _ policy: DecisionPolicy) -> Double {
        speed > 0 && max(fix.accuracyOrZero, before?.accuracyOrZero ?? 0) > policy.maxAccuracy ? 0 : speed
    }

    /// See `implied(from:to:over:)`.
    ///
    /// - Parameters:
    ///   - isExact: Whether a speed above the limit is exact. Otherwise it may be that of the chord through the earth.
    ///   - vector: Returns the vector of a position.
    @inline(__always)
    static func implied(
        from before: Fix, to fix: Fix, over limit: Double, isExact: Bool, vector: (Coordinate) -> EarthVector
    ) -> Double {
        guard limit < .infinity else { return 0 }
        let seconds = max(1, fix.time - before.time)
        let (a, b) = (before.coordinate, fix.coordinate)
        let accuracies = before.accuracyOrZero + fix.accuracyOrZero
        let reach = limit * seconds + accuracies
        // The geodesic is at most as long as the path along the meridian and the parallel.
        let most = (abs(a.latitude - b.latitude) + abs(a.longitude - b.longitude)) * WGS84.longestDegree
        if most <= reach { return 0 }
        let chord = vector(a).chordSquared(to: vector(b)).squareRoot()
        if EarthVector.atMostGeodesic(chord: chord) <= reach { return 0 }
        if chord > reach + EarthVector.roundingError, !isExact { return (chord - accuracies) / seconds }
        let speed = (Geodesic.distance(a, b) - accuracies) / seconds
        return speed > limit ? speed : 0
    }
}
