import Core
import Delivery
import Model
import Presence
import Store

// Reads what the delivery sends: events, repeated alarms, positions, and rejected events.

extension DeliveryLoop {
    /// The number of entries to read at a time.
    private static let pageSize = 256

    /// Reads more for a sink if its queues have room. Returns whether there may be more to read.
    func fillQueues(_ sink: SinkDelivery) -> Bool {
        var hasMore = false
        if sink.hasResent, sink.lanes[.resent]?.isEmpty == true {
            reader.read { service throws(Problem) in try fillResent(sink, service) }
        }
        if sink.sink.target.kind.contentKind == .positions {
            guard sink.hasMorePositions else { return false }
            reader.read { service throws(Problem) in hasMore = try fillPositions(sink, service) }
            return hasMore
        }
        for (name, lane) in [(DeliveryLane.alarms, PicketStore.OutboxSelection.alarms), (.main, .events)] {
            guard let queue = sink.lanes[name], queue.position < newest, queue.freeCapacity >= Self.pageSize else { continue }
            reader.read { service throws(Problem) in
                let events = try self.events(lane, after: queue.position, service)
                var tooOld = 0
                for outbox in events {
                    switch try sink.admission(of: outbox) {
                    case .admitted:
                        sink.lanes[name]?.append(.event(outbox), number: outbox.event.sequence, device: outbox.event.deviceId)
                    case .tooOld: tooOld += 1
                    case .filteredOut: break
                    }
                }
                sink.tooOld += tooOld
                let isFull = events.count == Self.pageSize
                sink.lanes[name]?.skip(upTo: isFull ? events[events.count - 1].event.sequence : newest)
                if isFull, sink.lanes[name].map({ $0.freeCapacity >= Self.pageSize }) == true { hasMore = true }
            }
        }
        return hasMore
    }

    /// The next events. If several sinks need the same events one after the other, they are read once.
    private func events(
        _ lane: PicketStore.OutboxSelection, after number: Int64, _ service: Queries
    ) throws(Problem) -> [OutboxEvent] {
        if case .alarms = lane {
            return withAcknowledgeLinks(try service.store.outbox(lane, after: number, upTo: newest, limit: Self.pageSize))
        }
        if let page, page.after == number, page.upTo == newest || page.events.count == Self.pageSize { return page.events }
        let events = try service.store.outbox(lane, after: number, upTo: newest, limit: Self.pageSize)
        page = (number, newest, events)
        return events
    }

    private func fillPositions(_ sink: SinkDelivery, _ service: Queries) throws(Problem) -> Bool {
        guard let queue = sink.lanes[.main], queue.freeCapacity >= Self.pageSize else { return false }
        let positions = try service.store.outboxPositions(after: queue.position, limit: Self.pageSize)
        if positions.isEmpty {
            // After the newest positions were deleted, their numbers are assigned again. The store has then moved the cursor back.
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
                sink.lanes[.main]?.skip(upTo: position.number)
            }
        }
        sink.hasMorePositions = positions.count == Self.pageSize
        return sink.hasMorePositions
    }

    private func fillResent(_ sink: SinkDelivery, _ service: Queries) throws(Problem) {
        sink.startResentLane()
        let known = Set(sink.unsaved.clearedRejections + (saving[sink.id] ?? []).flatMap(\.clearedRejections))
        let rejected = try service.store.rejectedEvents(ofSink: sink.id, onlyResent: true, after: 0, limit: Self.pageSize)
        for event in rejected where !known.contains(event.sequence) {
            guard let outbox = try service.store.outboxEvent(event.sequence), try !service.store.isRetracted(outbox.event.id)
            else {
                clearRejection(event.sequence, sink)
                continue
            }
            sink.lanes[.resent]?.append(.event(outbox), number: event.sequence, device: outbox.event.deviceId)
        }
        sink.hasResent = rejected.count == Self.pageSize
    }

    /// Whether an item that was admitted is still to be sent, now that the outcome of the device's earlier events is known. Nil if the store
    /// cannot be read now.
    func isDue(_ item: OutboxItem, _ sink: SinkDelivery) -> Bool? {
        guard case .event(let outbox) = item else { return true }
        let notifiesPeople = sink.sink.target.kind.notifiesPeople
        // Only a correction or a rule records an event that a person may know already.
        let isCorrection = outbox.event.cause == .corrected || outbox.event.type == .missed
        guard outbox.original != nil || notifiesPeople && isCorrection else { return true }
        var isDue: Bool?
        reader.read { service throws(Problem) in
            if notifiesPeople {
                isDue = try sink.notifies(of: outbox, among: service.store.versions(of: outbox)) { number throws(Problem) in
                    try isRejected(number, sink, service)
                }
            } else if let original = outbox.original {
                isDue = try !isRejected(original.sequence, sink, service)
            }
        }
        return isDue
    }

    /// Whether the sink has rejected an event.
    private func isRejected(_ number: Int64, _ sink: SinkDelivery, _ service: Queries) throws(Problem) -> Bool {
        let unsaved = sink.unsaved.rejected + (saving[sink.id] ?? []).flatMap(\.rejected)
        return unsaved.contains { $0.sequence == number } ? true : try service.store.isRejected(number, ofSink: sink.id)
    }

    // MARK: - Emergencies

    /// The maximum number of seconds until an emergency that has to be repeated is found.
    private static let emergencyInterval = 5.0

    /// Repeats the emergencies that are not acknowledged.
    func repeatEmergencies() {
        let now = clock.now()
        // The absolute value handles a clock that was set back.
        guard abs(now - emergenciesReadAt) >= Self.emergencyInterval, !sinks.isEmpty else { return }
        emergenciesReadAt = now
        reader.read { service throws(Problem) in
            guard service.hasStore else { return }
            let open = try withAcknowledgeLinks(service.store.openEmergencies())
            for sink in sinks.values { sink.repeatEmergencies(open, at: now) }
        }
    }

    /// The alarms, with links to acknowledge the emergencies among them.
    private func withAcknowledgeLinks(_ alarms: [OutboxEvent]) -> [OutboxEvent] {
        guard let links else { return alarms }
        return alarms.map { alarm in
            var alarm = alarm
            if alarm.event.urgency == .emergency { alarm.acknowledgeURL = links.url(ofAlarm: alarm.event.id) }
            return alarm
        }
    }
}
