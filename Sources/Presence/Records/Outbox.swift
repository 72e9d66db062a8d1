import Delivery
import Model
import SQLite
import Store

// Events and positions as they are delivered: with the stored values that filters of sinks need.

extension PicketStore {
    /// A selection of events by type.
    package enum OutboxSelection: Sendable {
        /// All events apart from alarms.
        case events
        case alarms
    }

    /// The first events after a sequence number, in order.
    ///
    /// - Parameters:
    ///   - newest: The highest sequence number to return.
    ///   - limit: The maximum number of events to return.
    package func outbox(
        _ lane: OutboxSelection, after sequence: Int64, upTo newest: Int64, limit: Int
    ) throws(Problem) -> [OutboxEvent] {
        let isAlarm = if case .alarms = lane { true } else { false }
        return try outbox(
            "e.sequence > ?2 AND e.sequence <= ?3 AND e.type \(isAlarm ? "=" : "<>") 'alarm'", limit: limit, sequence, newest)
    }

    /// The newest 100 emergencies that are not acknowledged, in the order of sequence numbers.
    package func openEmergencies() throws(Problem) -> [OutboxEvent] {
        try outboxAlarms(onlyOpen: true, onlyEmergencies: true, before: nil, limit: 100).filter(\.event.isOpenEmergency)
            .reversed()
    }

    /// The event with a sequence number; nil if there is none or it was erased.
    package func outboxEvent(_ sequence: Int64) throws(Problem) -> OutboxEvent? {
        try outbox("e.sequence = ?2", limit: 1, sequence).first
    }

    /// The versions of an event, or of the event that a retraction names.
    ///
    /// - Complexity: O(events of that moment + events that are in no index yet).
    package func versions(of outbox: OutboxEvent) throws(Problem) -> EventVersions {
        try indexAllEvents()
        let moment = outbox.event.occurredAt
        // An event that another process has written may not be in the index yet.
        let events = try self.outbox(
            """
            e.sequence IN (
                SELECT sequence FROM event_by_time WHERE occurred_at = ?2
                UNION SELECT sequence FROM event
                WHERE sequence > (SELECT value FROM setting WHERE name = '\(DerivedTable.eventIndexes.rawValue)') AND occurred_at = ?2)
            AND d.id = ?3
            """, limit: .max, moment.milliseconds, outbox.event.deviceId)
        return EventVersions(of: outbox, among: events)
    }

    /// - Parameters:
    ///   - condition: An SQL condition. Its parameters begin with 2.
    ///   - values: The values of the parameters.
    private func outbox(
        _ condition: String, limit: Int, _ values: any StatementValue...
    ) throws(Problem) -> [OutboxEvent] {
        let rows = try attempt { () throws(SQLiteError) in
            let statement = try statement(
                """
                SELECT \(OutboxRow.columns) FROM \(Self.eventTables)
                WHERE \(condition) AND e.type <> 'erased' ORDER BY e.sequence LIMIT ?1
                """)
            statement.bind([limit] + values)
            return try statement.all(OutboxRow.self)
        }
        var found = try rows.map { row throws(Problem) in
            var outbox = OutboxEvent(
                event: try event(row.event), deviceName: row.deviceName, deviceGroups: try list(row.groupsThen),
                quietHours: try windows(row.quietHoursThen) ?? [],
                triggers: row.triggers.map { .init(rawValue: UInt8(truncatingIfNeeded: $0)) } ?? .all)
            outbox.battery = row.battery
            return outbox
        }
        var correction: (of: Event, events: [OutboxEvent.VersionIdentity: Int64])?
        for index in found.indices {
            // A retraction has the same `occurredAt` as the event that it retracts.
            guard let id = found[index].event.retracts,
                let sequence = try sequence(ofEvent: id, at: found[index].event.occurredAt),
                let original = try outboxEvent(sequence)
            else { continue }
            found[index].original = original.event
            found[index].deviceGroups = original.deviceGroups
            found[index].quietHours = original.quietHours
            found[index].triggers = original.triggers
            let retraction = found[index].event
            // The entries of one correction follow one another, and have the same recording time.
            if correction?.of.recordedAt != retraction.recordedAt || correction?.of.deviceId != retraction.deviceId {
                correction = (retraction, try replacements(after: retraction))
            }
            let replacement = correction?.events[original.event.versionIdentity]
            found[index].isReplaced = replacement.map { $0 > retraction.sequence } ?? false
        }
        return found
    }

    /// The events that a correction records after a retraction, with their numbers.
    ///
    /// - Complexity: O(events that were recorded at the same time).
    private func replacements(after retraction: Event) throws(Problem) -> [OutboxEvent.VersionIdentity: Int64] {
        let row = try attempt { () throws(SQLiteError) in
            try statement(
                "SELECT \(EventRow.columns) FROM \(Self.eventTables) WHERE e.sequence > ?1 ORDER BY e.sequence")
        }
        defer { row.reset() }
        row.bind(1, retraction.sequence)
        var found: [OutboxEvent.VersionIdentity: Int64] = [:]
        while let next = try next(EventRow.self, of: row), next.recordedAt == retraction.recordedAt {
            if next.deviceId == retraction.deviceId, next.retracts == nil {
                found[try event(next).versionIdentity] = next.sequence
            }
        }
        return found
    }

    private struct OutboxRow: Row {
        static let columns = """
            \(EventRow.columns), d.name, \(atEvent("groups")), \(atEvent("quiet_hours")), g.triggers,
            (SELECT battery FROM device_state s WHERE s.device = d.key)
            """

        var event: EventRow
        var deviceName: String
        /// A JSON list.
        var groupsThen: String?
        var quietHoursThen: String?
        var triggers: Int64?
        var battery: Double?

        init(_ row: inout ColumnReader) {
            event = row.next()
            deviceName = row.next()
            groupsThen = row.next()
            quietHoursThen = row.next()
            triggers = row.next()
            battery = row.next()
        }

        /// The SQL expression for a column of an event's device at the time of the event. The first later change of the device's rules has
        /// stored the earlier value.
        private static func atEvent(_ column: String) -> String {
            """
            CASE WHEN EXISTS (SELECT 1 FROM device_rules r WHERE r.device = e.device AND r.sequence >= e.sequence)
            THEN (SELECT r.\(column) FROM device_rules r WHERE r.device = e.device AND r.sequence >= e.sequence ORDER BY r.change LIMIT 1)
            ELSE d.\(column) END
            """
        }
    }

    /// Whether an event was retracted.
    package func isRetracted(_ id: String) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM event WHERE retracts = ?", id)
    }

    /// The sequence number of an alarm event; nil if there is none.
    ///
    /// - Complexity: O(alarms).
    func sequence(ofAlarm id: String) throws(Problem) -> Int64? {
        try firstValue("SELECT sequence FROM event WHERE type = 'alarm' AND id = ?", id, as: Int64.self)
    }

    // MARK: - Positions

    /// The first positions after a number, in the order of receipt.
    package func outboxPositions(after number: Int64, limit: Int) throws(Problem) -> [OutboxPosition] {
        try rows(
            """
            SELECT \(OutboxPositionRow.columns) FROM fix f JOIN device d ON d.key = f.device WHERE f.number > ? ORDER BY f.number LIMIT ?
            """, number, limit, as: OutboxPositionRow.self
        ).map { row throws(Problem) in
            OutboxPosition(number: row.number, deviceId: row.deviceId, deviceGroups: try list(row.deviceGroups), fix: row.fix)
        }
    }

    private struct OutboxPositionRow: Row {
        static let columns = "\(Fix.columns(after: "f.")), f.number, d.id, d.groups"

        var fix: Fix
        var number: Int64
        var deviceId: String
        /// A JSON list.
        var deviceGroups: String?

        init(_ row: inout ColumnReader) {
            fix = row.next()
            number = row.next()
            deviceId = row.next()
            deviceGroups = row.next()
        }
    }

    /// Time windows in a column with a JSON list; nil for NULL.
    private func windows(_ text: String?) throws(Problem) -> [WeeklyWindow]? {
        try text.map { text throws(Problem) in try WeeklyWindow.list(list(text), field: "quietHours") }
    }
}
