/// The number of problems that are open and not dismissed.
package struct ProblemCounts: Hashable, Sendable {
    package var open: Int
    /// The escalated problems among them.
    package var escalated: Int

    package init(standing: Int, escalated: Int) {
        self.open = standing
        self.escalated = escalated
    }
}
