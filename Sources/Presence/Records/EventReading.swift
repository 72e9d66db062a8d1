import Core
import Model
import SQLite
import Store

// The reading of events.

extension PicketStore {
    /// A filter for events or visits; nil in an optional property means any.
    package struct EventFilter: Sendable {
        package var deviceId: String?
        /// Only events and visits of these geofences; empty for all.
        package var geofenceIds: [String] = []
        /// Only visits of other geofences. For events without effect.
        package var excludedGeofenceIds: [String] = []
        package var types: Set<EventType>?
        /// Only events with `occurredAt` at or after `since` and before `until`.
        package var since: Instant?
        package var until: Instant?
        /// Only events after this sequence number.
        package var after: Int64 = 0
        /// The epoch of the store that `after` belongs to; nil if it is unknown.
        var epoch: String?
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

        package init(deviceId: String? = nil, geofenceIds: [String] = [], since: Instant? = nil, until: Instant? = nil) {
            self.deviceId = deviceId
            self.geofenceIds = geofenceIds
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
        filter.upTo = try min(filter.upTo ?? .max, attempt { () throws(SQLiteError) in try newestSequenceOfAll() })
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
            let row = try uncachedStatement(
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
    func numberBeforeNewestEvents(_ filter: EventFilter) throws(Problem) -> Int64 {
        try indexAllEvents()
        return try firstSequence(ofNewest: filter.limit ?? -1, filter).map { $0 - 1 } ?? filter.upTo ?? filter.after
    }

    /// The order in which events are read, which determines the index that is used.
    enum EventOrder {
        case bySequence, byTime

        /// The index that finds the events of a filter; nil if they are read from the table of events.
        func index(_ filter: EventFilter) -> EventIndex? {
            if filter.deviceId != nil { return .byDevice }
            if !filter.geofenceIds.isEmpty { return .byGeofence }
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
        if !filter.geofenceIds.isEmpty {
            sql += " AND \(filter.deviceId == nil ? "o" : "e").geofence IN \(geofenceKeys(ofIdsIn: "?3"))"
        }
        if let types = filter.types {
            sql += " AND e.type IN (\(types.map { "'\($0.rawValue)'" }.sorted().joined(separator: ",")))"
        }
        if filter.since != nil { sql += " AND \(time) >= ?5" }
        if filter.until != nil { sql += " AND \(time) < ?6" }
        if filter.upTo != nil { sql += " AND \(sequence) <= ?7" }
        return sql
    }

    /// The SQL query for the keys of all versions of geofences.
    ///
    /// - Parameter parameter: The parameter that `list(_:)` binds to, such as `?3`.
    static func geofenceKeys(ofIdsIn parameter: String) -> String {
        "(SELECT key FROM geofence WHERE id IN (SELECT value FROM json_each(\(parameter))))"
    }

    /// Ids as a parameter of a query.
    static func list(_ ids: [String]) -> String { JSONValue.array(ids.map(JSONValue.string)).description }

    /// - Parameter retractions: With `EventOrder.bySequence`, later retractions than this number do not count.
    static func bind(_ filter: EventFilter, retractionsUpTo retractions: Int64? = nil, to row: Statement) {
        row.bind(1, filter.after)
        if filter.deviceId != nil { row.bind(2, filter.deviceId) }
        if !filter.geofenceIds.isEmpty { row.bind(3, list(filter.geofenceIds)) }
        if let since = filter.since { row.bind(5, since.milliseconds) }
        if let until = filter.until { row.bind(6, until.milliseconds) }
        if let upTo = filter.upTo { row.bind(7, upTo) }
        if let retractions, filter.excludesRetracted { row.bind(8, retractions) }
    }

    func event(_ row: EventRow) throws(Problem) -> Event {
        guard let type = EventType(rawValue: row.type), let cause = Cause(rawValue: row.cause) else {
            throw damaged("event \(row.sequence) is of an unknown kind")
        }
        let isOfSilence = type.decision == .silence
        return Event(
            id: row.id, sequence: row.sequence, type: type, deviceId: row.deviceId, geofenceId: row.geofenceId,
            geofenceName: row.geofenceName, occurredAt: row.occurredAt, recordedAt: row.recordedAt,
            confirmedAt: row.confirmedAt, crossedAt: row.crossedAt, cause: cause, inferred: row.inferred, fix: row.fix.fix,
            enteredAt: isOfSilence ? nil : row.since, duration: row.since.map { row.occurredAt - $0 },
            lastHeard: isOfSilence ? row.since : nil, retracts: row.retracts, properties: try properties(row.properties),
            alarm: type == .alarm ? try alarm(ofEvent: row.sequence) : nil,
            rule: type == .missed || type == .retracted ? try rule(ofEvent: row.sequence) : nil)
    }

    /// Whether there is or was a device with this id.
    func hasKnownDevice(id: String) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM device WHERE id = ?", id)
    }

    /// Whether there is or was a geofence with this id.
    func hasKnownGeofence(id: String) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM geofence WHERE id = ? LIMIT 1", id)
    }

    /// The members of a column with a JSON object; empty for NULL.
    private func properties(_ text: String?) throws(Problem) -> [JSONValue.Member] {
        guard let text else { return [] }
        return try json(text).members ?? []
    }

    /// The rule of a missed event or of the retraction of one; nil for other events.
    private func rule(ofEvent sequence: Int64) throws(Problem) -> MissedRule? {
        let row = try firstRow(
            "SELECT config, has_position FROM event_rule WHERE sequence = ?", sequence, as: String.self, Bool.self)
        guard let (config, hasPosition) = row else { return nil }
        return try MissedRule(json: json(config), hasPosition: hasPosition)
    }

    /// The latest `confirmedAt` among the device's last 64 events; nil if there are none. Events of presence rules do not count.
    func latestConfirmation(of device: DeviceKey) throws(Problem) -> Instant? {
        try indexAllEvents()
        return try firstValue(
            """
            SELECT max(confirmed_at) FROM (
                SELECT confirmed_at FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence
                WHERE o.device = ? AND cause <> 'rule' ORDER BY o.sequence DESC LIMIT 64)
            """, device.value, as: Instant.self)
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
