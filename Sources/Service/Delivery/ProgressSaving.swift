import Delivery
import Model

// How far the delivery has come, as the store is told of it.

extension DeliveryLoop {
    /// How often the store is told how far sinks have come.
    private static let saveInterval = Duration.milliseconds(250)

    /// Has the store told, from time to time: each time costs a sync of the disk.
    func save(all: Bool) {
        let now = ContinuousClock.now
        guard !isSaving, all || now - savedAt > Self.saveInterval else { return }
        for sink in sinks.values {
            if let progress = sink.takeProgress() { saving[sink.id, default: []].append(progress) }
        }
        if saving.isEmpty { return }
        savedAt = now
        let batch = saving
        isSaving = writer.submit({ service throws(Problem) in try service.save(batch) }) { [inbox] result in
            _ = inbox.queue.add(.saved(result))
        }
    }

    func saved(_ result: Result<Void, Problem>) {
        isSaving = false
        switch result {
        case .success:
            let hadParked = saving.values.contains { $0.contains { !$0.parked.isEmpty || !$0.unparked.isEmpty } }
            saving.removeAll()
            if hadParked { reload(resumed: []) }
        // It is kept for the next time.
        case .failure(let problem): observer.problem(problem)
        }
    }

    // MARK: - Parked events

    func park(_ number: Int64, _ sink: SinkDelivery, _ problem: Problem, _ now: Instant) {
        // Positions are not kept aside: the next one tells more.
        if sink.sink.target.takesPositions { return }
        sink.unsaved.parked.append(.init(sequence: number, parkedAt: now, problem: problem))
    }

    func unpark(_ number: Int64, _ sink: SinkDelivery) { sink.unsaved.unparked.append(number) }

    /// Parks an event that the sink refuses again and again while it takes others.
    func parkRefused(_ number: Int64, _ sink: SinkDelivery, _ problem: Problem, _ now: Instant) {
        let details = problem.details ?? Language.english.words.message(problem)
        var status = 0
        if case .serverError(let code?, _) = problem { status = code }
        park(number, sink, .eventRejected(sink: sink.id, status: status, details: details), now)
    }
}
