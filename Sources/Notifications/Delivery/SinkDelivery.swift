import Core
import Delivery
import Model
import Senders
import Settings
import Store

/// The delivery to one sink: the messages that wait, those that are being sent, and the state of the connection. Used on the delivery's
/// thread only.
final class SinkDelivery {
    private(set) var stored: PicketStore.StoredSink
    private(set) var composer: MessageComposer
    private(set) var sender: any SinkSender
    /// The number of the current sender. Each change of the settings creates a new sender with a new number.
    private(set) var senderNumber: Int
    var connection: PeerConnection
    /// The retained messages for Home Assistant; nil if the sink announces nothing.
    var retained: RetainedMessages?
    /// Increased when messages that were read before must no longer count.
    private(set) var incarnation: Int

    var lanes: [DeliveryLane: DeliveryQueue<OutboxItem>]
    /// Whether there may be rejected events to add to their queue.
    var hasResent = true
    private var bucket: TokenBucket?
    private let zones: TimeZones

    /// When the rate limit allows the next message; nil if no message waits for it.
    var rateLimitedUntil: Instant?
    /// Whether there may be positions that were not read yet.
    var hasMorePositions = true

    /// When reports are due; nil if the sink sends none.
    private var schedule: ReportSchedule?
    /// The number of the preparation of a report that runs; nil if none runs. Nothing is sent meanwhile.
    var preparation: Int?
    /// Whether the settings or the data of a computed report have changed.
    private var isReportOutdated = false

    /// The progress that is not saved in the store yet.
    var unsaved = DeliveryProgress()
    var delivered: Int
    var deliveredAt: Instant?
    var failures = 0
    /// The number of events that were too old to be sent since the service started.
    var tooOld = 0
    var rejected: Int
    var movedTo: String?
    /// Whether a success was recorded in the problem journal since the connection was created. Until then, the journal may contain a
    /// problem of an earlier run.
    var isKnownToWork = false
    /// Whether a pause because of a problem is not saved in the store yet.
    var isPauseUnsaved = false

    /// When each emergency was last repeated, and how often, by number.
    private var repetitions: [Int64: (at: Instant, count: Int)] = [:]

    /// Seconds after which an emergency is repeated until it is acknowledged.
    static let repetitionInterval = 300.0
    /// The maximum number of messages to read in advance.
    private static let capacity = 1024
    /// The maximum number of times that a sink may reject an event with a status that allows a retry, while it accepts others. Then the
    /// event is rejected.
    static let mostRefusals = 10

    init(
        _ stored: PicketStore.StoredSink, zones: TimeZones, incarnation: Int, at now: Instant,
        makeSender: (Sink) -> (sender: any SinkSender, number: Int)
    ) throws(Problem) {
        self.stored = stored
        self.zones = zones
        self.incarnation = incarnation
        composer = try MessageComposer(stored.sink, zone: zones.zone(stored.sink.timeZone))
        schedule = ReportSchedule(stored.sink, in: try zones.zone(stored.sink.timeZone))
        (sender, senderNumber) = makeSender(stored.sink)
        retained = RetainedMessages(of: stored.sink)
        connection = Self.connection(stored, at: now)
        delivered = stored.delivered
        deliveredAt = stored.deliveredAt
        rejected = stored.rejected
        lanes = [:]
        setBucket()
        resetQueues(from: stored.cursor, alarms: stored.alarmCursor)
    }

    var id: String { stored.sink.id }
    var sink: Sink { stored.sink }

    private static func connection(_ stored: PicketStore.StoredSink, at now: Instant) -> PeerConnection {
        stored.pausedAt.map { PeerConnection(pausedBy: stored.pausedBy, since: $0) } ?? PeerConnection(at: now)
    }

    private func makeQueue(from cursor: Int64) -> DeliveryQueue<OutboxItem> {
        DeliveryQueue(cursor: cursor, limit: sender.limit, capacity: Self.capacity, isPipelined: sender.isPipelined)
    }

    private func resetQueues(from cursor: Int64, alarms alarmCursor: Int64) {
        lanes = [.alarms: makeQueue(from: alarmCursor), .resent: makeQueue(from: 0), .main: makeQueue(from: cursor)]
    }

    /// Sets the rate limit of the current settings. It does not apply to reports.
    private func setBucket() { bucket = schedule == nil ? sink.rateLimit.map(TokenBucket.init) : nil }

    /// Empties the queue of rejected events.
    func startResentLane() { lanes[.resent] = makeQueue(from: 0) }

    /// Updates the sink from the store.
    ///
    /// - Parameters:
    ///   - makeSender: Creates a sender if the settings have changed.
    ///   - retire: Called before the sender of a place that is no longer wanted is replaced.
    func update(
        _ new: PicketStore.StoredSink, isResumed: Bool, at now: Instant,
        makeSender: (Sink) -> (sender: any SinkSender, number: Int), retire: (SinkDelivery) -> Void
    ) throws(Problem) -> [PeerConnection.Action] {
        let old = stored
        stored = new
        // The cursors in the store may be older than those in memory.
        (stored.cursor, stored.alarmCursor) = (old.cursor, old.alarmCursor)
        rejected = new.rejected
        hasResent = true
        var actions: [PeerConnection.Action] = []
        if new.sink != old.sink {
            composer = try MessageComposer(new.sink, zone: zones.zone(new.sink.timeZone))
            schedule = ReportSchedule(new.sink, in: try zones.zone(new.sink.timeZone))
            isReportOutdated = true
            if new.sink.rateLimit != old.sink.rateLimit { setBucket() }
            if new.sink.target != old.sink.target {
                // Messages at the same place stay at the broker.
                if let place = retained?.place, new.sink.retainedPlace?.isSame(as: place) == true {
                    sender.stop()
                } else {
                    retire(self)
                }
                (sender, senderNumber) = makeSender(new.sink)
                retained = RetainedMessages(of: new.sink)
                connection = Self.connection(new, at: now)
                isKnownToWork = false
                movedTo = nil
            }
        }
        if new.pausedAt != nil {
            isPauseUnsaved = false
            // A pause because of a problem comes from this connection, which may work again meanwhile.
            if new.pausedBy == nil { actions += connection.pause(at: now) }
            if retained != nil, old.pausedAt == nil {
                // A sender that stops publishes that the service is offline, so that outdated data is not shown as current.
                sender.stop()
                (sender, senderNumber) = makeSender(new.sink)
                retained?.restart()
            }
        } else if isResumed || !isPauseUnsaved && new.pausedBy == nil && old.pausedAt != nil {
            isPauseUnsaved = false
            actions += connection.resume(at: now)
        }
        // A person has moved the cursor forward, so messages that were read and a report that is being computed must not be sent.
        if let main = lanes[.main], new.cursor > main.cursor {
            incarnation += 1
            preparation = nil
            // The new cursors count as progress, because progress that is still being saved may overwrite them in the store.
            resetQueues(from: new.cursor, alarms: new.alarmCursor)
        }
        return actions
    }

    // MARK: - Filtering

    enum Admission {
        case admitted, filteredOut
        /// The filter admits the event, but it was recorded too long after it happened.
        case tooOld
    }

    /// Whether the filter and the maximum age admit an event.
    ///
    /// A retraction for people is admitted unless it is too old, because the earlier versions of the event decide about it; see `notifies`.
    func admission(of outbox: OutboxEvent) throws(Problem) -> Admission {
        guard outbox.event.type == .retracted else { return try admissionOfEvent(outbox) }
        guard let original = outbox.original else { return .filteredOut }
        var retracted = outbox
        retracted.event = original
        let wasSent = try admissionOfEvent(retracted) == .admitted
        if isTooOld(outbox) { return wasSent ? .tooOld : .filteredOut }
        return wasSent || sink.target.kind.notifiesPeople ? .admitted : .filteredOut
    }

    private func admissionOfEvent(_ outbox: OutboxEvent) throws(Problem) -> Admission {
        if outbox.event.urgency == .emergency { return sink.emergency ? .admitted : .filteredOut }
        guard let period = filterPeriod(of: outbox), let filter = period.filter,
            filter.admits(outbox, in: try zones.zone(period.timeZone))
        else { return .filteredOut }
        return isTooOld(outbox) ? .tooOld : .admitted
    }

    private func filterPeriod(of outbox: OutboxEvent) -> PicketStore.FilterPeriod? {
        stored.filters.last { $0.from <= outbox.event.sequence }
    }

    private func isTooOld(_ outbox: OutboxEvent) -> Bool { filterPeriod(of: outbox).map { outbox.age > $0.maxAge } ?? false }

    /// Whether a person has to be notified of an event or a retraction that was admitted: not if the person knows it already from another
    /// version of the event.
    func notifies(
        of outbox: OutboxEvent, among versions: EventVersions, isRejected: (Int64) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        try versions.areNews(
            at: outbox.event.sequence,
            admits: { entry throws(Problem) in
                entry.event.type == .retracted ? !isTooOld(entry) : try admissionOfEvent(entry) == .admitted
            }, isRejected: isRejected)
    }

    // MARK: - Emergencies

    /// Queues the open emergencies that were last sent to the sink a few minutes ago.
    ///
    /// - Parameter open: All emergencies that are not acknowledged, sorted by number.
    func repeatEmergencies(_ open: [OutboxEvent], at now: Instant) {
        let numbers = Set(open.map(\.event.sequence))
        repetitions = repetitions.filter { numbers.contains($0.key) }
        guard sink.emergency, sink.target.kind.contentKind == .events, lanes[.repeated]?.isEmpty ?? true,
            let alarms = lanes[.alarms]
        else { return }
        // Events after the cursor have not been sent for the first time yet.
        let due = open.filter { outbox in
            let last = repetitions[outbox.event.sequence]?.at ?? outbox.event.recordedAt
            return outbox.event.sequence <= alarms.cursor && now - last >= Self.repetitionInterval
        }
        if due.isEmpty { return }
        lanes[.repeated] = makeQueue(from: 0)
        for var outbox in due {
            let number = outbox.event.sequence
            outbox.repetition = (repetitions[number]?.count ?? 0) + 1
            repetitions[number] = (now, outbox.repetition)
            lanes[.repeated]?.append(.event(outbox), number: number, device: outbox.event.deviceId)
        }
    }

    // MARK: - Sending

    /// Whether something could be sent if the connection allowed it.
    var hasNext: Bool { nextLane != nil || retained?.hasNext == true }

    var inFlight: Int { lanes.values.reduce(retained?.isUnderWay == true ? 1 : 0) { $0 + $1.inFlight } }
    var waiting: Int { lanes.values.reduce(0) { $0 + $1.count } }

    /// The queue of the next message; nil if there is nothing to send, or too many messages are being sent.
    var nextLane: DeliveryLane? {
        guard inFlight < sender.limit, preparation == nil else { return nil }
        return DeliveryLane.allCases.first { lanes[$0]?.first != nil }
    }

    /// Whether the rate limit and the connection allow a message of a queue now.
    func mayBegin(_ lane: DeliveryLane, at now: Instant) -> Bool {
        if !lane.isOfAlarms, let next = bucket?.nextToken(after: now), next > now {
            rateLimitedUntil = next
            return false
        }
        return connection.mayBegin(at: now)
    }

    /// Starts to send the next message of a queue; nil if none may be sent now.
    func begin(_ lane: DeliveryLane, at now: Instant) -> Shipment? {
        guard mayBegin(lane, at: now), let attempt = connection.begin(at: now), let entry = lanes[lane]?.next() else {
            return nil
        }
        if !lane.isOfAlarms { _ = bucket?.takeToken(at: now) }
        return shipment(lane, entry.number, attempt)
    }

    /// Records the states that a message retains at the broker.
    func recordStates(in message: OutgoingMessage, of item: OutboxItem) {
        guard case .publish(let publications) = message, case .event(let outbox) = item,
            publications.contains(where: \.isRetained), let place = sink.retainedPlace
        else { return }
        for publication in publications where publication.isRetained {
            unsaved.retained[place, default: []].insert(.init(publication.topic, device: outbox.event.deviceId))
        }
    }

    /// Starts to send retained messages to the broker; nil if there are none, or they may not be sent now.
    func beginRetained(at now: Instant) -> (message: OutgoingMessage, shipment: Shipment)? {
        guard retained?.hasNext == true, let attempt = connection.begin(at: now), let batch = retained?.begin() else {
            return nil
        }
        return (.publish(batch), shipment(.retained, 0, attempt))
    }

    private func shipment(_ lane: DeliveryLane, _ number: Int64, _ attempt: PeerConnection.Attempt) -> Shipment {
        Shipment(sink: id, incarnation: incarnation, sender: senderNumber, lane: lane, number: number, attempt: attempt)
    }

    /// Skips the next message of a queue.
    func discardNext(of lane: DeliveryLane) {
        if let entry = lanes[lane]?.next() { lanes[lane]?.finish(entry.number, wasDelivered: false) }
    }

    /// Removes waiting messages whose data was removed.
    func remove(_ removals: [RemovedData]) {
        isReportOutdated = true
        for lane in lanes.keys {
            lanes[lane]?.removeAll { entry in removals.contains { $0.includes(entry.item) } }
        }
    }

    /// Starts again after a number, for example when numbers of positions are assigned again.
    func restart(at cursor: Int64) {
        stored.cursor = cursor
        resetQueues(from: cursor, alarms: stored.alarmCursor)
    }

    // MARK: - Reports

    /// The first day after the period of the report that has to be computed now; nil if there is none. Earlier ones that were not sent are
    /// left out.
    func dueReport(at now: Instant) -> LocalDate? {
        guard let end = schedule?.newestDue(at: now), let main = lanes[.main], end.day > main.position else { return nil }
        return end
    }

    /// Seconds by which the period of a report may begin later than the current one: a day, because the clock may have been set back a
    /// little, or the sink may have got another time zone.
    private static let longestLead = 86_400.0

    /// Starts again with the next report if the newest one is about a period that has not begun, because the clock was wrong when it was computed.
    /// Otherwise all reports up to that period would be left out. Call it only while nothing is being sent.
    func restartAfterWrongClock(at now: Instant) {
        guard let schedule, let main = lanes[.main], main.position > schedule.current(at: now + Self.longestLead).day else {
            return
        }
        // The new cursor counts as progress, so that it is saved.
        resetQueues(from: schedule.newestDue(at: now).day, alarms: stored.alarmCursor)
    }

    /// Queues a report, instead of one that waits.
    func setReport(_ report: OutboxReport) {
        emptyMainQueue()
        lanes[.main]?.append(.report(report), number: report.number, device: "")
    }

    /// Forgets a report that is outdated, so that it is computed again, unless it is being sent.
    func discardOutdatedReport() {
        guard isReportOutdated, inFlight == 0 else { return }
        isReportOutdated = false
        preparation = nil
        emptyMainQueue()
    }

    private func emptyMainQueue() { lanes[.main] = lanes[.main].map { makeQueue(from: $0.cursor) } }

    // MARK: - Saving

    /// Whether there is progress that is not saved in the store yet.
    var hasProgress: Bool {
        !unsaved.isEmpty || lanes[.main]?.cursor != stored.cursor || lanes[.alarms]?.cursor != stored.alarmCursor
    }

    /// The progress to save in the store; nil if there is none. It counts as saved from here on.
    func takeProgress() -> DeliveryProgress? {
        guard hasProgress, let main = lanes[.main], let alarms = lanes[.alarms] else { return nil }
        stored.cursor = main.cursor
        stored.alarmCursor = alarms.cursor
        var progress = unsaved
        progress.cursor = main.cursor
        progress.alarmCursor = alarms.cursor
        unsaved = DeliveryProgress()
        return progress
    }
}

/// The progress of a sink since the last save.
struct DeliveryProgress: Sendable {
    var cursor: Int64 = 0
    var alarmCursor: Int64 = 0
    var delivered = 0
    var deliveredAt: Instant?
    /// Events that the sink rejected permanently.
    var rejected: [PicketStore.RejectedEvent] = []
    /// The numbers of rejected events that were delivered after all, or that no longer exist.
    var clearedRejections: [Int64] = []
    /// The topics at which states were retained, by place. They are saved with the cursors, so that after a crash they are sent and saved
    /// again.
    var retained: States = [:]

    typealias States = [RetainedPlace: Set<PicketStore.RetainedTopic>]

    var isEmpty: Bool { delivered == 0 && rejected.isEmpty && clearedRejections.isEmpty && retained.isEmpty }
}

extension RemovedData {
    fileprivate func includes(_ item: OutboxItem) -> Bool {
        switch item {
        case .event(let outbox): includesEvents && outbox.event.deviceId == device
        case .position(let position): position.deviceId == device && position.fix.time >= positionsSince
        // It is computed again.
        case .report: false
        }
    }
}

/// Time zones by name. Each one is looked up once.
final class TimeZones {
    private var known: [String: SinkTimeZone] = [:]

    func zone(_ name: String) throws(Problem) -> SinkTimeZone {
        if let zone = known[name] { return zone }
        let zone = try SinkTimeZone(named: name)
        known[name] = zone
        return zone
    }
}
