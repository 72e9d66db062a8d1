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
        recordedAt: Instant, retracts: String? = nil, isFirst: Bool = false, used: UsedEventIDs? = nil
    ) throws(Problem) -> Event {
        let event = Event(
            id: try unusedID(of: transition, device, deviceId, geofence?.id ?? "", retracts, isFirst, used), sequence: sequence,
            type: transition.type, deviceId: deviceId, geofenceId: geofence?.id, geofenceName: geofence?.name,
            occurredAt: transition.occurredAt, recordedAt: recordedAt, confirmedAt: transition.confirmedAt,
            crossedAt: transition.crossedAt, cause: transition.cause, inferred: transition.inferred, fix: transition.fix,
            enteredAt: transition.visit?.enteredAt, duration: transition.duration,
            lastHeard: transition.lastHeard, retracts: retracts, properties: geofence?.properties ?? [])
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
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
        _ isFirst: Bool, _ used: UsedEventIDs?
    ) throws(Problem) -> String {
        let erasedUpTo = try erasedUpTo(before: key)
        var ordinal: UInt64 = 0
        while true {
            let id = EventID.make(
                device: device, erasedUpTo: erasedUpTo, geofence: geofence, transition, retracts: retracts, ordinal: ordinal)
            if isFirst { return id }
            let isFree = if let used { used.add(id) } else { try !isTaken(id, key, at: transition.occurredAt) }
            if isFree { return id }
            ordinal += 1
        }
    }

    /// Whether an event of the device already has this id.
    ///
    /// - Complexity: O(events of that moment + the device's events that are in no index yet), or O(events of the device) if more than 64
    ///   events are of that moment.
    private func isTaken(_ id: String, _ device: DeviceKey, at moment: Instant) throws(Problem) -> Bool {
        // Writing all of them to the index here would delay the positions.
        try indexEvents(atMost: 0)
        let waiting = indexing.sequences(of: device.value, at: moment.milliseconds)
        return try attempt { () throws(SQLiteError) in
            let own = try connection.statement("SELECT 1 FROM event WHERE sequence = ? AND id = ?")
            for sequence in waiting {
                own.bind(1, sequence)
                own.bind(2, id)
                if try own.hasRow() { return true }
            }
            // If many devices report at the full minute, searching the events of one moment would compare the events of all these devices.
            let many = try connection.statement("SELECT 1 FROM event_by_time WHERE occurred_at = ? LIMIT 1 OFFSET 64")
            many.bind(1, moment.milliseconds)
            guard try many.hasRow() else { return try indexedSequence(ofEvent: id, at: moment) != nil }
            let ofDevice = try connection.statement(
                """
                SELECT 1 FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence WHERE o.device = ?1 AND e.id = ?2
                """)
            ofDevice.bind(1, device.value)
            ofDevice.bind(2, id)
            return try ofDevice.hasRow()
        }
    }

    private func indexedSequence(ofEvent id: String, at moment: Instant) throws(SQLiteError) -> Int64? {
        let row = try connection.statement(
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
            let row = try connection.statement(
                """
                SELECT sequence FROM event
                WHERE sequence > (SELECT value FROM setting WHERE name = '\(Self.eventsIndexed)') AND id = ?
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

    /// Whether the device was removed and added again. Its earlier events may then be later than all that is stored about it now.
    package func wasRemovedBefore(_ key: DeviceKey) throws(Problem) -> Bool {
        try firstValue("SELECT replay_after FROM device WHERE key = ?", key.value, as: Int64.self) ?? 0 > 0
    }

    /// A filter for events or visits; nil in an optional property means any.
    package struct EventFilter: Sendable {
        package var deviceId: String?
        package var geofenceId: String?
        package var types: Set<EventType>?
        /// Only events with `occurredAt` at or after `since` and before `until`.
        package var since: Instant?
        package var until: Instant?
        /// Only events after this sequence number.
        package var after: Int64 = 0
        /// The epoch of the store that `after` belongs to; nil if it is unknown.
        package var epoch: String?
        /// Only events up to this sequence number; nil for all.
        package var upTo: Int64?
        /// At most this number of events or visits, the newest ones.
        package var limit: Int?
        /// At most this number of events, the first ones after `after`.
        package var pageSize: Int?
        /// Only visits in which the device was seen for at least this number of seconds; nil for all. For events without effect.
        package var minDuration: Double?
        /// Whether to leave out events that were retracted and events that retract another.
        package var excludesRetracted = false

        package init(deviceId: String? = nil, geofenceId: String? = nil, since: Instant? = nil, until: Instant? = nil) {
            self.deviceId = deviceId
            self.geofenceId = geofenceId
            self.since = since
            self.until = until
        }

        /// Only the event with this sequence number.
        package static func only(_ sequence: Int64) -> EventFilter {
            var filter = EventFilter()
            (filter.after, filter.upTo) = (sequence - 1, sequence)
            return filter
        }

        /// `after` together with `epoch`.
        package var cursor: EventCursor {
            get { EventCursor(after, of: epoch) }
            set { (after, epoch) = (newValue.sequence, newValue.epoch) }
        }
    }

    /// The tables of events with their devices and the versions of their geofences by which they were decided; see `EventRow`.
    static let eventTables = """
        event e JOIN device d ON d.key = e.device
        LEFT JOIN geofence g ON g.key = e.geofence AND g.from_revision <= e.revision
            AND (g.to_revision IS NULL OR g.to_revision > e.revision)
        """

    /// Calls `body` with each event, in the order of sequence numbers. The events are those of one moment, although they are read in pieces:
    /// later ones are left out. Only what is erased meanwhile is missing.
    package func forEachEvent(_ filter: EventFilter, _ body: (Event) throws(Problem) -> Void) throws(Problem) {
        try indexAllEvents()
        var filter = filter
        filter.upTo = try min(filter.upTo ?? .max, attempt { () throws(SQLiteError) in try connection.newestSequence() })
        if let limit = filter.limit {
            guard let first = try firstSequence(ofNewest: limit, filter) else { return }
            filter.after = first - 1
        }
        var left = filter.limit ?? filter.pageSize ?? .max
        var window = EventWindow(isIndexed: EventOrder.bySequence.index(filter) != nil)
        try forEachInPieces(
            from: filter.after,
            { after, piece throws(Problem) in
                guard left > 0, after < filter.upTo ?? .max else { return nil }
                return try readEvents(filter, after: after, &window, atMost: left, &piece)
            },
            { event throws(Problem) in
                left -= 1
                try body(event)
            })
    }

    /// Reads the events of the numbers after one.
    ///
    /// - Parameter window: How many numbers to examine. Without this limit, a query whose filter admits few events, or whose rows
    ///   SQLite has to sort, would take as long as the whole list.
    /// - Returns: The last number that was examined.
    private func readEvents(
        _ filter: EventFilter, after: Int64, _ window: inout EventWindow, atMost left: Int, _ piece: inout Piece<Event>
    ) throws(Problem) -> Int64 {
        var part = filter
        let limit = min(left, piece.limit.items)
        part.after = after
        part.upTo = min(filter.upTo ?? .max, window.end(after: after))
        let sql =
            Self.selection(part, for: .bySequence) + " ORDER BY \(EventOrder.bySequence.columns(part).sequence) LIMIT \(limit)"
        let row = try query(sql)
        Self.bind(part, retractionsUpTo: filter.upTo ?? .max, to: row)
        var isFull = false
        while !isFull, let next = try next(EventRow.self, of: row) {
            isFull = piece.add(try event(next)) || piece.items.count == limit
        }
        window.adapt(found: piece.items.count, of: piece.limit.items)
        if isFull { return piece.items[piece.items.count - 1].sequence }
        let end = part.upTo ?? .max
        guard piece.items.isEmpty else { return end }
        // A new epoch of the store skips many numbers.
        let next = try firstValue("SELECT min(sequence) FROM event WHERE sequence > ?", end, as: Int64.self)
        return next.map { $0 - 1 } ?? filter.upTo ?? .max
    }

    /// The number of the first of the newest events that a filter admits; nil if there are none.
    private func firstSequence(ofNewest count: Int, _ filter: EventFilter) throws(Problem) -> Int64? {
        try attempt { () throws(SQLiteError) in
            let sequence = EventOrder.bySequence.columns(filter).sequence
            let row = try connection.uncachedStatement(
                """
                SELECT min(sequence) FROM (
                    \(Self.selection(filter, for: .bySequence, columns: "\(sequence) AS sequence"))
                    ORDER BY \(sequence) DESC LIMIT \(count))
                """)
            Self.bind(filter, retractionsUpTo: filter.upTo ?? .max, to: row)
            return try row.value(Int64.self)
        }
    }

    /// The number before those of the events that a filter with a `limit` admits: the filter without this limit admits the same events after
    /// that number.
    package func numberBeforeNewestEvents(_ filter: EventFilter) throws(Problem) -> Int64 {
        try indexAllEvents()
        return try firstSequence(ofNewest: filter.limit ?? -1, filter).map { $0 - 1 } ?? filter.upTo ?? filter.after
    }

    /// The order in which events are read, which determines the index that is used.
    enum EventOrder {
        case bySequence, byTime

        /// The index that finds the events of a filter; nil if they are read from the table of events.
        func index(_ filter: EventFilter) -> EventIndex? {
            if filter.deviceId != nil { return .byDevice }
            if filter.geofenceId != nil { return .byGeofence }
            return self == .byTime ? .byTime : nil
        }

        /// The SQL columns for an event's sequence number and time, taken from the index if it has them.
        func columns(_ filter: EventFilter) -> (sequence: String, time: String) {
            let index = index(filter)
            return (index == nil ? "e.sequence" : "o.sequence", index == .byTime ? "o.occurred_at" : "e.occurred_at")
        }
    }

    /// The query for the events that a filter admits. `bind(_:retractionsUpTo:to:)` binds its values.
    static func selection(
        _ filter: EventFilter, for order: EventOrder, columns: String = EventRow.columns
    ) -> String {
        let (sequence, time) = order.columns(filter)
        // SQLite reads the table to the left of a cross join first (https://www.sqlite.org/optoverview.html, "Manual Control Of Query Plans
        // Using CROSS JOIN").
        let index = order.index(filter).map { "\($0.rawValue) o CROSS JOIN " } ?? ""
        var sql = "SELECT \(columns) FROM \(index)\(eventTables) WHERE \(sequence) > ?1 AND e.type <> 'erased'"
        if !index.isEmpty { sql += " AND e.sequence = o.sequence" }
        if filter.excludesRetracted {
            let condition = order == .bySequence ? "AND +r.sequence <= ?8" : ""
            sql += " AND e.retracts IS NULL AND \(isNotRetracted("e", condition: condition))"
        }
        if filter.deviceId != nil { sql += " AND o.device = (SELECT key FROM device WHERE id = ?2)" }
        if filter.geofenceId != nil {
            sql += " AND \(filter.deviceId == nil ? "o" : "e").geofence IN (SELECT key FROM geofence WHERE id = ?3)"
        }
        if let types = filter.types {
            sql += " AND e.type IN (\(types.map { "'\($0.rawValue)'" }.sorted().joined(separator: ",")))"
        }
        if filter.since != nil { sql += " AND \(time) >= ?5" }
        if filter.until != nil { sql += " AND \(time) < ?6" }
        if filter.upTo != nil { sql += " AND \(sequence) <= ?7" }
        return sql
    }

    /// - Parameter retractions: With `EventOrder.bySequence`, later retractions than this number do not count.
    static func bind(_ filter: EventFilter, retractionsUpTo retractions: Int64? = nil, to row: Statement) {
        row.bind(1, filter.after)
        if filter.deviceId != nil { row.bind(2, filter.deviceId) }
        if filter.geofenceId != nil { row.bind(3, filter.geofenceId) }
        if let since = filter.since { row.bind(5, since.milliseconds) }
        if let until = filter.until { row.bind(6, until.milliseconds) }
        if let upTo = filter.upTo { row.bind(7, upTo) }
        if let retractions, filter.excludesRetracted { row.bind(8, retractions) }
    }

    /// The SQL condition that an event was not retracted.
    ///
    /// - Parameter condition: A further condition for the retraction `r`.
    static func isNotRetracted(_ table: String, condition: String = "") -> String {
        "NOT EXISTS (SELECT 1 FROM event r WHERE r.retracts = \(table).id \(condition))"
    }

    func event(_ row: EventRow) throws(Problem) -> Event {
        guard let type = EventType(rawValue: row.type), let cause = Cause(rawValue: row.cause) else {
            throw damaged("event \(row.sequence) is of an unknown kind")
        }
        let isOfSilence = type == .silent || type == .returned
        return Event(
            id: row.id, sequence: row.sequence, type: type, deviceId: row.deviceId, geofenceId: row.geofenceId,
            geofenceName: row.geofenceName, occurredAt: row.occurredAt, recordedAt: row.recordedAt,
            confirmedAt: row.confirmedAt, crossedAt: row.crossedAt, cause: cause, inferred: row.inferred, fix: row.fix.fix,
            enteredAt: isOfSilence ? nil : row.since, duration: row.since.map { row.occurredAt - $0 },
            lastHeard: isOfSilence ? row.since : nil, retracts: row.retracts, properties: try properties(row.properties),
            alarm: type == .alarm ? try alarm(ofEvent: row.sequence) : nil,
            rule: type == .missed || type == .retracted ? try rule(ofEvent: row.sequence) : nil)
    }
}

/// A row of `PicketStore.eventTables`.
struct EventRow: Row {
    static let columns = """
        e.sequence, e.id, e.type, d.id, g.id, g.name, e.occurred_at, e.recorded_at, e.confirmed_at, e.crossed_at, e.cause,
        e.inferred, \(PlacedFix.columns(after: "e.fix_")), e.entered_at, e.retracts, g.properties
        """

    var sequence: Int64
    var id: String
    var type: String
    var deviceId: String
    var geofenceId: String?
    var geofenceName: String?
    var occurredAt: Instant
    var recordedAt: Instant
    var confirmedAt: Instant
    var crossedAt: Instant?
    var cause: String
    var inferred: Bool
    var fix: PlacedFix
    /// When the device entered the geofence, or when a silent device was last heard from.
    var since: Instant?
    var retracts: String?
    /// A JSON object.
    var properties: String?

    init(_ row: inout ColumnReader) {
        sequence = row.next()
        id = row.next()
        type = row.next()
        deviceId = row.next()
        geofenceId = row.next()
        geofenceName = row.next()
        occurredAt = row.next()
        recordedAt = row.next()
        confirmedAt = row.next()
        crossedAt = row.next()
        cause = row.next()
        inferred = row.next()
        fix = row.next()
        since = row.next()
        retracts = row.next()
        properties = row.next()
    }
}

/// A fix of which only time, coordinate and accuracy are stored.
struct PlacedFix: Row {
    static let columns = "time, latitude, longitude, accuracy"

    var fix: Fix

    init(_ row: inout ColumnReader) { fix = Fix(time: row.next(), coordinate: row.next(), accuracy: row.next()) }
}
