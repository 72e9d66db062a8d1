import Delivery
import Model
import SQLite

// Events and positions as they are delivered: with the stored values that filters of sinks need.

extension RegionStore {
    /// A selection of events by type.
    package enum OutboxSelection: Sendable {
        /// All events apart from alarms.
        case events
        case alarms
    }

    /// The first events after a sequence number, in order.
    ///
    /// - Parameters:
    ///   - newest: The greatest sequence number to return.
    ///   - limit: The greatest number of events to return.
    package func outbox(
        _ lane: OutboxSelection, after sequence: Int64, upTo newest: Int64, limit: Int
    ) throws(Problem) -> [OutboxEvent] {
        let isAlarm = if case .alarms = lane { true } else { false }
        return try outbox(
            "e.sequence > ?1 AND e.sequence <= ?2 AND e.type <> 'erased' AND e.type \(isAlarm ? "=" : "<>") 'alarm'", sequence,
            newest,
            limit)
    }

    /// The emergencies that nobody has acknowledged, in the order of sequence numbers. Only the newest 100 open alarms are considered.
    package func openEmergencies() throws(Problem) -> [OutboxEvent] {
        try outboxAlarms(onlyOpen: true, before: nil, limit: 100).filter(\.event.isOpenEmergency).reversed()
    }

    /// The event with a sequence number; nil if there is none or it was erased.
    package func outboxEvent(_ sequence: Int64) throws(Problem) -> OutboxEvent? {
        try outbox("e.sequence >= ?1 AND e.sequence <= ?2 AND e.type <> 'erased'", sequence, sequence, 1).first
    }

    private func outbox(_ condition: String, _ first: Int64, _ last: Int64, _ limit: Int) throws(Problem) -> [OutboxEvent] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT \(OutboxRow.columns) FROM \(Self.eventTables)
                WHERE \(condition) ORDER BY e.sequence LIMIT ?3
                """)
        }
        defer { row.reset() }
        row.bind(1, first)
        row.bind(2, last)
        row.bind(3, limit)
        var found: [OutboxEvent] = []
        while let next = try next(OutboxRow.self, of: row) {
            found.append(
                OutboxEvent(
                    event: try event(next.event), deviceName: next.deviceName, deviceGroups: try list(next.groupsThen),
                    quietHours: try windows(next.quietHoursThen) ?? [],
                    triggers: next.triggers.map { .init(rawValue: UInt8(truncatingIfNeeded: $0)) } ?? .all))
        }
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
        }
        return found
    }

    private struct OutboxRow: Row {
        static let columns = "\(EventRow.columns), d.name, \(atEvent("groups")), \(atEvent("quiet_hours")), g.triggers"

        var event: EventRow
        var deviceName: String
        /// A JSON list.
        var groupsThen: String?
        var quietHoursThen: String?
        var triggers: Int64?

        init(_ row: inout ColumnReader) {
            event = row.next()
            deviceName = row.next()
            groupsThen = row.next()
            quietHoursThen = row.next()
            triggers = row.next()
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
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT 1 FROM event WHERE retracts = ?")
            row.bind(1, id)
            return try row.hasRow()
        }
    }

    /// The sequence number of an alarm event; nil if there is none.
    ///
    /// - Complexity: O(alarms).
    package func sequence(ofAlarm id: String) throws(Problem) -> Int64? {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT sequence FROM event WHERE type = 'alarm' AND id = ?")
            row.bind(1, id)
            return try row.value(Int64.self)
        }
    }

    // MARK: - Positions

    /// The number of the newest fix; 0 if there is none.
    package func newestFixNumber() throws(Problem) -> Int64 { Int64(try count("SELECT ifnull(max(number), 0) FROM fix")) }

    /// The first positions after a number, in the order of receipt.
    package func outboxPositions(after number: Int64, limit: Int) throws(Problem) -> [OutboxPosition] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT \(OutboxPositionRow.columns) FROM fix f JOIN device d ON d.key = f.device WHERE f.number > ? ORDER BY f.number LIMIT ?
                """)
        }
        defer { row.reset() }
        row.bind(1, number)
        row.bind(2, limit)
        var found: [OutboxPosition] = []
        while let next = try next(OutboxPositionRow.self, of: row) {
            found.append(
                OutboxPosition(
                    number: next.number, deviceId: next.deviceId, deviceGroups: try list(next.deviceGroups), fix: next.fix))
        }
        return found
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
}
