import Delivery
import Model

// Saves how far the sinks have come.

extension DeliveryLoop {
    /// The minimum interval between two saves.
    private static let saveInterval = Duration.milliseconds(250)

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
            let hadParked = saving.values.contains { $0.contains { !$0.parked.isEmpty || !$0.unparked.isEmpty } }
            saving.removeAll()
            if hadParked { sinksToRead = sinksToRead ?? [] }
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
        _ = writer.submit({ service throws(Problem) in try service.saveStates(states, ofSink: id) }) { [observer, inbox] result in
            if case .failure(let problem) = result { observer.problem(problem) }
            inbox.sinksChanged()
        }
    }

    // MARK: - Parked events

    func park(_ number: Int64, of sink: SinkDelivery, because problem: Problem, at now: Instant) {
        // Positions are not parked, because the next position is more useful.
        if sink.sink.target.kind.takesPositions { return }
        sink.unsaved.parked.append(.init(sequence: number, parkedAt: now, problem: problem))
    }

    func unpark(_ number: Int64, _ sink: SinkDelivery) { sink.unsaved.unparked.append(number) }

    /// Parks an event that the sink rejects repeatedly while it accepts others.
    func parkRefused(_ number: Int64, of sink: SinkDelivery, because problem: Problem, at now: Instant) {
        var status = 0
        if case .serverError(let code?, _) = problem { status = code }
        park(number, of: sink, because: .eventRejected(sink: sink.id, status: status, details: problem.cause), at: now)
    }
}
