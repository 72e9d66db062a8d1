import Dispatch
import Model

/// The positions of a request. Many are judged in parts, each in a transaction of its own, so that other requests come in between.
struct PositionRequest: Sendable {
    let batch: TimeOrderedBatch
    /// What the devices shall decide by from now on.
    let policy: DecisionPolicy.Name?
    let told: Writer.Told
    /// What became of the parts that are judged.
    private var parts: [IntakeResult] = []
    /// The first row that is not judged yet.
    private var next = 0

    init(_ batch: TimeOrderedBatch, _ policy: DecisionPolicy.Name?, _ told: @escaping Writer.Told) {
        self.batch = batch
        self.policy = policy
        self.told = told
    }

    /// The rows to judge next.
    func rows(atMost most: Int) -> Range<Int> { next..<min(next + most, batch.batch.rows.count) }

    /// Takes note that the next rows are judged.
    ///
    /// - Returns: Whether all are.
    mutating func add(_ part: IntakeResult, rows: Range<Int>) -> Bool {
        parts.append(part)
        next = rows.upperBound
        return next == batch.batch.rows.count
    }

    /// Tells what became of all, which are kept unless there is a problem. Called on a thread that must not be held up.
    func tell(_ problem: Problem?) {
        if let problem { return told(.failure(problem)) }
        guard parts.count > 1 else { return told(.success(parts.first ?? IntakeResult())) }
        DispatchQueue.global().async {
            var whole = IntakeResult()
            for part in parts { whole.add(part) }
            whole.refusals.sort { ($0.line ?? 0) < ($1.line ?? 0) }
            told(.success(whole))
        }
    }
}
