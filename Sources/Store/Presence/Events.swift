import Geodesy
import Model
import SQLite

extension PicketStore {
    /// The newest sequence number of an event. In a new epoch of the store it is the number after which the epoch's events begin;
    /// in a new store it is 0. For a client with a restricted token it is that of the newest event of a visible device.
    package func newestSequence() throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            try visibility == nil ? connection.newestSequence() : newestVisibleSequence()
        }
    }

    /// The newest sequence number that was used or skipped, even if the event is not visible.
    package func newestSequenceOfAll() throws(SQLiteError) -> Int64 { try connection.newestSequence() }

    /// The number of events, without those of erased devices.
    ///
    /// - Complexity: O(n) in the events.
    package func eventCount() throws(Problem) -> Int {
        try indexAllEvents()
        if visibility != nil {
            return try count("SELECT count(*) FROM event_by_device WHERE device IN (SELECT key FROM device)")
        }
        // The index by device answers the second part.
        return try count(
            """
            SELECT (SELECT count(*) FROM event)
            - (SELECT count(*) FROM event_by_device WHERE device = (SELECT key FROM device WHERE id = ?))
            """, Self.erasedName)
    }

    /// Appends a transition as the next event.
    ///
    /// - Parameters:
    ///   - geofence: Nil for an event that concerns only the device.
    ///   - revision: The revision of the geofences by which the transition was decided; 0 without a geofence.
    ///   - retracts: The id of the event that this event retracts.
    ///   - isFirst: Whether it is certain that no event has the same device, geofence, type, time and cause. Then the store is not searched
    ///     for one.
    ///   - used: The ids of the device's events, which then are not searched in the store.
    package func append(
        _ transition: Transition, sequence: Int64, device: DeviceKey, deviceId: String, geofence: Geofence?, revision: Int64,
        recordedAt: Instant, retracts: String? = nil, isFirst: Bool = false, used: UsedEventIDs? = nil,
        in transaction: borrowing Transaction
    ) throws(Problem) -> Event {
        let event = Event(
            id: try unusedID(of: transition, device, deviceId, geofence?.id ?? "", retracts, isFirst, used, in: transaction),
            sequence: sequence,
            type: transition.type, deviceId: deviceId, geofenceId: geofence?.id, geofenceName: geofence?.name,
            occurredAt: transition.occurredAt, recordedAt: recordedAt, confirmedAt: transition.confirmedAt,
            crossedAt: transition.crossedAt, cause: transition.cause, inferred: transition.inferred, fix: transition.fix,
            enteredAt: transition.visit?.enteredAt, duration: transition.duration,
            lastHeard: transition.lastHeard, retracts: retracts, properties: geofence?.properties ?? [])
        try attempt { () throws(SQLiteError) in
            let row = try statement("INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", in: transaction)
            row.bind(1, sequence)
            row.bind(2, event.id)
            row.bind(3, event.type.rawValue)
            row.bind(4, device.value)
            row.bind(5, transition.fence.map { Int64($0.value) })
            row.bind(6, revision)
            row.bind(7, event.occurredAt.milliseconds)
            row.bind(8, recordedAt.milliseconds)
            row.bind(9, event.confirmedAt.milliseconds)
            row.bind(10, event.crossedAt?.milliseconds)
            row.bind(11, event.cause.rawValue)
            row.bind(12, event.inferred)
            row.bind(13, event.fix.time.milliseconds)
            row.bind(14, event.fix.coordinate.latitude)
            row.bind(15, event.fix.coordinate.longitude)
            row.bind(16, event.fix.accuracy)
            row.bind(17, (event.enteredAt ?? event.lastHeard)?.milliseconds)
            row.bind(18, transition.visit?.cause.rawValue)
            row.bind(19, retracts)
            try row.run()
        }
        indexing.add(
            IndexedEvent(
                sequence: sequence, device: device.value, geofence: transition.fence?.value,
                occurredAt: event.occurredAt.milliseconds, enteredAt: (event.enteredAt ?? event.lastHeard)?.milliseconds,
                isExit: event.type == .exit))
        return event
    }

    /// The first id for a transition that no event has.
    private func unusedID(
        of transition: Transition, _ key: DeviceKey, _ device: String, _ geofence: String, _ retracts: String?,
        _ isFirst: Bool, _ used: UsedEventIDs?, in transaction: borrowing Transaction
    ) throws(Problem) -> String {
        let erasedUpTo = try erasedUpTo(before: key)
        var ordinal: UInt64 = 0
        while true {
            let id = EventID.make(
                device: device, erasedUpTo: erasedUpTo, geofence: geofence, transition, retracts: retracts, ordinal: ordinal)
            if isFirst { return id }
            let isFree = if let used { used.add(id) } else { try !isTaken(id, key, at: transition.occurredAt, in: transaction) }
            if isFree { return id }
            ordinal += 1
        }
    }

    /// Whether an event of the device already has this id.
    ///
    /// - Complexity: O(events of that moment + the device's events that are in no index yet), or O(events of the device) if more than 64
    ///   events are of that moment.
    private func isTaken(
        _ id: String, _ device: DeviceKey, at moment: Instant, in transaction: borrowing Transaction
    ) throws(Problem) -> Bool {
        // Writing all of them to the index here would delay the positions.
        let waiting = indexing.sequences(of: device.value, at: moment.milliseconds)
        return try attempt { () throws(SQLiteError) in
            let own = try statement("SELECT 1 FROM event WHERE sequence = ? AND id = ?")
            for sequence in waiting {
                own.bind(1, sequence)
                own.bind(2, id)
                if try own.hasRow() { return true }
            }
            // If many devices report at the full minute, searching the events of one moment would compare the events of all these devices.
            let many = try statement("SELECT 1 FROM event_by_time WHERE occurred_at = ? LIMIT 1 OFFSET 64")
            many.bind(1, moment.milliseconds)
            guard try many.hasRow() else { return try indexedSequence(ofEvent: id, at: moment) != nil }
            let ofDevice = try statement(
                """
                SELECT 1 FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence WHERE o.device = ?1 AND e.id = ?2
                """)
            ofDevice.bind(1, device.value)
            ofDevice.bind(2, id)
            return try ofDevice.hasRow()
        }
    }

    private func indexedSequence(ofEvent id: String, at moment: Instant) throws(SQLiteError) -> Int64? {
        let row = try statement(
            """
            SELECT o.sequence FROM event_by_time o CROSS JOIN event e ON e.sequence = o.sequence
            WHERE o.occurred_at = ?1 AND e.id = ?2
            """)
        row.bind(1, moment.milliseconds)
        row.bind(2, id)
        return try row.value(Int64.self)
    }

    /// The sequence number of an event; nil if there is none.
    ///
    /// - Parameter moment: The event's `occurredAt`.
    /// - Complexity: O(events of that moment + events that are in no index yet).
    package func sequence(ofEvent id: String, at moment: Instant) throws(Problem) -> Int64? {
        try indexAllEvents()
        return try attempt { () throws(SQLiteError) in
            if let known = try indexedSequence(ofEvent: id, at: moment) { return known }
            // An event that another process has written may not be in the index yet.
            let row = try statement(
                """
                SELECT sequence FROM event
                WHERE sequence > (SELECT value FROM setting WHERE name = '\(DerivedTable.eventIndexes.rawValue)') AND id = ?
                """)
            row.bind(1, id)
            return try row.value(Int64.self)
        }
    }

    /// The sequence number of the newest event when the last device was erased before this device was added; 0 if none was.
    private func erasedUpTo(before key: DeviceKey) throws(Problem) -> Int64 {
        if let known = idsAfter[key] { return known }
        let found = try firstValue("SELECT ids_after FROM device WHERE key = ?", key.value, as: Int64.self) ?? 0
        idsAfter[key] = found
        return found
    }

    /// The SQL condition that an event was not retracted.
    ///
    /// - Parameter condition: A further condition for the retraction `r`.
    package static func isNotRetracted(_ table: String, condition: String = "") -> String {
        "NOT EXISTS (SELECT 1 FROM event r WHERE r.retracts = \(table).id \(condition))"
    }
}
