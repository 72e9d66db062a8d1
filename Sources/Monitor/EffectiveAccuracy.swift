import Model

/// The part of a fix's accuracy that counts under a policy.
struct EffectiveAccuracy {
    let policy: DecisionPolicy
    /// Whether the fix is coarser than `maxAccuracy`. Then it decides only when it lies wholly inside or wholly outside with twice its
    /// accuracy.
    let isCoarse: Bool
    /// Whether the position is the stay point: the mean of a staying device's fixes.
    let isMean: Bool
    /// Meters of accuracy that count in deciding whether the fix is outside.
    let countedOutside: Double

    /// - Parameters:
    ///   - accuracy: The 68 % radius in meters; 0 is exact.
    ///   - isMean: Whether the position is the stay point. It needs less of an exit margin than a single fix, whose noise it averages.
    @inline(__always)
    init(_ policy: DecisionPolicy, accuracy: Double, isMean: Bool) {
        self.policy = isMean ? Self.policyOfMean(policy, accuracy: accuracy) : policy
        self.isMean = isMean
        isCoarse = accuracy > policy.maxAccuracy
        countedOutside = isCoarse ? Self.unconfirmedFactor * accuracy : min(accuracy, policy.accuracyCap)
    }

    @inline(__always)
    init(_ policy: DecisionPolicy, _ observation: Observation) {
        self.init(policy, accuracy: observation.accuracy, isMean: observation.isMean)
    }

    @inline(never)
    private static func policyOfMean(_ policy: DecisionPolicy, accuracy: Double) -> DecisionPolicy {
        var policy = policy
        policy.exitMargin.minimum = min(policy.exitMargin.minimum, marginOfMean * accuracy)
        policy.exitMargin.maximum = min(policy.exitMargin.maximum, marginOfMean * accuracy)
        return policy
    }

    /// Meters of accuracy that count in deciding whether the fix is inside: at most half of the fence's radius, so that a small fence can
    /// be entered, unless the fix is coarse.
    @inline(__always)
    func countedInside(radius: Double) -> Double { isCoarse ? countedOutside : min(countedOutside, radius / 2) }

    /// The exit margin for the stay point, as a multiple of its accuracy. With the accuracy itself, which counts as for any fix, a stay point
    /// is outside when it lies 4.5 standard deviations from the boundary.
    private static let marginOfMean = 2.0

    /// Factor on the accuracy of a fix that no second fix can confirm: a coarse fix, or an end of a path through a fence. One fix in three
    /// lies further off than its accuracy, and the fixes that follow it share its error.
    static let unconfirmedFactor = 2.0
}
