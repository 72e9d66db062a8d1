import Model

/// Accepts the positions of one input in batches. A batch is one transaction or one request.
package protocol PositionSink {
    /// Adds a batch.
    ///
    /// - Returns: The result of this batch or of an earlier one, which is then on disk; nil if no result is available yet.
    mutating func add(_ batch: TimeOrderedBatch) throws(Problem) -> IntakeResult?

    /// Waits for the results that were not returned yet.
    mutating func finish() throws(Problem) -> IntakeResult?
}

extension PositionIntake: PositionSink {
    package mutating func add(_ batch: TimeOrderedBatch) throws(Problem) -> IntakeResult? { try accept(batch) }
    package func finish() -> IntakeResult? { nil }
}
