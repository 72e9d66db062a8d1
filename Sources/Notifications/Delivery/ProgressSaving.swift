import Delivery
import Model
import Service
import Store

// Saves how far the sinks have come.

extension DeliveryLoop {
    /// The minimum interval between two saves, and after a failure to record connections.
    static let saveInterval = Duration.milliseconds(250)

    /// Saves the progress at intervals, because each save costs a sync of the disk.
    func save(all: Bool) {
        let now = ContinuousClock.now
        guard !isSaving, all || now - savedAt > Self.saveInterval else { return }
        for sink in sinks.values {
            if let progress = sink.takeProgress() { saving[sink.id, default: []].append(progress) }
        }
        if saving.isEmpty { return }
        savedAt = now
        let batch = saving
        isSaving = writer.submit({ service throws(Problem) in try service.saveProgress(batch) }) { [inbox] result in
            _ = inbox.queue.add(.saved(result))
        }
    }

    func handleSaved(_ result: Result<Void, Problem>) {
        isSaving = false
        switch result {
        case .success:
            if saving.values.contains(where: { $0.contains { !$0.retained.isEmpty } }) { retainedRemoval.isDue = true }
            let hadRejected = saving.values.contains { $0.contains { !$0.rejected.isEmpty || !$0.clearedRejections.isEmpty } }
            saving.removeAll()
            if hadRejected { sinksToRead = sinksToRead ?? [] }
        // The progress is kept for the next attempt.
        case .failure(let problem): observer.problem(problem)
        }
    }

    /// Saves at which topics a sink that was removed has retained states. Its other progress no longer matters.
    func saveStates(of sink: SinkDelivery) {
        let id = sink.id
        let states = (saving[id] ?? []).map(\.retained).reduce(sink.unsaved.retained) { $0.merging($1) { $0.union($1) } }
        saving[id] = nil
        if states.isEmpty { return }
        _ = writer.submit({ service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.saveStates(states, ofSink: id, in: transaction)
            }
        }) { [observer, inbox] result in
            if case .failure(let problem) = result { observer.problem(problem) }
            inbox.sinksChanged()
        }
    }

    // MARK: - Rejected events

    func reject(_ number: Int64, of sink: SinkDelivery, because problem: Problem, at now: Instant) {
        // Positions are not kept, because the next position is more useful. Reports are not rejected.
        if sink.sink.target.kind.contentKind != .events { return }
        sink.unsaved.rejected.append(.init(sequence: number, rejectedAt: now, problem: problem))
    }

    func clearRejection(_ number: Int64, _ sink: SinkDelivery) { sink.unsaved.clearedRejections.append(number) }

    /// Counts an event as rejected that the sink has refused repeatedly while it accepts others.
    func rejectRepeated(_ number: Int64, of sink: SinkDelivery, because problem: Problem, at now: Instant) {
        var status = 0
        if case .serverError(let code?, _) = problem { status = code }
        reject(number, of: sink, because: .eventRejected(sink: sink.id, status: status, details: problem.cause), at: now)
    }
}
