import Geodesy
import Model

// Ways that lead through fences, though no fix lies in them.

extension TransitionEngine {
    /// How long the way to a look is, or a little more, in metres, if it may count as leading through fences; else 0.
    func passageLength(_ look: Look, _ policy: DecisionPolicy) -> Double {
        let longest = max(policy.crossing, fences.longestCrossing)
        guard longest > 0, let before = look.before, look.fix.time - before.time <= longest else { return 0 }
        if isTooFast(from: before, look) { return 0 }
        // No short way is longer than straight in longitude and latitude, as if at the equator.
        let north = (look.place.latitude - before.coordinate.latitude) * WGS84.longestDegree
        let east = (look.place.longitude - before.coordinate.longitude) * WGS84.longestDegree
        let most = north * north + east * east
        if most < 100 * 100 { return most.squareRoot() }
        // From what is no place leads no way: then this is 0, too.
        return max(0, ruler.vector(before.coordinate).chordSquared(to: look.vector).squareRoot())
    }

    /// Whether nothing on the ground gets from a fix to a look so fast: then one of the two is a stray. Fixes without an accuracy are
    /// taken at their word.
    private func isTooFast(from before: Fix, _ look: Look) -> Bool {
        guard before.reckonedAccuracy > 0 || look.accuracy > 0 else { return false }
        return speed(from: before, to: look.fix, over: DecisionPolicy.groundSpeed) > 0
    }

    /// Looks for fences that the way to a fix leads through though it ends outside of them.
    ///
    /// - Parameters:
    ///   - length: The way is no longer, in metres.
    ///   - known: So far around the fix the hits are all that there is.
    func findPassages(
        _ look: Look, since before: Fix, _ length: Double, _ known: Double, _ state: inout DeviceState,
        _ out: inout [Transition]
    ) {
        let strays = straying(look, since: before, length)
        let crowd = state.crowd
        if length + strays < known {
            for index in hits.indices where hits[index].number >= 0 {
                lookThrough(Int(hits[index].number), look, crowd, &state, &out)
            }
            return
        }
        for position in fences.index.numbers(along: ruler.vector(before.coordinate), look.vector, within: strays) {
            lookThrough(position, look, crowd, &state, &out)
        }
    }

    /// How far from the chord a straight way between its ends may lead, in metres: down to the chord itself length² / 8R, R being the
    /// earth's radius; in the plane around a circle's centre as much again at most, for circles of 1,000 km; in longitude and
    /// latitude, in which polygons are drawn, that much by the tangent of the latitude, and never further than it is long.
    private func straying(_ look: Look, since before: Fix, _ length: Double) -> Double {
        let sagitta = length * length / (8 * WGS84.smallestCurvatureRadius)
        guard fences.hasAreas else { return 2 * sagitta + 0.01 }
        let latitude = min(89.999, max(abs(before.coordinate.latitude), abs(look.place.latitude)))
        return min(2 * sagitta + 2 * tan(latitude.radians) * sagitta, length + sagitta) + 0.01
    }

    /// Looks whether the way leads through a fence that the device is outside of before and after.
    private func lookThrough(
        _ position: Int, _ look: Look, _ crowd: Set<FenceKey>?, _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        let fence = fences.places[position].key
        guard applies(position, state.rules), !state.knows(fence, among: crowd) else { return }
        for index in ended.indices where ended[index] == fence { return }
        let policy = policy(position, state.policy)
        guard policy.crossing > 0, look.concerns(policy) else { return }
        var pending: Presence.Pending?
        let decided = decide(nil, &pending, .outside, position, look, policy, &out)
        if let decided { state.add(decided, pending) }
    }

    /// The way to a look as it leads through a fence, if it does, deep enough for the policy, and was short enough in time. It
    /// begins at the last fix, or where a single fix inside was come from: that one alone would not do.
    func passage(
        _ position: Int, _ entering: Presence.Pending?, _ look: Look, _ policy: DecisionPolicy
    ) -> Presence.Pending? {
        guard policy.crossing > 0, let last = look.before, let before = entering == nil ? last : entering?.before,
            look.fix.time - before.time <= policy.crossing, entering == nil || !isTooFast(from: before, look)
        else { return nil }
        // What no fix has seen has to be beyond doubt.
        let depth = Terms.beyondDoubt * max(before.reckonedAccuracy, look.accuracy)
        let leg = entering == nil ? look : Look(look.fix, after: before, sure: look.sure)
        guard let way = ruler.passage(position, of: fences, leg, depth: depth) else { return nil }
        let enteredAt = entering?.crossedAt ?? way.enter
        let leftAt = max(enteredAt, entering.flatMap { _ in ruler.crossing(position, of: fences, look) } ?? way.exit)
        return .init(fix: look.fix, count: 1, crossedAt: enteredAt, leftAt: leftAt)
    }

    /// Whether the way from where a passage ended leads into the fence again: then that end was no more than a stray fix.
    func isWayBack(_ position: Int, _ pending: Presence.Pending?, _ look: Look) -> Bool {
        guard let pending else { return true }
        return ruler.passage(position, of: fences, Look(look.fix, after: pending.fix, sure: look.sure), depth: 0) != nil
    }
}
