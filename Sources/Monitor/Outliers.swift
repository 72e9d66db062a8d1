import Geodesy
import Geometry
import Model

// Fixes that are not believed before another one agrees with them: jumps, and those that leave where a device stays.

extension TransitionEngine {
    /// Judges a fix that was doubted, for some reason: the device was there.
    func believe(
        _ suspect: Fix, _ doubt: Observation.Doubt, sure: Instant, _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        state.stay = nil
        state.stay = state.stayUpdate(of: suspect).stay
        state.suspect = nil
        // How it came there by a jump, nobody saw.
        let before = doubt.jump == 0 ? state.newest : nil
        judge(Observation(suspect, after: before, sure: sure, doubt, asksDoubters: true), &state, &out)
        state.newest = suspect
    }

    /// Why a fix cannot be believed before another one agrees.
    func doubt(of fix: Fix, _ stayUpdate: DeviceState.StayUpdate, _ state: borrowing DeviceState) -> Observation.Doubt {
        if stayUpdate.isStaying { return Observation.Doubt() }
        let jump = speed(from: state.newest, to: fix, over: state.policy.maxSpeed)
        return Observation.Doubt(jump: jump, isStaying: stayUpdate.isLeaving)
    }

    /// Whether a doubted fix confirms the one before that was doubted, too. Two strays lie anywhere; a device that has left where it
    /// stayed is not much further after some seconds, and after a minute without a sign from there it is believed to fly.
    func agree(_ suspect: Fix, _ fix: Fix, _ doubt: Observation.Doubt, _ state: borrowing DeviceState) -> Bool {
        let isRecent = state.newest.map { fix.time - $0.time <= DecisionPolicy.patience } ?? false
        let most = state.policy.maxSpeed
        return speed(from: suspect, to: fix, over: doubt.isStaying && isRecent ? min(most, DecisionPolicy.groundSpeed) : most)
            == 0
    }

    /// The speed that two fixes imply, in metres a second over at least one second, if it is more than a limit; else 0.
    func speed(from before: Fix?, to fix: Fix, over limit: Double) -> Double {
        guard let before, limit < .infinity else { return 0 }
        let seconds = max(1, fix.time - before.time)
        let (a, b) = (before.coordinate, fix.coordinate)
        // No way is longer than along the meridian and the parallel.
        let most = (abs(a.latitude - b.latitude) + abs(a.longitude - b.longitude)) * WGS84.longestDegree
        if most <= limit * seconds { return 0 }
        let chord = evaluator.vector(a).chordSquared(to: evaluator.vector(b)).squareRoot()
        if EarthVector.atMostGeodesic(chord: chord) <= limit * seconds { return 0 }
        // Only a fence's own policy may ask for more than that it is too fast.
        if chord > limit * seconds + EarthVector.rounding, !fences.hasPolicies { return chord / seconds }
        let speed = Geodesic.distance(a, b) / seconds
        return speed > limit ? speed : 0
    }
}
