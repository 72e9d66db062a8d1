import Delivery
import Model
import Store

// Reads what the delivery sends: events, repeated alarms, positions, and parked events.

extension DeliveryLoop {
    /// The number of entries to read at a time.
    private static let pageSize = 256

    /// Reads more for a sink if its queues have room. Returns whether there may be more to read.
    func fillQueues(_ sink: SinkDelivery) -> Bool {
        var hasMore = false
        if sink.hasResent, sink.lanes[.resent]?.isEmpty == true {
            reader.read { service throws(Problem) in try fillResent(sink, service) }
        }
        if sink.sink.target.takesPositions {
            guard sink.hasMorePositions else { return false }
            reader.read { service throws(Problem) in hasMore = try fillPositions(sink, service) }
            return hasMore
        }
        for (name, lane) in [(DeliveryLane.alarms, RegionStore.OutboxSelection.alarms), (.main, .events)] {
            guard let queue = sink.lanes[name], queue.position < newest, queue.freeCapacity >= Self.pageSize else { continue }
            reader.read { service throws(Problem) in
                let events = try self.events(lane, after: queue.position, service)
                for outbox in events where try sink.wants(outbox) {
                    sink.lanes[name]?.append(.event(outbox), number: outbox.event.sequence, device: outbox.event.deviceId)
                }
                let isFull = events.count == Self.pageSize
                sink.lanes[name]?.skip(upTo: isFull ? events[events.count - 1].event.sequence : newest)
                if isFull, sink.lanes[name].map({ $0.freeCapacity >= Self.pageSize }) == true { hasMore = true }
            }
        }
        return hasMore
    }

    /// The next events. If several sinks need the same events one after the other, they are read once.
    private func events(
        _ lane: RegionStore.OutboxSelection, after number: Int64, _ service: Queries
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

    /// Whether an item retracts an event that the sink has not received because it is parked.
    func retractsParkedEvent(_ item: OutboxItem, _ sink: SinkDelivery) -> Bool {
        guard case .event(let outbox) = item, let original = outbox.original else { return false }
        let unsaved = sink.unsaved.parked + (saving[sink.id] ?? []).flatMap(\.parked)
        if unsaved.contains(where: { $0.sequence == original.sequence }) { return true }
        var isParked = false
        reader.read { service throws(Problem) in isParked = try service.store.isParked(original.sequence, ofSink: sink.id) }
        return isParked
    }

    // MARK: - Emergencies

    /// The maximum number of seconds until an emergency that has to be repeated is found.
    private static let emergencyInterval = 5.0

    /// Repeats the emergencies that nobody has acknowledged.
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
