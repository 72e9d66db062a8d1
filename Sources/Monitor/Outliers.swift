import Geodesy
import Geometry
import Model

// Fixes that are believed only when a second fix agrees with them: jumps, and fixes away from the point where a device stays.

extension TransitionEngine {
    /// Evaluates a suspect fix that has turned out to be right.
    func acceptCandidate(
        _ suspect: Fix, reason doubt: Observation.OutlierReason, confirmedAt sure: Instant, _ state: inout DeviceState,
        into out: inout [Transition]
    ) {
        state.stay = nil
        state.stay = state.stayUpdate(of: suspect).stay
        state.outlierCandidate = nil
        // The path is unknown across a jump, so no crossing is inferred.
        let before = doubt.jumpSpeed == 0 ? state.newest : nil
        evaluate(
            Observation(suspect, after: before, confirmedAt: sure, reason: doubt, isForDoubtingFences: true), &state, into: &out)
        state.newest = suspect
    }

    /// The reasons why a fix is not believed before another fix agrees.
    func outlierReason(of fix: Fix, _ stayUpdate: DeviceState.StayUpdate, _ state: borrowing DeviceState)
        -> Observation.OutlierReason
    {
        if stayUpdate.isStaying { return Observation.OutlierReason() }
        let jump = impliedSpeed(from: state.newest, to: fix, over: state.policy.maxSpeed)
        return Observation.OutlierReason(jumpSpeed: jump, isStaying: stayUpdate.isLeaving)
    }

    /// Whether a second doubted fix agrees with the suspect one. Two outliers lie far apart from each other; a device that has left its
    /// stay point is still near after some seconds. Without a fix from the stay point for `DecisionPolicy.patience` seconds, the device may
    /// have moved as fast as its policy allows.
    func confirms(candidate suspect: Fix, fix: Fix, reason doubt: Observation.OutlierReason, state: borrowing DeviceState) -> Bool
    {
        let isRecent = state.newest.map { fix.time - $0.time <= DecisionPolicy.confirmationTimeout } ?? false
        let most = state.policy.maxSpeed
        return impliedSpeed(
            from: suspect, to: fix, over: doubt.isStaying && isRecent ? min(most, DecisionPolicy.groundSpeed) : most)
            == 0
    }

    /// The speed that two fixes imply, in meters per second over at least one second, if it exceeds a limit; else 0.
    func impliedSpeed(from before: Fix?, to fix: Fix, over limit: Double) -> Double {
        guard let before, limit < .infinity else { return 0 }
        let seconds = max(1, fix.time - before.time)
        let (a, b) = (before.coordinate, fix.coordinate)
        // The geodesic is at most as long as the path along the meridian and the parallel.
        let most = (abs(a.latitude - b.latitude) + abs(a.longitude - b.longitude)) * WGS84.longestDegree
        if most <= limit * seconds { return 0 }
        let chord = evaluator.vector(a).chordSquared(to: evaluator.vector(b)).squareRoot()
        if EarthVector.atMostGeodesic(chord: chord) <= limit * seconds { return 0 }
        // The exact speed matters only to fences' own policies.
        if chord > limit * seconds + EarthVector.roundingError, !fences.hasPolicies { return chord / seconds }
        let speed = Geodesic.distance(a, b) / seconds
        return speed > limit ? speed : 0
    }
}
