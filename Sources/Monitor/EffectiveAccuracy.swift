import Model

/// The part of a fix's accuracy that counts under a policy.
struct EffectiveAccuracy {
    let policy: DecisionPolicy
    /// Whether the fix is coarser than `maxAccuracy`. Then it decides only when it lies wholly inside or wholly outside with twice its
    /// accuracy.
    let isCoarse: Bool
    /// Meters of accuracy that count in deciding whether the fix is outside.
    let countedOutside: Double

    /// - Parameter accuracy: The 68 % radius in meters; 0 is exact.
    init(_ policy: DecisionPolicy, accuracy: Double) {
        self.policy = policy
        isCoarse = accuracy > policy.maxAccuracy
        countedOutside = isCoarse ? Self.unconfirmedFactor * accuracy : min(accuracy, policy.accuracyCap)
    }

    /// Meters of accuracy that count in deciding whether the fix is inside: at most half of the fence's radius, so that a small fence can
    /// be entered, unless the fix is coarse.
    @inline(__always)
    func countedInside(radius: Double) -> Double { isCoarse ? countedOutside : min(countedOutside, radius / 2) }

    /// Factor on the accuracy of a fix that no second fix can confirm: a coarse fix, or an end of a path through a fence. One fix in three
    /// lies further off than its accuracy, and the fixes that follow it share its error.
    static let unconfirmedFactor = 2.0
}
