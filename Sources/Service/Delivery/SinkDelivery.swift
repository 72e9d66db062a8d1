import Delivery
import Model
import Senders
import Store

/// One sink: what waits for it, what is on its way, and how its connection does. It belongs to the delivery's thread.
final class SinkDelivery {
    private(set) var stored: RegionStore.StoredSink
    private(set) var composer: MessageComposer
    private(set) var sender: any SinkSender
    /// Which of the senders that sinks had, one after each change of its settings.
    private(set) var senderNumber: Int
    var connection: PeerConnection
    /// What its broker keeps for Home Assistant.
    var retained: RetainedMessages?
    /// Grows when what was read before does not count any more.
    private(set) var incarnation: Int

    var lanes: [DeliveryLane: DeliveryQueue<OutboxItem>]
    /// Whether parked events wait to be taken into their lane.
    var hasResent = true
    private var bucket: TokenBucket?
    private let zones: TimeZones

    /// When the rate limit lets the next message go.
    var askAgainAt: Instant?
    var hasMorePositions = true

    /// What the store does not know yet.
    var unsaved = DeliveryProgress()
    var delivered: Int
    var deliveredAt: Instant?
    var failures = 0
    var parked: Int
    var movedTo: String?
    /// Whether the journal has been told of a success since the connection was made: a problem of an earlier run may stand there.
    var isKnownToWork = false
    /// Whether a pause by a problem is not in the store yet.
    var isPauseUnsaved = false

    /// When emergencies were last sent again, and how often, by number.
    private var told: [Int64: (at: Instant, count: Int)] = [:]

    /// An emergency is sent again after so many seconds until somebody acknowledges it.
    static let repetitionInterval = 300.0
    /// So many are read ahead.
    private static let capacity = 1024
    /// An event that a sink refuses so often, with a status that invites another try, while it takes others, is parked.
    static let mostRefusals = 10

    init(
        _ stored: RegionStore.StoredSink, zones: TimeZones, incarnation: Int, at now: Instant,
        makeSender: (Sink) -> (sender: any SinkSender, number: Int)
    ) throws(Problem) {
        self.stored = stored
        self.zones = zones
        self.incarnation = incarnation
        composer = try MessageComposer(stored.sink, zone: zones.zone(stored.sink.timeZone))
        (sender, senderNumber) = makeSender(stored.sink)
        retained = RetainedMessages(of: stored.sink)
        connection = Self.connection(stored, at: now)
        delivered = stored.delivered
        deliveredAt = stored.deliveredAt
        parked = stored.parked
        bucket = stored.sink.rateLimit.map(TokenBucket.init)
        lanes = [:]
        startLanes()
    }

    var id: String { stored.sink.id }
    var sink: Sink { stored.sink }

    private static func connection(_ stored: RegionStore.StoredSink, at now: Instant) -> PeerConnection {
        stored.pausedAt.map { PeerConnection(pausedBy: stored.pausedBy, since: $0) } ?? PeerConnection(at: now)
    }

    private func lane(from cursor: Int64) -> DeliveryQueue<OutboxItem> {
        DeliveryQueue(cursor: cursor, limit: sender.limit, capacity: Self.capacity, isPipelined: sender.isPipelined)
    }

    private func startLanes() {
        lanes = [.alarms: lane(from: stored.alarmCursor), .resent: lane(from: 0), .main: lane(from: stored.cursor)]
    }

    /// Begins to take parked events into their lane.
    func startResentLane() { lanes[.resent] = lane(from: 0) }

    /// Takes over what the store says now.
    ///
    /// - Parameter makeSender: Makes what sends, when the settings have changed.
    func update(
        _ new: RegionStore.StoredSink, isResumed: Bool, at now: Instant,
        makeSender: (Sink) -> (sender: any SinkSender, number: Int)
    ) throws(Problem) -> [PeerConnection.Action] {
        let old = stored
        stored = new
        // The store may be behind, and is not told twice.
        (stored.cursor, stored.alarmCursor) = (old.cursor, old.alarmCursor)
        parked = new.parked
        hasResent = true
        var actions: [PeerConnection.Action] = []
        if new.sink != old.sink {
            composer = try MessageComposer(new.sink, zone: zones.zone(new.sink.timeZone))
            if new.sink.rateLimit != old.sink.rateLimit { bucket = new.sink.rateLimit.map(TokenBucket.init) }
            if new.sink.target != old.sink.target {
                // What is announced at the same place stays there, and is found again.
                endSender(withdrawing: new.sink.announcement != old.sink.announcement)
                (sender, senderNumber) = makeSender(new.sink)
                retained = RetainedMessages(of: new.sink)
                connection = Self.connection(new, at: now)
                isKnownToWork = false
                movedTo = nil
            }
        }
        if new.pausedAt != nil {
            isPauseUnsaved = false
            actions += connection.pause(at: now)
            if retained != nil, old.pausedAt == nil {
                // A sender that stops says that this service is offline, so that nothing old is shown as if it were news.
                sender.stop()
                (sender, senderNumber) = makeSender(new.sink)
                retained?.restart()
            }
        } else if isResumed || !isPauseUnsaved && new.pausedBy == nil && old.pausedAt != nil {
            isPauseUnsaved = false
            actions += connection.resume(at: now)
        }
        // Somebody has moved it on: what was read before is not to be sent.
        if let main = lanes[.main], new.cursor > main.cursor {
            (stored.cursor, stored.alarmCursor) = (new.cursor, new.alarmCursor)
            incarnation += 1
            startLanes()
        }
        return actions
    }

    /// Ends what sends, for good.
    ///
    /// - Parameter isWithdrawing: Whether what was announced to Home Assistant is taken back.
    func endSender(withdrawing isWithdrawing: Bool) {
        let sender = sender
        guard isWithdrawing, let retained else { return sender.stop() }
        retained.withdraw(by: sender) { sender.stop() }
    }

    // MARK: - What is wanted

    /// Whether the sink is to be sent an event.
    func wants(_ outbox: OutboxEvent) throws(Problem) -> Bool {
        var judged = outbox
        // A retraction goes where the event went that it takes back.
        if outbox.event.type == .retracted {
            guard let original = outbox.original else { return false }
            judged.event = original
        }
        if judged.event.urgency == .emergency { return sink.emergency }
        guard let period = stored.filters.last(where: { $0.from <= judged.event.sequence }), let filter = period.filter else {
            return false
        }
        return filter.admits(judged, in: try zones.zone(period.timeZone))
    }

    // MARK: - Emergencies

    /// Takes in those open emergencies that the sink was told of some minutes ago, to be sent again.
    ///
    /// - Parameter open: All that nobody has acknowledged, in order of sequence.
    func repeatEmergencies(_ open: [OutboxEvent], at now: Instant) {
        let numbers = Set(open.map(\.event.sequence))
        told = told.filter { numbers.contains($0.key) }
        guard sink.emergency, !sink.target.takesPositions, lanes[.repeated]?.isEmpty ?? true, let alarms = lanes[.alarms] else {
            return
        }
        // What is beyond the cursor is still to be sent for the first time.
        let due = open.filter { outbox in
            let last = told[outbox.event.sequence]?.at ?? outbox.event.recordedAt
            return outbox.event.sequence <= alarms.cursor && now - last >= Self.repetitionInterval
        }
        if due.isEmpty { return }
        lanes[.repeated] = lane(from: 0)
        for var outbox in due {
            let number = outbox.event.sequence
            outbox.repetition = (told[number]?.count ?? 0) + 1
            told[number] = (now, outbox.repetition)
            lanes[.repeated]?.append(.event(outbox), number: number, device: outbox.event.deviceId)
        }
    }

    // MARK: - What is sent

    var inFlight: Int { lanes.values.reduce(retained?.isUnderWay == true ? 1 : 0) { $0 + $1.inFlight } }
    var waiting: Int { lanes.values.reduce(0) { $0 + $1.count } }

    /// The lane that the next message comes from; nil when there is nothing to send, or too much on its way.
    var nextLane: DeliveryLane? {
        guard inFlight < sender.limit else { return nil }
        return DeliveryLane.allCases.first { lanes[$0]?.first != nil }
    }

    /// Begins to send the next message of a lane; nil when none may be sent now.
    func begin(_ lane: DeliveryLane, at now: Instant) -> Shipment? {
        // Alarms wait for no rate limit.
        let isAlarm = lane == .alarms || lane == .repeated
        if !isAlarm, let next = bucket?.next(after: now), next > now {
            askAgainAt = next
            return nil
        }
        guard let attempt = connection.begin(at: now), let entry = lanes[lane]?.next() else { return nil }
        if !isAlarm { _ = bucket?.take(at: now) }
        return shipment(lane, entry.number, attempt)
    }

    /// Begins to send what its broker has to keep; nil when there is nothing to send, or it may not be sent now.
    func beginRetained(at now: Instant) -> (message: OutgoingMessage, shipment: Shipment)? {
        guard retained?.hasNext == true, let attempt = connection.begin(at: now), let batch = retained?.begin() else {
            return nil
        }
        return (.publish(batch), shipment(.retained, 0, attempt))
    }

    private func shipment(_ lane: DeliveryLane, _ number: Int64, _ attempt: PeerConnection.Attempt) -> Shipment {
        Shipment(sink: id, incarnation: incarnation, sender: senderNumber, lane: lane, number: number, attempt: attempt)
    }

    /// Leaves out the next message of a lane.
    func discardNext(of lane: DeliveryLane) {
        if let entry = lanes[lane]?.next() { lanes[lane]?.finish(entry.number, hasArrived: false) }
    }

    /// Begins anew behind a number, as when the numbers of positions are used again.
    func restart(at cursor: Int64) {
        stored.cursor = cursor
        startLanes()
    }

    // MARK: - What is kept

    /// Whether the store does not know all yet.
    var hasProgress: Bool {
        !unsaved.isEmpty || lanes[.main]?.cursor != stored.cursor || lanes[.alarms]?.cursor != stored.alarmCursor
    }

    /// What the store has to be told; nil when it knows all.
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

/// What a sink has come to since the store was last told.
public struct DeliveryProgress: Sendable {
    var cursor: Int64 = 0
    var alarmCursor: Int64 = 0
    var delivered = 0
    var deliveredAt: Instant?
    /// Events that it refused for good.
    var parked: [RegionStore.ParkedEvent] = []
    /// Parked events that arrived after all, or are no more.
    var unparked: [Int64] = []

    var isEmpty: Bool { delivered == 0 && parked.isEmpty && unparked.isEmpty }
}

/// Time zones by name, each looked up once.
final class TimeZones {
    private var known: [String: SinkTimeZone] = [:]

    func zone(_ name: String) throws(Problem) -> SinkTimeZone {
        if let zone = known[name] { return zone }
        let zone = try SinkTimeZone(named: name)
        known[name] = zone
        return zone
    }
}
