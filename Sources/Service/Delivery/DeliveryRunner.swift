import Delivery
import Model
import Secrets
import Senders
import Store
import Synchronization
import Workers

/// Sends events and positions to the sinks of a store, while a service runs: on a thread of its own, beside whoever writes.
public final class DeliveryRunner: Sendable {
    private let inbox: DeliveryInbox
    private let thread: WorkThreads
    private let senders: Senders
    private let board = SinkBoard()

    /// - Parameters:
    ///   - inbox: Is told by the writer what is kept.
    ///   - newest: The number of the newest event that is kept.
    ///   - links: By which emergencies are acknowledged; nil where phones cannot reach the service.
    public init(
        _ directory: DataDirectory, inbox: DeliveryInbox, writer: Writer, senders: Senders, newest: Int64,
        clock: any WallClock = SystemClock(), observer: DeliveryObserver = .init(), links: AlarmLinks? = nil
    ) {
        self.inbox = inbox
        self.senders = senders
        let board = board
        thread = WorkThreads("picket delivery") {
            DeliveryLoop(
                directory, inbox: inbox, writer: writer, senders: senders, newest: newest, clock: clock, observer: observer,
                board: board, links: links
            ).run()
        }
    }

    /// How sinks do, by id.
    public var statuses: [String: SinkStatus] { board.statuses }

    /// Sends a made-up event to a sink, past its filter and whatever its state, and waits for what comes of it.
    public func test(sink id: String) async throws(Problem) -> SinkTest {
        let result: Result<SinkTest, Problem> = await withCheckedContinuation { continuation in
            if !inbox.queue.add(.test(sink: id, reply: { continuation.resume(returning: $0) })) {
                continuation.resume(returning: .failure(.cancelled))
            }
        }
        return try result.get()
    }

    /// Waits a little for what is on its way, has the store told how far sinks have come, and ends. The writer must still run.
    public func stop() {
        _ = inbox.queue.add(.stop)
        thread.join()
        inbox.queue.close()
        senders.stop()
    }
}

/// What the delivery tells of its work. Called on its thread.
public struct DeliveryObserver: Sendable {
    /// What came of a message.
    public var sent: @Sendable (Sink, DeliveryOutcome) -> Void = { _, _ in }
    /// A sink's connection has changed.
    public var changed: @Sendable (Sink, ConnectionStatus) -> Void = { _, _ in }
    /// The statuses of sinks are shown anew.
    public var shown: @Sendable () -> Void = {}
    /// Something that no sink can be told of, as a store that cannot be read.
    public var problem: @Sendable (Problem) -> Void = { _ in }

    public init() {}
}

/// How sinks do, written by one thread and read by others.
final class SinkBoard: Sendable {
    private let shown = Mutex<[String: SinkStatus]>([:])

    var statuses: [String: SinkStatus] { shown.withLock { $0 } }
    func show(_ statuses: [String: SinkStatus]) { shown.withLock { $0 = statuses } }
}

extension SinkTest {
    /// Sends a made-up event.
    static func run(
        _ composer: MessageComposer, _ sender: any SinkSender, at now: Instant, _ done: @escaping @Sendable (SinkTest) -> Void
    ) {
        let start = ContinuousClock.now
        let item: OutboxItem =
            composer.sink.target.takesPositions
            ? .position(position(at: now)) : .event(event(id: "test-\(Secret.name())", at: now))
        guard let message = composer.message(for: item, isTest: true) else {
            return done(SinkTest(outcome: DeliveryOutcome(.unknown(details: "the sink takes no such message")), seconds: 0))
        }
        sender.send(message) { done(SinkTest(outcome: $0.outcome, seconds: (ContinuousClock.now - start).seconds)) }
    }
}

extension Queries {
    /// Tries a sink without a service.
    ///
    /// - Parameter done: Called with what came of it, on another thread.
    public func test(sink id: String, with senders: Senders, _ done: @escaping @Sendable (SinkTest) -> Void) throws(Problem) {
        let sink = try self.sink(id: id).sink
        let composer = try MessageComposer(sink, zone: try SinkTimeZone(named: sink.timeZone))
        SinkTest.run(composer, senders.sender(for: sink), at: clock.now(), done)
    }
}

extension ServiceWriter {
    /// Keeps how far sinks have come.
    func save(_ batch: [String: [DeliveryProgress]]) throws(Problem) {
        var parkedIn: [String: Problem] = [:]
        try transaction { () throws(Problem) in
            for (id, list) in batch.sorted(by: { $0.key < $1.key }) where try store.sink(id: id) != nil {
                for progress in list {
                    try store.setCursors(ofSink: id, progress.cursor, alarms: progress.alarmCursor)
                    if let time = progress.deliveredAt { try store.addDelivered(progress.delivered, at: time, toSink: id) }
                    for event in progress.parked { try store.park(event, ofSink: id) }
                    for sequence in progress.unparked { _ = try store.removeParked(sequence, ofSink: id) }
                    if let last = progress.parked.last { parkedIn[id] = last.problem }
                }
            }
        }
        for (id, list) in batch where list.contains(where: { !$0.unparked.isEmpty }) { try resolveParked(id) }
        for (id, problem) in parkedIn { try record(problem, source: Sink.parkedSource(id)) }
    }

    /// Notes in the journal of problems how a sink's connection does; a pause stays through a restart.
    func note(_ status: ConnectionStatus, ofSink id: String) throws(Problem) {
        guard try store.sink(id: id) != nil else { return }
        if case .paused(let problem?) = status.state { try pauseSink(id: id, because: problem) }
        if let problem = status.problem(ofSink: id) {
            try record(problem, source: Sink.problemSource(id))
        } else {
            try resolve(source: Sink.problemSource(id))
        }
    }
}
