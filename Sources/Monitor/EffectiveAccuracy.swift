import Model

/// What a policy makes of a fix's accuracy, whatever the fence.
struct EffectiveAccuracy {
    let policy: DecisionPolicy
    /// Whether the fix decides only when it lies wholly inside or wholly outside with twice its accuracy.
    let isCoarse: Bool
    /// The metres of its accuracy that count on the way out.
    let outwards: Double

    /// - Parameter accuracy: Metres, 68 %; 0 is exact.
    init(_ policy: DecisionPolicy, accuracy: Double) {
        self.policy = policy
        isCoarse = accuracy > policy.maxAccuracy
        outwards = isCoarse ? Self.beyondDoubt * accuracy : min(accuracy, policy.accuracyCap)
    }

    /// The metres that count on the way into a fence of some radius: never over half of that, so that a small fence can be entered,
    /// unless the fix is coarse.
    @inline(__always)
    func inwards(radius: Double) -> Double { isCoarse ? outwards : min(outwards, radius / 2) }

    /// So many times its accuracy counts where a fix has to speak for itself, because it is coarse or nothing was seen between two: one
    /// in three lies further off than its accuracy says, and those that follow lie there, too.
    static let beyondDoubt = 2.0
}
