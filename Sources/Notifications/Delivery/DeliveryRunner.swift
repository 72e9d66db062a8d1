import Core
import Delivery
import Model
import Presence
import Secrets
import Senders
import Service
import Settings
import Store
import Synchronization
import Workers

/// Sends events, positions and reports to the sinks of a store while a service runs, on its own thread. For a command, it only tests sinks.
package final class DeliveryRunner: Sendable {
    /// Is notified of changes of sinks.
    let inbox: DeliveryInbox
    private let worker: Worker

    private enum Worker {
        case thread(WorkThreads, Senders)
        /// Without a service. Sinks are read by these readers.
        case command(Readers)
    }

    private let board = SinkStatusBoard()

    /// - Parameters:
    ///   - inbox: Receives what the writer has committed.
    ///   - newest: The number of the newest committed event.
    ///   - readers: Compute reports.
    ///   - links: Creates the links with which emergencies are acknowledged; nil if phones cannot reach the service.
    package init(
        _ directory: DataDirectory, inbox: DeliveryInbox, writer: Writer, readers: Readers, senders: Senders,
        newest: Int64, clock: any WallClock, observer: DeliveryObserver, links: AlarmLinks? = nil
    ) {
        self.inbox = inbox
        let board = board
        let thread = WorkThreads("picket delivery") {
            DeliveryLoop(
                directory, inbox: inbox, writer: writer, senders: senders, newest: newest, clock: clock, observer: observer,
                board: board, links: links, reports: SinkReports(readers: readers, writer: writer)
            ).run()
        }
        worker = .thread(thread, senders)
    }

    /// For a command without a service.
    package init(ofCommand readers: Readers) {
        inbox = DeliveryInbox()
        worker = .command(readers)
    }

    /// The statuses of the sinks by id. Can be called from any thread.
    package var statuses: [String: SinkStatus] { board.statuses }

    /// Sends a test message to a sink, regardless of its filter and state, and waits for the outcome.
    func test(sink id: String) async throws(Problem) -> SinkTest {
        if case .command(let readers) = worker { return try await readers.test(sink: id) }
        let result: Result<SinkTest, Problem> = await withCheckedContinuation { continuation in
            if !inbox.queue.add(.test(sink: id, reply: { continuation.resume(returning: $0) })) {
                continuation.resume(returning: .failure(.cancelled))
            }
        }
        return try result.get()
    }

    /// Waits until the delivery thread has processed all messages in its inbox.
    package func processAllMessages() async {
        guard case .thread = worker else { return }
        await withCheckedContinuation { continuation in
            if !inbox.queue.add(.processed(reply: { continuation.resume() })) { continuation.resume() }
        }
    }

    /// Waits at most three seconds for messages that are being sent, saves the progress of the sinks, and ends the thread. A message whose
    /// outcome is not known by then is sent again after the next start. The writer must still be running.
    package func stop() {
        guard case .thread(let thread, let senders) = worker else { return }
        _ = inbox.queue.add(.stop)
        thread.join()
        inbox.queue.close()
        senders.stop()
    }
}

/// The statuses of the sinks, written by one thread and read by others.
final class SinkStatusBoard: Sendable {
    private let shown = Mutex<[String: SinkStatus]>([:])

    var statuses: [String: SinkStatus] { shown.withLock { $0 } }
    func show(_ statuses: [String: SinkStatus]) { shown.withLock { $0 = statuses } }
}

extension SinkTest {
    /// Sends a test event, a test position or the report of the current period.
    static func run(
        _ composer: MessageComposer, sender: any SinkSender, _ reports: SinkReports, at now: Instant,
        completion done: @escaping @Sendable (SinkTest) -> Void
    ) {
        let start = ContinuousClock.now
        @Sendable func send(_ item: OutboxItem) {
            guard let message = composer.message(for: item, isTest: true) else {
                return done(SinkTest(outcome: DeliveryOutcome(.unknown(details: .noSuchMessageForSink)), seconds: 0))
            }
            sender.send(message) { done(SinkTest(outcome: $0.outcome, seconds: (ContinuousClock.now - start).seconds)) }
        }
        switch composer.sink.target.kind.contentKind {
        case .events: send(.event(testEvent(id: "test-\(Secret.name())", at: now)))
        case .positions: send(.position(testPosition(at: now)))
        case .reports:
            reports.compute(of: composer.sink, before: nil, at: now) { result in
                switch result {
                case .success(let report): send(.report(report))
                case .failure(let problem):
                    done(SinkTest(outcome: DeliveryOutcome(problem), seconds: (ContinuousClock.now - start).seconds))
                }
            }
        }
    }
}

extension Readers {
    /// Tests a sink without a service.
    fileprivate func test(sink id: String) async throws(Problem) -> SinkTest {
        let (sink, clock) = try await ask { service throws(Problem) in (try service.sink(id: id).sink, service.clock) }
        let composer = try MessageComposer(sink, zone: try SinkTimeZone(named: sink.timeZone))
        let senders = try Senders(now: { clock.now() })
        defer { senders.stop() }
        return await withCheckedContinuation { continuation in
            let reports = SinkReports(readers: self, writer: nil)
            SinkTest.run(composer, sender: senders.sender(for: sink), reports, at: clock.now()) {
                continuation.resume(returning: $0)
            }
        }
    }
}

extension ServiceWriter {
    /// Saves the progress of sinks.
    func saveProgress(_ batch: [String: [DeliveryProgress]]) throws(Problem) {
        var rejectedIn: [String: Problem] = [:]
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            for (id, list) in batch.sorted(by: { $0.key < $1.key }) where try store.sink(id: id) != nil {
                for progress in list {
                    try saveStates(progress.retained, ofSink: id, in: transaction)
                    try store.setCursors(ofSink: id, progress.cursor, alarms: progress.alarmCursor, in: transaction)
                    if let time = progress.deliveredAt {
                        try store.addDelivered(progress.delivered, at: time, toSink: id, in: transaction)
                    }
                    for event in progress.rejected where try store.outboxEvent(event.sequence) != nil {
                        try store.reject(event, ofSink: id, in: transaction)
                        rejectedIn[id] = event.problem
                    }
                    for sequence in progress.clearedRejections {
                        _ = try store.removeRejected(sequence, ofSink: id, in: transaction)
                    }
                }
            }
        }
        for (id, list) in batch where list.contains(where: { !$0.clearedRejections.isEmpty }) { try resolveRejected(id) }
        for (id, problem) in rejectedIn { try record(problem, source: Sink.rejectedSource(id)) }
    }

    /// Saves the topics at which a sink has retained states.
    func saveStates(
        _ states: DeliveryProgress.States, ofSink id: String, in transaction: borrowing Transaction
    ) throws(Problem) {
        for (place, topics) in states { try store.addRetained(topics, at: place, ofSink: id, at: clock.now(), in: transaction) }
    }

    /// Records the state of a sink's connection in the problem journal. A pause because of a refusal, and the end of a pause, are saved, so
    /// that they outlast a restart.
    ///
    /// - Returns: Whether a pause of the sink, or the end of a pause, was saved.
    func recordConnection(_ status: ConnectionStatus, ofSink id: String) throws(Problem) -> Bool {
        guard let stored = try store.sink(id: id) else { return false }
        var pauseHasChanged = false
        if case .paused(let problem?) = status.state {
            try pauseSink(id: id, because: problem)
            pauseHasChanged = true
        } else if status.state == .connected, stored.pausedBy != nil {
            _ = try resumeSink(id: id, skipping: false)
            pauseHasChanged = true
        }
        if let problem = status.problem(ofSink: id) {
            try record(problem, source: Sink.problemSource(id))
        } else {
            try resolve(source: Sink.problemSource(id))
        }
        return pauseHasChanged
    }
}
