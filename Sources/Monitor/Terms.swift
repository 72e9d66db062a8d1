import Model

/// What a policy makes of one fix, whatever the fence.
struct Terms {
    let policy: DecisionPolicy
    /// Whether the fix decides only when it lies wholly inside or wholly outside with all of its accuracy.
    let isCoarse: Bool
    /// The most of its accuracy that counts, in metres.
    private let most: Double

    init(_ policy: DecisionPolicy, _ fix: Fix) {
        self.policy = policy
        let accuracy = fix.reckonedAccuracy
        isCoarse = accuracy > policy.maxAccuracy
        most = isCoarse ? accuracy : min(accuracy, policy.accuracyCap)
    }

    /// The metres of its accuracy that count against a fence of some radius: never over half of that, so that a small fence can be
    /// entered, unless the fix is coarse.
    @inline(__always)
    func counted(radius: Double) -> Double { isCoarse ? most : min(most, radius / 2) }
}
