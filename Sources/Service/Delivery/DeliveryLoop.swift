import Delivery
import Model
import Senders
import Store

/// The delivery's thread: takes news, reads what is to be sent, sends it, and has the store told how far it has come.
///
/// `@unchecked Sendable`: it is made on one thread and handed to the delivery's before that starts; from then on only that one uses
/// it.
final class DeliveryLoop: @unchecked Sendable {
    private let inbox: DeliveryInbox
    private let directory: DataDirectory
    private let writer: Writer
    private let senders: Senders
    private let clock: any WallClock
    private let observer: DeliveryObserver
    private let board: SinkBoard
    private let links: AlarmLinks?
    private var random: SystemRandomNumberGenerator

    private var sinks: [String: SinkDelivery] = [:]
    private var nextIncarnation = 0
    private let zones = TimeZones()
    private var reader: GeofenceService?
    /// The number of the newest event that is kept.
    private var newest: Int64
    private var page: (after: Int64, upTo: Int64, events: [OutboxEvent])?
    /// When to read again after the store could not be read.
    private var readAgainAt: ContinuousClock.Instant?
    /// Sinks whose pause has ended, when the sinks could not be read since; nil when what is known of sinks is up to date.
    private var unread: Set<String>?

    /// When it was last looked which emergencies are open.
    private var emergenciesReadAt = Instant.earliest
    private var savedAt = ContinuousClock.now
    /// What the writer has not told yet whether it is kept.
    private var saving: [String: [DeliveryProgress]] = [:]
    private var isSaving = false
    private var stopAt: ContinuousClock.Instant?

    /// So much is read at a time.
    private static let pageSize = 256
    /// How often the store is told how far sinks have come.
    private static let saveInterval = Duration.milliseconds(250)
    /// How long a stop waits for what is on its way.
    private static let stopPatience = Duration.seconds(5)

    init(
        _ directory: DataDirectory, inbox: DeliveryInbox, writer: Writer, senders: Senders, newest: Int64, clock: any WallClock,
        observer: DeliveryObserver, board: SinkBoard, links: AlarmLinks?
    ) {
        self.links = links
        self.directory = directory
        self.inbox = inbox
        self.writer = writer
        self.senders = senders
        self.newest = newest
        self.clock = clock
        self.observer = observer
        self.board = board
        random = SystemRandomNumberGenerator()
    }

    func run() {
        reload(resumed: [])
        var hasMore = true
        while let news = inbox.queue.takeAll(waitingAtMost: hasMore ? 0 : pause()) {
            for item in news { take(item) }
            if let stopAt {
                save(all: true)
                let isDone = !isSaving && sinks.values.allSatisfy { $0.inFlight == 0 && !$0.hasProgress }
                if isDone || ContinuousClock.now > stopAt { break }
                hasMore = false
                continue
            }
            if unread != nil { reload(resumed: []) }
            repeatEmergencies()
            hasMore = pump()
            save(all: false)
            showStatus()
        }
        for sink in sinks.values { sink.sender.stop() }
        reader = nil
    }

    /// Seconds until something has to be done though there is no news.
    private func pause() -> Double {
        if stopAt != nil { return 0.05 }
        let now = clock.now()
        var wait = sinks.values.contains { $0.hasProgress } || !saving.isEmpty ? 0.25 : 1.0
        for sink in sinks.values {
            if let due = sink.connection.status.nextAttemptAt { wait = min(wait, max(0.001, due - now)) }
            if let again = sink.askAgainAt { wait = min(wait, max(0.001, again - now)) }
        }
        return wait
    }

    // MARK: - News

    private func take(_ news: DeliveryInbox.News) {
        switch news {
        case .events(let upTo): newest = max(newest, upTo)
        case .positions: for sink in sinks.values { sink.hasMorePositions = true }
        case .sent(let shipment, let result): sent(shipment, result)
        case .sinksChanged(let resumed): reload(resumed: resumed)
        case .test(let id, let reply): test(id, reply)
        case .tested(let id, let test, let reply):
            if test.outcome == .delivered, let sink = sinks[id] {
                perform(sink.connection.peerRecovered(at: clock.now()), of: sink, isOutcome: false)
            }
            reply(.success(test))
        case .saved(let result): saved(result)
        case .networkReturned:
            let now = clock.now()
            for sink in sinks.values { perform(sink.connection.networkReturned(at: now), of: sink, isOutcome: false) }
        case .clockMoved: break
        case .stop: stopAt = ContinuousClock.now + Self.stopPatience
        }
    }

    private func sent(_ shipment: Shipment, _ result: SendResult) {
        guard let sink = sinks[shipment.sink], sink.incarnation == shipment.incarnation else { return }
        let now = clock.now()
        if let movedTo = result.movedTo { sink.movedTo = movedTo }
        switch result.outcome {
        case .delivered:
            sink.lanes[shipment.lane]?.finish(shipment.number)
            sink.delivered += 1
            sink.deliveredAt = now
            sink.unsaved.delivered += 1
            sink.unsaved.deliveredAt = now
            if shipment.lane == .resent { unpark(shipment.number, sink) }
        case .park(let problem):
            sink.failures += 1
            sink.lanes[shipment.lane]?.finish(shipment.number, hasArrived: false)
            // An emergency comes again by itself.
            if shipment.lane != .repeated { park(shipment.number, sink, problem, now) }
        case .retry(let problem, _):
            sink.failures += 1
            let refusals = sink.lanes[shipment.lane]?.noteFailure(shipment.number) ?? 0
            if refusals < SinkDelivery.mostRefusals {
                sink.lanes[shipment.lane]?.putBack(shipment.number)
            } else {
                sink.lanes[shipment.lane]?.finish(shipment.number, hasArrived: false)
                if shipment.lane != .repeated { parkRefused(shipment.number, sink, problem, now) }
            }
        case .pause:
            sink.failures += 1
            sink.lanes[shipment.lane]?.putBack(shipment.number)
        }
        observer.sent(sink.sink, result.outcome)
        // The outcome is of settings that the sink no longer has, or of a stop.
        if shipment.connectionVersion != sink.connectionVersion || result.outcome.problem == .cancelled { return }
        let before = sink.connection.status.state.name
        perform(sink.connection.record(result.outcome, of: shipment.attempt, at: now, using: &random), of: sink)
        if result.outcome == .delivered, before == .connected, !sink.isKnownToWork { tellJournal(sink) }
    }

    /// Does what a connection asks for.
    ///
    /// - Parameter isOutcome: Whether something has come of an attempt, or a person did something. A wait that has ended early is no
    ///   failure, and the journal counts none.
    private func perform(_ actions: [PeerConnection.Action], of sink: SinkDelivery, isOutcome: Bool = true) {
        for action in actions {
            switch action {
            // Attempts are begun when there is something to send and their time has come.
            case .wait, .attempt: break
            case .announce(let status):
                if isOutcome { tellJournal(sink) }
                observer.changed(sink.sink, status)
            case .wakeOthers:
                let now = clock.now()
                for other in sinks.values where other !== sink {
                    perform(other.connection.peerRecovered(at: now), of: other, isOutcome: false)
                }
            }
        }
    }

    /// Has the journal of problems say what the connection says.
    private func tellJournal(_ sink: SinkDelivery) {
        let (id, status) = (sink.id, sink.connection.status)
        sink.isKnownToWork = status.state.name == .connected
        if case .paused(_?) = status.state { sink.isPauseUnsaved = true }
        _ = writer.submit({ service throws(Problem) in try service.note(status, ofSink: id) }) { [observer, inbox] result in
            if case .failure(let problem) = result { observer.problem(problem) }
            inbox.sinksChanged()
        }
    }

    // MARK: - Parked events

    private func park(_ number: Int64, _ sink: SinkDelivery, _ problem: Problem, _ now: Instant) {
        // Positions are not kept aside: the next one tells more.
        if sink.sink.target.takesPositions { return }
        sink.unsaved.parked.append(.init(sequence: number, parkedAt: now, problem: problem))
    }

    private func unpark(_ number: Int64, _ sink: SinkDelivery) { sink.unsaved.unparked.append(number) }

    /// Parks an event that the sink refuses again and again while it takes others.
    private func parkRefused(_ number: Int64, _ sink: SinkDelivery, _ problem: Problem, _ now: Instant) {
        let details = problem.details ?? Language.english.words.message(problem)
        var status = 0
        if case .serverError(let code?, _) = problem { status = code }
        park(number, sink, .eventRejected(sink: sink.id, status: status, details: details), now)
    }

    // MARK: - Sinks

    /// Takes over the sinks of the store; later, when it cannot be read now.
    private func reload(resumed: Set<String>) {
        let resumed = resumed.union(unread ?? [])
        unread = resumed
        read { service throws(Problem) in
            let stored = try service.sinks()
            unread = nil
            for sink in stored {
                do throws(Problem) {
                    try takeOver(sink, isResumed: resumed.contains(sink.sink.id))
                } catch {
                    // One sink that cannot be used, as for a time zone that is no more, keeps no other.
                    observer.problem(error)
                }
            }
            let found = Set(stored.map(\.sink.id))
            for (id, sink) in sinks where !found.contains(id) {
                sink.sender.stop()
                sinks[id] = nil
                saving[id] = nil
            }
        }
    }

    private func takeOver(_ stored: RegionStore.StoredSink, isResumed: Bool) throws(Problem) {
        let now = clock.now()
        if let known = sinks[stored.sink.id] {
            let actions = try known.update(stored, isResumed: isResumed, at: now) { senders.sender(for: $0) }
            return perform(actions, of: known)
        }
        nextIncarnation += 1
        sinks[stored.sink.id] = try SinkDelivery(
            stored, sender: senders.sender(for: stored.sink), zones: zones, incarnation: nextIncarnation, at: now)
    }

    /// Sends a made-up event to a sink, past its filter and whatever its state.
    private func test(_ id: String, _ reply: @escaping @Sendable (Result<SinkTest, Problem>) -> Void) {
        if sinks[id] == nil { reload(resumed: []) }
        guard let sink = sinks[id] else { return reply(.failure(.notFound(kind: "sink", id: id, similar: []))) }
        SinkTest.run(sink.composer, sink.sender, at: clock.now()) { [inbox] test in
            if !inbox.queue.add(.tested(sink: id, test, reply: reply)) { reply(.failure(.cancelled)) }
        }
    }

    // MARK: - Emergencies

    /// How many seconds may pass until an emergency that is due again is found.
    private static let emergencyInterval = 5.0

    /// Has emergencies that nobody has acknowledged sent again.
    private func repeatEmergencies() {
        let now = clock.now()
        // A clock may be set back.
        guard abs(now - emergenciesReadAt) >= Self.emergencyInterval, !sinks.isEmpty else { return }
        emergenciesReadAt = now
        read { service throws(Problem) in
            guard service.hasStore else { return }
            let open = try linked(service.store.openEmergencies())
            for sink in sinks.values { sink.repeatEmergencies(open, at: now) }
        }
    }

    /// The alarms, emergencies with the links by which they are acknowledged.
    private func linked(_ alarms: [OutboxEvent]) -> [OutboxEvent] {
        guard let links else { return alarms }
        return alarms.map { alarm in
            var alarm = alarm
            if alarm.event.urgency == .emergency { alarm.acknowledgeURL = links.url(ofAlarm: alarm.event.id) }
            return alarm
        }
    }

    // MARK: - Sending

    /// Sends what may be sent. True when there is more to read at once.
    private func pump() -> Bool {
        var hasMore = false
        let now = clock.now()
        for sink in sinks.values {
            if case .paused = sink.connection.status.state { continue }
            if fill(sink) { hasMore = true }
            sink.askAgainAt = nil
            while let lane = sink.nextLane, let entry = sink.lanes[lane]?.first {
                guard let message = sink.composer.message(for: entry.item), !isTakenBack(entry.item, sink) else {
                    sink.discardNext(of: lane)
                    continue
                }
                guard let shipment = sink.begin(lane, at: now) else { break }
                sink.sender.send(message) { [inbox] in _ = inbox.queue.add(.sent(shipment, $0)) }
            }
        }
        return hasMore && readAgainAt == nil
    }

    /// Reads more for a sink, where there is room. True when there may be more still.
    private func fill(_ sink: SinkDelivery) -> Bool {
        var hasMore = false
        if sink.hasResent, sink.lanes[.resent]?.isEmpty == true {
            read { service throws(Problem) in try fillResent(sink, service) }
        }
        if sink.sink.target.takesPositions {
            guard sink.hasMorePositions else { return false }
            read { service throws(Problem) in hasMore = try fillPositions(sink, service) }
            return hasMore
        }
        for (name, lane) in [(DeliveryLane.alarms, RegionStore.OutboxLane.alarms), (.main, .events)] {
            guard let queue = sink.lanes[name], queue.position < newest, queue.room >= Self.pageSize else { continue }
            read { service throws(Problem) in
                let events = try self.events(lane, after: queue.position, service)
                for outbox in events where try sink.wants(outbox) {
                    sink.lanes[name]?.append(.event(outbox), number: outbox.event.sequence, device: outbox.event.deviceId)
                }
                let isFull = events.count == Self.pageSize
                sink.lanes[name]?.pass(upTo: isFull ? events[events.count - 1].event.sequence : newest)
                if isFull, sink.lanes[name].map({ $0.room >= Self.pageSize }) == true { hasMore = true }
            }
        }
        return hasMore
    }

    /// The next events. What several sinks ask for one after the other is read once.
    private func events(
        _ lane: RegionStore.OutboxLane, after number: Int64, _ service: GeofenceService
    ) throws(Problem) -> [OutboxEvent] {
        if case .alarms = lane {
            return linked(try service.store.outbox(lane, after: number, upTo: newest, limit: Self.pageSize))
        }
        if let page, page.after == number, page.upTo == newest || page.events.count == Self.pageSize { return page.events }
        let events = try service.store.outbox(lane, after: number, upTo: newest, limit: Self.pageSize)
        page = (number, newest, events)
        return events
    }

    private func fillPositions(_ sink: SinkDelivery, _ service: GeofenceService) throws(Problem) -> Bool {
        guard let queue = sink.lanes[.main], queue.room >= Self.pageSize else { return false }
        let positions = try service.store.outboxPositions(after: queue.position, limit: Self.pageSize)
        if positions.isEmpty {
            // When the newest positions were forgotten, their numbers are used again; the store has moved the cursor back then.
            let newest = try service.store.newestFixNumber()
            if newest < queue.position, sink.inFlight == 0 {
                sink.restart(at: min(newest, try service.sink(id: sink.id).cursor))
                return false
            }
        }
        for position in positions {
            if sink.sink.filter.admits(device: position.deviceId, groups: position.deviceGroups) {
                sink.lanes[.main]?.append(.position(position), number: position.number, device: position.deviceId)
            } else {
                sink.lanes[.main]?.pass(upTo: position.number)
            }
        }
        sink.hasMorePositions = positions.count == Self.pageSize
        return sink.hasMorePositions
    }

    private func fillResent(_ sink: SinkDelivery, _ service: GeofenceService) throws(Problem) {
        sink.startResentLane()
        let known = Set(sink.unsaved.unparked + (saving[sink.id] ?? []).flatMap(\.unparked))
        let parked = try service.store.parkedEvents(ofSink: sink.id, onlyResent: true, after: 0, limit: Self.pageSize)
        for event in parked where !known.contains(event.sequence) {
            guard let outbox = try service.store.outboxEvent(event.sequence), try !service.store.isRetracted(outbox.event.id)
            else {
                unpark(event.sequence, sink)
                continue
            }
            sink.lanes[.resent]?.append(.event(outbox), number: event.sequence, device: outbox.event.deviceId)
        }
        sink.hasResent = parked.count == Self.pageSize
    }

    /// Whether an item is the retraction of an event that the sink never got because it is parked.
    private func isTakenBack(_ item: OutboxItem, _ sink: SinkDelivery) -> Bool {
        guard case .event(let outbox) = item, let original = outbox.original else { return false }
        let unsaved = sink.unsaved.parked + (saving[sink.id] ?? []).flatMap(\.parked)
        if unsaved.contains(where: { $0.sequence == original.sequence }) { return true }
        var isParked = false
        read { service throws(Problem) in isParked = try service.store.isParked(original.sequence, ofSink: sink.id) }
        return isParked
    }

    /// Reads the store. What it cannot give is asked for again a second later.
    private func read(_ body: (GeofenceService) throws(Problem) -> Void) {
        if let readAgainAt, ContinuousClock.now < readAgainAt { return }
        do throws(Problem) {
            let open = if let reader { reader } else { try GeofenceService(reading: directory, clock: clock) }
            reader = open.hasStore ? open : nil
            try body(open)
            readAgainAt = nil
        } catch {
            reader = nil
            readAgainAt = ContinuousClock.now + .seconds(1)
            observer.problem(error)
        }
    }

    // MARK: - How far it has come

    /// Has the store told, from time to time: each time costs a sync of the disk.
    private func save(all: Bool) {
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

    private func saved(_ result: Result<Void, Problem>) {
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

    private func showStatus() {
        var statuses: [String: SinkStatus] = [:]
        for (id, sink) in sinks {
            let unread = sink.sink.target.takesPositions ? 0 : max(0, newest - (sink.lanes[.main]?.position ?? newest))
            statuses[id] = SinkStatus(
                connection: sink.connection.status, waiting: sink.waiting + Int(unread), delivered: sink.delivered,
                deliveredAt: sink.deliveredAt, failures: sink.failures, parked: sink.parked + sink.unsaved.parked.count,
                movedTo: sink.movedTo)
        }
        board.show(statuses)
    }
}
