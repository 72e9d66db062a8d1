import Dispatch
import Model
import Presence

/// The positions of a request. Large requests are evaluated in parts, each in its own transaction, so that other requests are
/// processed in between.
struct PositionRequest: Sendable {
    let batch: TimeOrderedBatch
    /// The decision policy that the devices get; nil to keep their policies.
    let policy: PolicyOverride?
    let admission: Writer.Admission?
    let completion: Writer.IntakeCompletion
    /// The results of the parts that were evaluated, with as many events and refusals as are kept of a request.
    private var parts: [IntakeResult] = []
    private var eventRoom = BoundedList<Event>.maxEvents
    private var refusalRoom = IntakeResult.maxRefusals
    /// The index of the first row that was not evaluated yet.
    private var next = 0
    /// How often the request has waited until fixes were sorted.
    var sorts = 0

    init(
        _ batch: TimeOrderedBatch, policy: PolicyOverride?, admission: Writer.Admission?,
        completion: @escaping Writer.IntakeCompletion
    ) {
        self.admission = admission
        self.batch = batch
        self.policy = policy
        self.completion = completion
    }

    /// The rows to evaluate next.
    func rows(atMost most: Int) -> Range<Int> { next..<min(next + most, batch.batch.rows.count) }

    /// Records the result of the next rows.
    ///
    /// - Returns: Whether all rows were evaluated.
    mutating func addResult(_ part: IntakeResult, rows: Range<Int>) -> Bool {
        var part = part
        // Copies, because an array that elements are removed from keeps their memory.
        if part.events.count > eventRoom { part.events = Array(part.events.prefix(eventRoom)) }
        if part.refusals.count > refusalRoom { part.refusals = Array(part.refusals.prefix(refusalRoom)) }
        eventRoom -= part.events.count
        refusalRoom -= part.refusals.count
        parts.append(part)
        next = rows.upperBound
        return next == batch.batch.rows.count
    }

    /// The result of all parts so far, with the first refusals of the input first.
    var result: IntakeResult {
        var whole = parts.first ?? IntakeResult()
        for part in parts.dropFirst() { whole.add(part) }
        whole.refusals.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        return whole
    }

    /// Reports the result of the whole request, or the problem that prevented saving it. Called on a thread that must not be
    /// blocked.
    func reportResult(_ problem: Problem?) {
        if let problem { return completion(.failure(problem)) }
        guard parts.count > 1 else { return completion(.success(result)) }
        DispatchQueue.global().async { completion(.success(result)) }
    }
}
