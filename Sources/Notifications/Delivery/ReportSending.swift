import Core
import Delivery
import Model

// Computes the reports that are due, beside the thread of the delivery, and queues them.

extension DeliveryLoop {
    /// Begins to compute the report of a sink, if one is due, the sink can be tried now, and the clock can be relied on.
    func prepareReport(of sink: SinkDelivery, at now: Instant) {
        sink.discardOutdatedReport()
        // A clock that cannot be relied on may be in another period.
        guard sink.preparation == nil, sink.inFlight == 0, sink.connection.mayBegin(at: now), writer.clock.problem == nil else {
            return
        }
        sink.restartAfterWrongClock(at: now)
        guard let end = sink.dueReport(at: now) else { return }
        newestPreparation += 1
        sink.preparation = newestPreparation
        let (id, preparation) = (sink.id, newestPreparation)
        reports.compute(of: sink.sink, before: end, at: now) { [inbox] result in
            _ = inbox.queue.add(.prepared(sink: id, preparation: preparation, result))
        }
    }

    /// Queues a report that was computed. A failure counts like a failure to send it.
    func handlePrepared(_ result: Result<OutboxReport, Problem>, _ preparation: Int, of sink: SinkDelivery) {
        guard sink.preparation == preparation else { return }
        sink.preparation = nil
        switch result {
        case .success(let report): sink.setReport(report)
        case .failure(.cancelled): break
        case .failure(let problem):
            let now = clock.now()
            guard let attempt = sink.connection.begin(at: now) else { return }
            sink.failures += 1
            record(DeliveryOutcome(problem).ofReport, of: attempt, sink, at: now)
        }
    }
}

extension DeliveryOutcome {
    /// The outcome for a sink of reports. Nothing follows a report, so a report that is rejected waits until a person corrects the reason.
    var ofReport: DeliveryOutcome {
        switch self {
        case .reject(.eventRejected(let sink, let status, let details)):
            .pause(.sinkRejected(sink: sink, status: status, details: details))
        case .reject(let problem): .pause(problem)
        case .delivered, .retry, .pause: self
        }
    }
}
