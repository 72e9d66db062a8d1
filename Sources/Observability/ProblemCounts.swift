/// The number of problems that are open and not dismissed.
public struct ProblemCounts: Hashable, Sendable {
    public var standing: Int
    /// The escalated problems among them.
    public var escalated: Int

    public init(standing: Int, escalated: Int) {
        self.standing = standing
        self.escalated = escalated
    }
}
