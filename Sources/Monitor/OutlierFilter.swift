import Model

/// Finds the outliers in a stored track by the engine's rule: a fix that implies more than the policy's maximum speed is not
/// believed unless the next fix agrees with it.
package struct OutlierFilter {
    private let policy: DecisionPolicy
    /// The newest fix that is believed.
    private var newest: Fix?
    /// A fix after `newest` that is not believed yet.
    private var candidate: Fix?

    /// - Parameter policy: The policy of the device.
    package init(_ policy: DecisionPolicy) { self.policy = policy }

    /// What a fix shows about the track.
    package struct Step {
        /// The fix before the last leg of the track, if the leg ends at the new fix; nil if the new fix is the first one or is not
        /// believed.
        package var start: Fix?
        /// An earlier fix that has turned out to be an outlier; nil for none.
        package var outlier: Fix?
    }

    /// Adds the next fix of the track, which must not be older than the one before it. The leg to an outlier is not part of the
    /// track, even if both of its ends are believed, because the path across it is unknown.
    package mutating func add(_ fix: Fix) -> Step {
        guard FixSpeed.outlierSpeed(from: newest, to: fix, policy) > 0 else {
            defer { (newest, candidate) = (fix, nil) }
            return Step(start: newest, outlier: candidate)
        }
        if let candidate, FixSpeed.implied(from: candidate, to: fix, over: policy.maxSpeed) == 0 {
            (newest, self.candidate) = (fix, nil)
            return Step(start: candidate)
        }
        defer { candidate = fix }
        return Step(outlier: candidate)
    }

    /// The last fix, if it is not believed; nil if it is. Call it after the last fix of the track.
    package var unconfirmed: Fix? { candidate }
}
