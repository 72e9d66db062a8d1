/// How many problems stand that nobody has dismissed.
public struct ProblemCounts: Hashable, Sendable {
    public var standing: Int
    /// Those of them that are escalated.
    public var escalated: Int

    public init(standing: Int, escalated: Int) {
        self.standing = standing
        self.escalated = escalated
    }
}
