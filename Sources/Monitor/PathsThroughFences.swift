import CStandardLibrary
import Geodesy
import Model

// Paths that lead through fences without a fix inside.

extension TransitionEngine {
    /// An upper bound for the length in meters of the path to an observation, if the path may count as leading through fences; else 0.
    func pathLength(_ observation: Observation, _ policy: DecisionPolicy) -> Double {
        let longest = unsafe max(policy.crossing, fences.longestCrossing)
        guard longest > 0, let before = observation.previousFix, observation.fix.time - before.time <= longest else { return 0 }
        if isTooFast(from: before, observation) { return 0 }
        // A short path is at most as long as in a plane with the degree lengths of the equator.
        let north = (observation.place.latitude - before.coordinate.latitude) * WGS84.longestDegree
        let east = (observation.place.longitude - before.coordinate.longitude) * WGS84.longestDegree
        let most = north * north + east * east
        if most < 100 * 100 { return most.squareRoot() }
        // The vector of an invalid coordinate is NaN; `max` then gives 0.
        return max(0, evaluator.vector(before.coordinate).chordSquared(to: observation.vector).squareRoot())
    }

    /// Looks for fences that the path to a fix leads through although it ends outside of them.
    ///
    /// - Parameters:
    ///   - length: Upper bound for the length of the path, in meters.
    ///   - known: Radius in meters around the fix within which `candidates` is complete.
    func findPassThroughs(
        _ observation: Observation, since before: Fix, length: Double, known: Double, _ state: inout DeviceState,
        into out: inout [Transition]
    ) {
        let strays = maxDeviation(observation, since: before, length)
        let ended = endedFences.count > Self.linearSearchLimit ? Set(endedFences.indices.map { endedFences[$0] }) : nil
        if length + strays < known {
            for index in candidates.indices where candidates[index].number >= 0 {
                evaluatePassThrough(
                    position: Int(candidates[index].number), observation: observation, ended: ended, &state, into: &out)
            }
            return
        }
        for position in fences.index.numbers(along: evaluator.vector(before.coordinate), observation.vector, within: strays) {
            evaluatePassThrough(position: position, observation: observation, ended: ended, &state, into: &out)
        }
    }

    /// How far in meters the straight path between two fixes may deviate from their chord. With R the earth's radius, the surface lies
    /// length² / 8R above the chord. The plane around a circle's center adds at most as much again, for circles of up to 1,000 km. The
    /// longitude-latitude plane of polygons adds that much times the tangent of the latitude, and never more than the path's length.
    private func maxDeviation(_ observation: Observation, since before: Fix, _ length: Double) -> Double {
        let sagitta = length * length / (8 * WGS84.smallestCurvatureRadius)
        guard fences.hasPolygons else { return 2 * sagitta + 0.01 }
        let latitude = min(89.999, max(abs(before.coordinate.latitude), abs(observation.place.latitude)))
        return min(2 * sagitta + 2 * tan(latitude.radians) * sagitta, length + sagitta) + 0.01
    }

    /// Decides whether the path leads through a fence that the device is outside of before and after.
    ///
    /// - Parameter ended: The contents of `endedFences` when they are many; nil searches `endedFences`.
    private func evaluatePassThrough(
        position: Int, observation: Observation, ended: Set<FenceKey>?, _ state: inout DeviceState,
        into out: inout [Transition]
    ) {
        let fence = fences.packedFences[position].key
        guard applies(position, state.sharedDevice), !state.hasState(of: fence) else { return }
        if let ended {
            if ended.contains(fence) { return }
        } else {
            for index in endedFences.indices where endedFences[index] == fence { return }
        }
        let policy = policy(position, state.policy)
        guard policy.crossing > 0, observation.applies(to: policy) else { return }
        var pending: PendingTransition?
        let decided = decide(
            from: nil, pending: &pending, side: .outside, at: position, observation: observation, policy: policy, into: &out)
        if let decided { state.addState(decided, pending: pending) }
    }
}
