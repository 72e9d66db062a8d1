import Core
import Delivery
import Model
import Senders
import Service
import Store

/// The removal of retained messages from brokers that no sink wants anymore. The topics are in the store, so that a removal is
/// completed after an outage or a restart. Used on the delivery's thread only.
struct RetainedRemoval {
    /// The work at one place.
    private struct Work {
        /// The sender that serves only this removal; nil while that of the sink does.
        var sender: (any SinkSender)?
        var isUnderWay = false
        var failures = 0
        /// When messages may be removed next.
        var dueAt: Instant

        /// Whether an attempt may begin. A time that is too far ahead is from before the clock was set back.
        func isDue(at now: Instant) -> Bool { !isUnderWay && (dueAt <= now || dueAt - now > longestWait) }
    }

    private var works: [Int64: Work] = [:]
    /// Senders that announced at a place which is now unwanted. They remove the messages, because a sender that only stops publishes that the
    /// service is offline.
    private var retired: [(sink: String, place: RetainedPlace, sender: any SinkSender)] = []
    /// Whether there may be work that is not known yet.
    var isDue = true

    /// The number of messages to remove at a time.
    static let batchSize = 128
    /// The maximum number of seconds between two attempts.
    private static let longestWait = 300.0
    /// After this time without a connection, messages are no longer removed, because the broker probably no longer exists.
    static let patience = 30 * 86_400.0

    /// When the next attempt is due; nil if there is none to wait for.
    var nextAttempt: Instant? { works.values.filter { !$0.isUnderWay }.map(\.dueAt).min() }

    func mayBegin(_ place: Int64, at now: Instant) -> Bool { works[place]?.isDue(at: now) ?? true }

    /// Whether there may be work to begin.
    func hasWork(at now: Instant) -> Bool { isDue || works.values.contains { $0.isDue(at: now) } }

    /// Keeps a sender for the removal of what it announced.
    mutating func retire(_ sender: any SinkSender, ofSink id: String, at place: RetainedPlace) {
        retired.append((id, place, sender))
        isDue = true
    }

    /// Begins to remove messages from a place, and returns the sender to use.
    ///
    /// - Parameters:
    ///   - live: The sender of the sink at this place; nil if there is none.
    ///   - make: Creates a sender that serves only this removal.
    mutating func begin(
        _ place: PicketStore.UnwantedPlace, live: (any SinkSender)?, at now: Instant, make: () throws(Problem) -> any SinkSender
    ) throws(Problem) -> any SinkSender {
        var work = works[place.key] ?? Work(dueAt: now)
        let sender: any SinkSender
        if let live {
            work.sender?.stop()
            (sender, work.sender) = (live, nil)
        } else if let index = retired.firstIndex(where: { $0.sink == place.sink && $0.place.isSame(as: place.place) }) {
            work.sender?.stop()
            sender = retired.remove(at: index).sender
            work.sender = sender
        } else {
            sender = if let own = work.sender { own } else { try make() }
            work.sender = sender
        }
        work.isUnderWay = true
        works[place.key] = work
        return sender
    }

    /// Begins to remove only the records of messages.
    mutating func beginRecording(_ place: Int64, at now: Instant) { works[place, default: Work(dueAt: now)].isUnderWay = true }

    /// Handles the end of an attempt.
    mutating func end(_ place: Int64, isSuccess: Bool, at now: Instant) {
        guard var work = works[place] else { return }
        work.isUnderWay = false
        isDue = true
        if isSuccess {
            (work.failures, work.dueAt) = (0, now)
        } else {
            work.sender?.stop()
            work.sender = nil
            work.failures += 1
            work.dueAt = now + min(Double(1 << min(work.failures, 9)), Self.longestWait)
        }
        works[place] = work
    }

    /// Ends the work at all places but these, and stops senders that are not needed.
    mutating func keep(_ places: [PicketStore.UnwantedPlace]) {
        let keys = Set(places.map(\.key))
        for (key, work) in works where !keys.contains(key) && !work.isUnderWay { forget(key) }
        retired.removeAll { item in
            if places.contains(where: { $0.sink == item.sink && $0.since != nil && $0.place.isSame(as: item.place) }) {
                return false
            }
            item.sender.stop()
            return true
        }
    }

    /// Ends the work at a place until `isDue` is set again.
    mutating func forget(_ place: Int64) {
        works.removeValue(forKey: place)?.sender?.stop()
    }

    /// Makes all attempts due now.
    mutating func retryNow() {
        for key in works.keys { works[key]?.dueAt = .earliest }
        isDue = true
    }

    mutating func stop() {
        for work in works.values { work.sender?.stop() }
        for item in retired { item.sender.stop() }
        (works, retired) = ([:], [])
    }
}

extension DeliveryLoop {
    /// Keeps the sender of a sink that no longer announces at its place, to remove what it announced, or stops it if it announced nothing.
    func retire(_ sink: SinkDelivery) {
        guard let place = sink.retained?.place else { return sink.sender.stop() }
        retainedRemoval.retire(sink.sender, ofSink: sink.id, at: place)
    }

    /// Records at which topics a sink announces, before it does.
    func recordTopics(of sink: SinkDelivery) {
        // A paused sink sends nothing, so nothing is removed either.
        guard sink.stored.pausedAt == nil, let place = sink.retained?.place else { return }
        let change = sink.retained?.beginRecording {
            var topics: Set<String>?
            reader.read { service throws(Problem) in topics = try service.store.retainedTopics(ofSink: sink.id, at: place) }
            return topics
        }
        guard let change else { return }
        let (id, number) = (sink.id, sink.senderNumber)
        let isQueued = writer.submit({ service throws(Problem) in try service.recordTopics(change, ofSink: id, at: place) }) {
            [inbox] result in
            var problem: Problem?
            if case .failure(let failure) = result { problem = failure }
            _ = inbox.queue.add(.topicsRecorded(sink: id, sender: number, change, problem))
        }
        if !isQueued { sink.retained?.endRecording(change, isSaved: false) }
    }

    /// Removes retained messages that are no longer wanted from brokers, if there are some and their time has come.
    func removeUnwantedMessages() {
        let now = clock.now()
        guard retainedRemoval.hasWork(at: now) else { return }
        reader.read { service throws(Problem) in
            let places = try service.store.unwantedPlaces()
            retainedRemoval.isDue = false
            retainedRemoval.keep(places)
            for place in places where retainedRemoval.mayBegin(place.key, at: now) {
                if let since = place.since, now - since > RetainedRemoval.patience {
                    record(place.key) { store, transaction throws(Problem) in
                        try store.forgetRetainedPlace(place.key, in: transaction)
                    }
                    continue
                }
                let sink = sinks[place.sink]
                let isCurrent = sink?.sink.retainedPlace?.isSame(as: place.place) ?? false
                // A change of the sink that is not read yet is read in a moment; then the sink's sender removes what it announced. Nothing is
                // removed for a paused sink, which continues when it is resumed.
                let waits = place.since == nil ? !isCurrent || sink?.stored.pausedAt != nil : isCurrent
                if waits {
                    retainedRemoval.forget(place.key)
                    continue
                }
                try removeMessages(
                    from: place, service.store.unwantedTopics(of: place, limit: RetainedRemoval.batchSize),
                    live: place.since == nil ? sink?.sender : nil)
            }
        }
    }

    private func removeMessages(
        from place: PicketStore.UnwantedPlace, _ topics: [(topic: String, isWantedByOther: Bool)], live: (any SinkSender)?
    ) throws(Problem) {
        // A state that a sink has just published there may not be recorded yet.
        var fresh: Set<String> = []
        for sink in sinks.values {
            guard let current = sink.sink.retainedPlace, current.broker == place.place.broker else { continue }
            for progress in [sink.unsaved] + (saving[sink.id] ?? []) {
                fresh.formUnion((progress.retained[current] ?? []).map(\.topic))
            }
        }
        let names = topics.map(\.topic)
        let publications = topics.filter { !$0.isWantedByOther && !fresh.contains($0.topic) }.map {
            OutgoingPublication(topic: $0.topic, payload: "", isRetained: true)
        }
        if publications.isEmpty {
            return record(place.key) { store, transaction throws(Problem) in
                try store.removeUnwanted(names, of: place.key, in: transaction)
            }
        }
        let sender = try retainedRemoval.begin(place, live: live, at: clock.now()) { () throws(Problem) in
            senders.sender(for: try place.place.sink)
        }
        sender.send(.publish(publications)) { [inbox] in
            _ = inbox.queue.add(.topicsCleared(place, topics: names, $0.outcome))
        }
    }

    /// Handles the outcome of a removal.
    func handleClearing(of place: PicketStore.UnwantedPlace, _ topics: [String], _ outcome: DeliveryOutcome) {
        guard outcome == .delivered else { return retainedRemoval.end(place.key, isSuccess: false, at: clock.now()) }
        // A message that became wanted again meanwhile is published again.
        for sink in sinks.values where sink.retained?.place.broker == place.place.broker { sink.retained?.recordRemoved(topics) }
        record(place.key) { store, transaction throws(Problem) in
            try store.removeUnwanted(topics, of: place.key, in: transaction)
        }
    }

    private func record(
        _ place: Int64, _ change: @escaping @Sendable (PicketStore, borrowing Transaction) throws(Problem) -> Void
    ) {
        retainedRemoval.beginRecording(place, at: clock.now())
        let isQueued = writer.submit({ service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try change(service.store, transaction)
            }
        }) { [inbox] result in
            var problem: Problem?
            if case .failure(let failure) = result { problem = failure }
            _ = inbox.queue.add(.clearingRecorded(place: place, problem))
        }
        if !isQueued { retainedRemoval.end(place, isSuccess: false, at: clock.now()) }
    }
}

extension ServiceWriter {
    /// Records the topics at which a sink announces, and those that it no longer wants.
    func recordTopics(_ change: RetainedMessages.TopicChange, ofSink id: String, at place: RetainedPlace) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let now = clock.now()
            for (topics, areWanted) in [(change.added, true), (change.unwanted, false)] where !topics.isEmpty {
                try store.addRetained(
                    topics.map { .init($0) }, at: place, ofSink: id, areWanted: areWanted, at: now, in: transaction)
            }
        }
    }
}
