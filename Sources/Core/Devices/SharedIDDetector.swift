import Geodesy
import Geometry
import Model
import Monitor

/// Detects that two senders use the id of one device: its positions jump back and forth between two tracks, each of which is plausible alone.
///
/// A single outlier is two jumps, and a person who flies makes none, because the speed is possible. Outliers here and there do not continue
/// a track. So it takes eight jumps, each of which leads back to where the positions were before the jump before it.
package struct SharedIDDetector: Sendable {
    /// What was detected: how often the positions have jumped there and back, in how many seconds, and over how many meters.
    package struct Detection: Hashable, Sendable {
        var meters: Double
        package var times: Int
        var seconds: Double

        package func problem(device: String) -> Problem {
            .sharedDeviceID(device: device, meters: meters.rounded(), times: times, seconds: seconds.rounded())
        }
    }

    /// The last position of the track that the positions have left with the last jump.
    private var left: Fix?
    /// The time of the first jump of the series.
    private var first = Instant.latest
    private var jumps = 0

    /// The number of jumps in a series from which on two senders are assumed.
    private static let leastJumps = 8
    /// Seconds after which a track is not continued anymore.
    private static let longestGap = 3600.0
    /// A track is continued by a position that is this much nearer to it than the other track is.
    private static let nearness = 0.1

    package init() {}

    /// Adds a jump, which is a fix that implies more than the maximum speed from the fix before it; see `isJump(from:to:_:)`.
    ///
    /// - Returns: Nil as long as the jumps can be outliers.
    package mutating func addJump(from before: Fix, to fix: Fix) -> Detection? {
        let meters = Geodesic.distance(before.coordinate, fix.coordinate)
        if let left, continues(left, fix, apart: meters) {
            jumps += 1
        } else {
            (first, jumps) = (fix.time, 1)
        }
        left = before
        guard jumps >= Self.leastJumps else { return nil }
        return Detection(meters: meters, times: jumps / 2, seconds: fix.time - first)
    }

    /// Whether a fix continues the track that was left, so that the jump to it leads back.
    private func continues(_ left: Fix, _ fix: Fix, apart meters: Double) -> Bool {
        let seconds = fix.time - left.time
        guard seconds <= Self.longestGap else { return false }
        let reach = min(Self.nearness * meters, DecisionPolicy.groundSpeed * max(1, seconds))
        return Geodesic.distance(left.coordinate, fix.coordinate) <= reach + left.accuracyOrZero + fix.accuracyOrZero
    }

    /// Whether two successive fixes can be a jump. This is cheap, and true for few fixes of a usual track: one degree of latitude is 111 km.
    @inline(__always)
    package static func canJump(from a: Coordinate, to b: Coordinate) -> Bool {
        abs(a.latitude - b.latitude) + abs(a.longitude - b.longitude) > 0.003
    }

    /// Whether a fix is a jump from the one before it by the rule of the engine. Policies without a maximum speed have that of the usual
    /// policy here.
    package static func isJump(from before: Fix, to fix: Fix, _ policy: DecisionPolicy) -> Bool {
        var policy = policy
        policy.maxSpeed = min(policy.maxSpeed, DecisionPolicy.balanced.maxSpeed)
        policy.maxAccuracy = min(policy.maxAccuracy, DecisionPolicy.balanced.maxAccuracy)
        return FixSpeed.outlierSpeed(from: before, to: fix, policy) > 0
    }
}
