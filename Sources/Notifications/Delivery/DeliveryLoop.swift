import Core
import Delivery
import Model
import Senders
import Service
import Store

/// The work of the delivery's thread: it handles messages from the inbox, reads what has to be sent, sends it, and saves the
/// progress of each sink. Created and used on that thread only.
final class DeliveryLoop {
    let inbox: DeliveryInbox
    let writer: Writer
    let senders: Senders
    let clock: any WallClock
    let observer: DeliveryObserver
    private let statusBoard: SinkStatusBoard
    let links: AlarmLinks?
    let reports: SinkReports
    private var random: SystemRandomNumberGenerator

    var sinks: [String: SinkDelivery] = [:]
    private var nextIncarnation = 0
    private var nextSender = 0
    /// The number of the newest preparation of a report; see `SinkDelivery.preparation`.
    var newestPreparation = 0
    private let zones = TimeZones()
    let reader: StoreReader
    /// The number of the newest committed event.
    var newest: Int64
    /// The events that were read last, shared by the sinks.
    var page: (after: Int64, upTo: Int64, events: [OutboxEvent])?
    /// The sinks whose pause has ended and that were not read since; nil if all sinks are up to date.
    var sinksToRead: Set<String>? = []
    private var unrecorded = ConnectionRecords()
    private var isRecording = false
    /// When connections may be recorded again after a failure.
    private var recordAgainAt = ContinuousClock.now
    /// The maximum number of connections to record at a time, so that the writer is not busy for long.
    private static let mostRecorded = 16

    /// When the open emergencies were last read.
    var emergenciesReadAt = Instant.earliest
    var savedAt = ContinuousClock.now
    /// Progress that the writer is saving.
    var saving: [String: [DeliveryProgress]] = [:]
    var isSaving = false
    private var stopAt: ContinuousClock.Instant?

    /// When the retained messages for brokers are determined next.
    private var retainedReadAgainAt = ContinuousClock.now
    private var homeAssistant = HomeAssistantReader()
    /// The removal of unwanted retained messages from brokers.
    var retainedRemoval = RetainedRemoval()
    /// The minimum interval between two determinations.
    private static let retainedInterval = Duration.milliseconds(200)
    /// The maximum time that `stop` waits for messages that are being sent.
    private static let stopPatience = Duration.seconds(3)

    init(
        _ directory: DataDirectory, inbox: DeliveryInbox, writer: Writer, senders: Senders, newest: Int64, clock: any WallClock,
        observer: DeliveryObserver, board: SinkStatusBoard, links: AlarmLinks?, reports: SinkReports
    ) {
        self.links = links
        self.reports = reports
        reader = StoreReader(directory, clock: clock) { observer.problem($0) }
        self.inbox = inbox
        self.writer = writer
        self.senders = senders
        self.newest = newest
        self.clock = clock
        self.observer = observer
        self.statusBoard = board
        random = SystemRandomNumberGenerator()
    }

    func run() {
        reload()
        var hasMore = true
        while let news = inbox.queue.takeAll(waitingAtMost: hasMore ? 0 : pause()) {
            for item in news { handle(item) }
            if let stopAt {
                recordConnections(all: true)
                save(all: true)
                let isDone = !isSaving && sinks.values.allSatisfy { $0.inFlight == 0 && !$0.hasProgress }
                if isDone || ContinuousClock.now > stopAt { break }
                hasMore = false
                continue
            }
            if sinksToRead != nil { reload() }
            repeatEmergencies()
            updateRetainedMessages()
            hasMore = sendPending()
            removeUnwantedMessages()
            recordConnections(all: false)
            save(all: false)
            publishStatuses()
        }
        for sink in sinks.values { sink.sender.stop() }
        retainedRemoval.stop()
        reader.close()
    }

    /// The maximum number of seconds to wait for the next message in the inbox.
    private func pause() -> Double {
        if stopAt != nil { return 0.05 }
        let now = clock.now()
        var wait = sinks.values.contains { $0.hasProgress } || !saving.isEmpty || !unrecorded.waiting.isEmpty ? 0.25 : 1.0
        if reader.works, let due = retainedRemoval.nextAttempt { wait = min(wait, max(0.001, due - now)) }
        for sink in sinks.values {
            if let due = sink.connection.status.nextAttemptAt, sink.hasNext { wait = min(wait, max(0.001, due - now)) }
            if let again = sink.rateLimitedUntil { wait = min(wait, max(0.001, again - now)) }
            if sink.retained != nil { wait = min(wait, Self.retainedInterval.seconds) }
        }
        return wait
    }

    // MARK: - News

    private func handle(_ news: DeliveryInbox.Message) {
        switch news {
        case .events(let upTo): newest = max(newest, upTo)
        case .positions: for sink in sinks.values { sink.hasMorePositions = true }
        case .sent(let shipment, let result): handleOutcome(shipment, result)
        case .peerNews(let id, let sender, let news):
            guard let sink = sinks[id] else { return }
            switch news {
            case .retained(let topic, let payload):
                if sink.senderNumber == sender { sink.retained?.recordRetained(topic, payload) }
            // An ended connection of an earlier sender counts as well: the last message it published may have arrived after the new sender
            // has read the retained messages.
            case .connectionEnded: sink.retained?.connectionEnded()
            }
        case .sinksChanged(let resumed):
            sinksToRead = (sinksToRead ?? []).union(resumed)
            retainedRemoval.isDue = true
        case .test(let id, let reply): test(id, reply)
        case .prepared(let id, let preparation, let result):
            if let sink = sinks[id] { handlePrepared(result, preparation, of: sink) }
        case .tested(let id, let test, let reply):
            if test.outcome == .delivered, let sink = sinks[id] {
                perform(sink.connection.peerRecovered(at: clock.now()), of: sink, isOutcome: false)
            }
            reply(.success(test))
        case .saved(let result): handleSaved(result)
        case .recorded(let hasPauses, let failed, let problem):
            isRecording = false
            if let problem {
                observer.problem(problem)
                unrecorded.putBack(failed)
                recordAgainAt = .now + Self.saveInterval
            }
            if hasPauses { sinksToRead = sinksToRead ?? [] }
        case .removed(let removals):
            page = nil
            retainedRemoval.isDue = true
            for sink in sinks.values { sink.remove(removals) }
        case .processed(let reply): reply()
        case .discoveryProblemUnsaved(let id): sinks[id]?.retained?.problemChangeFailed()
        case .topicsRecorded(let id, let sender, let change, let problem):
            if let problem { observer.problem(problem) }
            if !change.unwanted.isEmpty { retainedRemoval.isDue = true }
            if let sink = sinks[id], sink.senderNumber == sender {
                sink.retained?.endRecording(change, isSaved: problem == nil)
            }
        case .topicsCleared(let place, let topics, let outcome): handleClearing(of: place, topics, outcome)
        case .clearingRecorded(let place, let problem):
            if let problem { observer.problem(problem) }
            retainedRemoval.end(place, isSuccess: problem == nil, at: clock.now())
        case .networkReturned:
            retainedRemoval.retryNow()
            let now = clock.now()
            for sink in sinks.values { perform(sink.connection.networkReturned(at: now), of: sink, isOutcome: false) }
        case .clockMoved: break
        case .stop: stopAt = ContinuousClock.now + Self.stopPatience
        }
    }

    private func handleOutcome(_ shipment: Shipment, _ result: SendResult) {
        guard let sink = sinks[shipment.sink] else { return }
        let now = clock.now()
        if let movedTo = result.movedTo { sink.movedTo = movedTo }
        let outcome = sink.sink.target.kind.contentKind == .reports ? result.outcome.ofReport : result.outcome
        if shipment.lane == .retained {
            if shipment.sender == sink.senderNumber { sink.retained?.end(outcome) }
            if case .reject = outcome { recordRetainedProblem(of: sink) }
        } else {
            guard sink.incarnation == shipment.incarnation else { return }
            finishMessage(shipment, outcome, sink, at: now)
            observer.sent(sink.sink, outcome)
        }
        // The outcome belongs to settings that the sink no longer has, or to a stop.
        if shipment.sender != sink.senderNumber || outcome.problem == .cancelled { return }
        record(outcome, of: shipment.attempt, sink, at: now)
    }

    /// Records the outcome of an attempt in the state of the sink's connection.
    func record(_ outcome: DeliveryOutcome, of attempt: PeerConnection.Attempt, _ sink: SinkDelivery, at now: Instant) {
        let before = sink.connection.status.state.name
        perform(sink.connection.record(outcome, of: attempt, at: now, using: &random), of: sink)
        if outcome == .delivered, before == .connected, !sink.isKnownToWork { recordConnection(of: sink) }
    }

    /// Handles the outcome of a message.
    private func finishMessage(_ shipment: Shipment, _ outcome: DeliveryOutcome, _ sink: SinkDelivery, at now: Instant) {
        if outcome != .delivered, sink.lanes[shipment.lane]?.isRemoved(shipment.number) == true {
            sink.lanes[shipment.lane]?.finish(shipment.number, wasDelivered: false)
            return
        }
        switch outcome {
        case .delivered:
            sink.lanes[shipment.lane]?.finish(shipment.number)
            sink.delivered += 1
            sink.deliveredAt = now
            sink.unsaved.delivered += 1
            sink.unsaved.deliveredAt = now
            if shipment.lane == .resent { clearRejection(shipment.number, sink) }
        case .reject(let problem):
            sink.failures += 1
            sink.lanes[shipment.lane]?.finish(shipment.number, wasDelivered: false)
            // An emergency is sent again anyway.
            if shipment.lane != .repeated { reject(shipment.number, of: sink, because: problem, at: now) }
        case .retry(let problem, _):
            sink.failures += 1
            let refusals = sink.lanes[shipment.lane]?.recordFailure(shipment.number) ?? 0
            if refusals < SinkDelivery.mostRefusals {
                sink.lanes[shipment.lane]?.requeue(shipment.number)
            } else {
                sink.lanes[shipment.lane]?.finish(shipment.number, wasDelivered: false)
                if shipment.lane != .repeated { rejectRepeated(shipment.number, of: sink, because: problem, at: now) }
            }
        case .pause:
            sink.failures += 1
            sink.lanes[shipment.lane]?.requeue(shipment.number)
        }
    }

    /// Carries out the actions of a connection.
    ///
    /// - Parameter isOutcome: Whether the actions follow from an attempt or from a person's edit. If only a delay has ended early, the
    ///   problem journal counts no failure.
    private func perform(_ actions: [PeerConnection.Action], of sink: SinkDelivery, isOutcome: Bool = true) {
        for action in actions {
            switch action {
            // Attempts start when there is something to send and their time has come.
            case .wait, .attempt: break
            case .announce(let status):
                if isOutcome { recordConnection(of: sink) }
                observer.changed(sink.sink, status)
            case .wakeOthers:
                let now = clock.now()
                for other in sinks.values where other !== sink {
                    perform(other.connection.peerRecovered(at: now), of: other, isOutcome: false)
                }
            }
        }
    }

    /// Records the state of a connection in the problem journal.
    private func recordConnection(of sink: SinkDelivery) {
        let status = sink.connection.status
        sink.isKnownToWork = status.state.name == .connected
        if case .paused(_?) = status.state { sink.isPauseUnsaved = true }
        unrecorded.add(status, ofSink: sink.id)
    }

    /// Records connections that have changed in the problem journal. Those that cannot be written are kept for the next attempt.
    ///
    /// - Parameter isAll: Whether to record all of them now.
    private func recordConnections(all isAll: Bool) {
        guard isAll || !isRecording && ContinuousClock.now >= recordAgainAt, !unrecorded.waiting.isEmpty else { return }
        let batch = unrecorded.take(atMost: isAll ? .max : Self.mostRecorded)
        isRecording = writer.submit({ service throws(Problem) in
            var hasPauses = false
            var (failed, failure): ([ConnectionRecords.Record], Problem?) = ([], nil)
            for record in batch {
                do throws(Problem) {
                    if try service.recordConnection(record.status, ofSink: record.sink) { hasPauses = true }
                } catch {
                    failed.append(record)
                    failure = error
                }
            }
            return (hasPauses: hasPauses, failed: failed, failure: failure)
        }) { [inbox] result in
            switch result {
            case .success(let done):
                _ = inbox.queue.add(.recorded(hasPauses: done.hasPauses, failed: done.failed, done.failure))
            case .failure(let problem): _ = inbox.queue.add(.recorded(hasPauses: false, failed: batch, problem))
            }
        }
    }

    // MARK: - Sinks

    /// Reads the sinks from the store. If that is not possible now, tries again later.
    private func reload() {
        let resumed = sinksToRead ?? []
        sinksToRead = resumed
        reader.read { service throws(Problem) in
            let stored = try service.sinks()
            sinksToRead = nil
            reader.resetChangeCounter()
            for sink in stored {
                do throws(Problem) {
                    try updateSink(sink, isResumed: resumed.contains(sink.sink.id))
                } catch {
                    // An invalid sink, for example with a time zone that no longer exists, must not affect the others.
                    observer.problem(error)
                }
            }
            let found = Set(stored.map(\.sink.id))
            for (id, sink) in sinks where !found.contains(id) {
                retire(sink)
                saveStates(of: sink)
                sinks[id] = nil
            }
        }
    }

    private func updateSink(_ stored: PicketStore.StoredSink, isResumed: Bool) throws(Problem) {
        let now = clock.now()
        if let known = sinks[stored.sink.id] {
            let actions = try known.update(
                stored, isResumed: isResumed, at: now, makeSender: makeSender(for:), retire: retire)
            return perform(actions, of: known)
        }
        nextIncarnation += 1
        sinks[stored.sink.id] = try SinkDelivery(
            stored, zones: zones, incarnation: nextIncarnation, at: now, makeSender: makeSender(for:))
    }

    private func makeSender(for sink: Sink) -> (sender: any SinkSender, number: Int) {
        nextSender += 1
        let (id, number) = (sink.id, nextSender)
        let sender = senders.sender(for: sink) { [inbox] news in
            _ = inbox.queue.add(.peerNews(sink: id, sender: number, news))
        }
        return (sender, number)
    }

    /// Sends a test message to a sink, regardless of its filter and state.
    private func test(_ id: String, _ reply: @escaping @Sendable (Result<SinkTest, Problem>) -> Void) {
        if sinks[id] == nil || sinksToRead != nil { reload() }
        guard let sink = sinks[id] else { return reply(.failure(.notFound(kind: .sink, id: id, similar: []))) }
        SinkTest.run(sink.composer, sender: sink.sender, reports, at: clock.now()) { [inbox] test in
            if !inbox.queue.add(.tested(sink: id, test, reply: reply)) { reply(.failure(.cancelled)) }
        }
    }

    // MARK: - Sending

    /// Sends everything that may be sent now. Returns whether more can be read immediately.
    private func sendPending() -> Bool {
        var hasMore = false
        let now = clock.now()
        for sink in sinks.values {
            if case .paused = sink.connection.status.state, !sink.connection.mayBegin(at: now) { continue }
            switch sink.sink.target.kind.contentKind {
            case .events, .positions: if fillQueues(sink) { hasMore = true }
            case .reports: prepareReport(of: sink, at: now)
            }
            sink.rateLimitedUntil = nil
            while let lane = sink.nextLane, let entry = sink.lanes[lane]?.first {
                guard let isDue = self.isDue(entry.item, sink) else { break }
                if !isDue {
                    sink.discardNext(of: lane)
                    continue
                }
                // A message is composed only if it can be sent now, because a report is large.
                guard sink.mayBegin(lane, at: now) else { break }
                guard let message = sink.composer.message(for: entry.item) else {
                    sink.discardNext(of: lane)
                    continue
                }
                guard let shipment = sink.begin(lane, at: now) else { break }
                sink.recordStates(in: message, of: entry.item)
                send(message, shipment, sink)
            }
            if let (message, shipment) = sink.beginRetained(at: now) { send(message, shipment, sink) }
        }
        return hasMore && reader.works
    }

    private func send(_ message: OutgoingMessage, _ shipment: Shipment, _ sink: SinkDelivery) {
        sink.sender.send(message) { [inbox] in _ = inbox.queue.add(.sent(shipment, $0)) }
    }

    // MARK: - Retained messages

    /// Determines the retained messages for brokers at intervals, if something was written in the meantime.
    private func updateRetainedMessages() {
        let announcing = sinks.values.filter { $0.retained != nil }
        if announcing.isEmpty || ContinuousClock.now < retainedReadAgainAt { return }
        let start = ContinuousClock.now
        // The states of the devices must be written, because they contain the devices' positions.
        writer.writeDerivedData()
        reader.read { service throws(Problem) in
            guard try reader.hasChanged(service) else { return }
            for sink in announcing {
                sink.retained?.update(try homeAssistant.view(of: sink.sink, in: service), language: sink.sink.language)
                recordRetainedProblem(of: sink)
            }
        }
        for sink in announcing { recordTopics(of: sink) }
        // If reading takes long, the interval is extended to 20 times its duration, so that it uses at most 5% of the time.
        let end = ContinuousClock.now
        retainedReadAgainAt = end + max(Self.retainedInterval, (end - start) * 20)
    }

    /// Records in the problem journal why a sink's broker does not get all retained messages.
    private func recordRetainedProblem(of sink: SinkDelivery) {
        guard let news = sink.retained?.takeProblemChange() else { return }
        let (id, source) = (sink.id, Sink.discoverySource(sink.id))
        _ = writer.submit({ service throws(Problem) in
            if let news { try service.record(news, source: source) } else { try service.resolve(source: source) }
        }) { [observer, inbox] result in
            guard case .failure(let problem) = result else { return }
            observer.problem(problem)
            _ = inbox.queue.add(.discoveryProblemUnsaved(sink: id))
        }
    }

    private func publishStatuses() {
        var statuses: [String: SinkStatus] = [:]
        let now = clock.now()
        for (id, sink) in sinks {
            let unread: Int64 =
                switch sink.sink.target.kind.contentKind {
                case .events: max(0, newest - (sink.lanes[.main]?.position ?? newest))
                case .positions: 0
                case .reports: sink.dueReport(at: now) != nil && sink.waiting == 0 ? 1 : 0
                }
            statuses[id] = SinkStatus(
                connection: sink.connection.status, waiting: sink.waiting + Int(unread), delivered: sink.delivered,
                deliveredAt: sink.deliveredAt, failures: sink.failures, tooOld: sink.tooOld,
                rejected: sink.rejected + sink.unsaved.rejected.count,
                movedTo: sink.movedTo)
        }
        statusBoard.show(statuses)
        observer.shown()
    }
}
