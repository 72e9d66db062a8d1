import Geodesy
import Model

// Ways that lead through fences, though no fix lies in them.

extension TransitionEngine {
    /// How long the way to an observation is, or a little more, in metres, if it may count as leading through fences; else 0.
    func passageLength(_ observation: Observation, _ policy: DecisionPolicy) -> Double {
        let longest = unsafe max(policy.crossing, fences.longestCrossing)
        guard longest > 0, let before = observation.before, observation.fix.time - before.time <= longest else { return 0 }
        if isTooFast(from: before, observation) { return 0 }
        // No short way is longer than straight in longitude and latitude, as if at the equator.
        let north = (observation.place.latitude - before.coordinate.latitude) * WGS84.longestDegree
        let east = (observation.place.longitude - before.coordinate.longitude) * WGS84.longestDegree
        let most = north * north + east * east
        if most < 100 * 100 { return most.squareRoot() }
        // From what is no place leads no way: then this is 0, too.
        return max(0, evaluator.vector(before.coordinate).chordSquared(to: observation.vector).squareRoot())
    }

    /// Looks for fences that the way to a fix leads through though it ends outside of them.
    ///
    /// - Parameters:
    ///   - length: The way is no longer, in metres.
    ///   - known: So far around the fix the candidates are all that there is.
    func findPassages(
        _ observation: Observation, since before: Fix, _ length: Double, _ known: Double, _ state: inout DeviceState,
        _ out: inout [Transition]
    ) {
        let strays = straying(observation, since: before, length)
        let crowd = state.crowd
        if length + strays < known {
            for index in candidates.indices where candidates[index].number >= 0 {
                lookThrough(Int(candidates[index].number), observation, crowd, &state, &out)
            }
            return
        }
        for position in fences.index.numbers(along: evaluator.vector(before.coordinate), observation.vector, within: strays) {
            lookThrough(position, observation, crowd, &state, &out)
        }
    }

    /// How far from the chord a straight way between its ends may lead, in metres: down to the chord itself length² / 8R, R being the
    /// earth's radius; in the plane around a circle's centre as much again at most, for circles of 1,000 km; in longitude and
    /// latitude, in which polygons are drawn, that much by the tangent of the latitude, and never further than it is long.
    private func straying(_ observation: Observation, since before: Fix, _ length: Double) -> Double {
        let sagitta = length * length / (8 * WGS84.smallestCurvatureRadius)
        guard fences.hasAreas else { return 2 * sagitta + 0.01 }
        let latitude = min(89.999, max(abs(before.coordinate.latitude), abs(observation.place.latitude)))
        return min(2 * sagitta + 2 * tan(latitude.radians) * sagitta, length + sagitta) + 0.01
    }

    /// Looks whether the way leads through a fence that the device is outside of before and after.
    private func lookThrough(
        _ position: Int, _ observation: Observation, _ crowd: Set<FenceKey>?, _ state: inout DeviceState,
        _ out: inout [Transition]
    ) {
        let fence = fences.places[position].key
        guard applies(position, state.rules), !state.knows(fence, among: crowd) else { return }
        for index in ended.indices where ended[index] == fence { return }
        let policy = policy(position, state.policy)
        guard policy.crossing > 0, observation.concerns(policy) else { return }
        var pending: PendingTransition?
        let decided = decide(nil, &pending, .outside, position, observation, policy, &out)
        if let decided { state.add(decided, pending) }
    }
}
