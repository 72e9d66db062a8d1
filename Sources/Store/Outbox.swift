import Delivery
import Model
import SQLite

// Events as they are sent: what is stored of them, with what sinks' filters ask for.

extension RegionStore {
    /// Which events are wanted.
    public enum OutboxLane: Sendable {
        /// Everything but alarms.
        case events
        case alarms
    }

    /// The first events after one, in order of sequence.
    ///
    /// - Parameters:
    ///   - newest: The last that is wanted.
    ///   - limit: At most so many.
    public func outbox(
        _ lane: OutboxLane, after sequence: Int64, upTo newest: Int64, limit: Int
    ) throws(Problem) -> [OutboxEvent] {
        let isAlarm = if case .alarms = lane { true } else { false }
        return try outbox(
            "e.sequence > ?1 AND e.sequence <= ?2 AND e.type <> 'erased' AND e.type \(isAlarm ? "=" : "<>") 'alarm'", sequence,
            newest,
            limit)
    }

    /// The emergencies that nobody has acknowledged, in order of sequence; the newest of very many.
    public func openEmergencies() throws(Problem) -> [OutboxEvent] {
        try outboxAlarms(onlyOpen: true, before: nil, limit: 100).filter(\.event.isOpenEmergency).reversed()
    }

    /// The event of that number; nil when there is none any more.
    public func outboxEvent(_ sequence: Int64) throws(Problem) -> OutboxEvent? {
        try outbox("e.sequence >= ?1 AND e.sequence <= ?2 AND e.type <> 'erased'", sequence, sequence, 1).first
    }

    private func outbox(_ condition: String, _ first: Int64, _ last: Int64, _ limit: Int) throws(Problem) -> [OutboxEvent] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT \(Self.eventColumns), d.name, \(Self.groupsThen), g.triggers FROM \(Self.eventTables)
                WHERE \(condition) ORDER BY e.sequence LIMIT ?3
                """)
        }
        defer { row.reset() }
        row.bind(1, first)
        row.bind(2, last)
        row.bind(3, limit)
        var found: [OutboxEvent] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            found.append(
                OutboxEvent(
                    event: try event(row), deviceName: row.text(19), deviceGroups: try list(row.optionalText(20)),
                    triggers: row.optionalInt64(21).map { .init(rawValue: UInt8(truncatingIfNeeded: $0)) } ?? .all))
        }
        for index in found.indices {
            // An entry that takes an event back is of the same moment.
            guard let id = found[index].event.retracts,
                let sequence = try sequence(ofEvent: id, at: found[index].event.occurredAt),
                let original = try outboxEvent(sequence)
            else { continue }
            found[index].original = original.event
            found[index].deviceGroups = original.deviceGroups
            found[index].triggers = original.triggers
        }
        return found
    }

    /// The groups of an event's device when it happened. What they were before a change of them, the change has noted.
    private static let groupsThen = """
        CASE WHEN EXISTS (SELECT 1 FROM device_rules r WHERE r.device = e.device AND r.sequence >= e.sequence)
        THEN (SELECT r.groups FROM device_rules r WHERE r.device = e.device AND r.sequence >= e.sequence ORDER BY r.change LIMIT 1)
        ELSE d.groups END
        """

    /// Whether an event was taken back.
    public func isRetracted(_ id: String) throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT 1 FROM event WHERE retracts = ?")
            defer { row.reset() }
            row.bind(1, id)
            return try row.step()
        }
    }

    /// The number of an alarm's event; nil when there is none.
    ///
    /// - Complexity: O(alarms).
    public func sequence(ofAlarm id: String) throws(Problem) -> Int64? {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT sequence FROM event WHERE type = 'alarm' AND id = ?")
            defer { row.reset() }
            row.bind(1, id)
            return try row.step() ? row.int64(0) : nil
        }
    }

    // MARK: - Positions

    /// The number of the newest fix; 0 when there is none.
    public func newestFixNumber() throws(Problem) -> Int64 { Int64(try count("SELECT ifnull(max(number), 0) FROM fix")) }

    /// The first positions after one, in the order in which they arrived.
    public func outboxPositions(after number: Int64, limit: Int) throws(Problem) -> [OutboxPosition] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT f.time, f.latitude, f.longitude, f.accuracy, f.altitude, f.speed, f.course, f.battery, f.number, d.id,
                d.groups FROM fix f JOIN device d ON d.key = f.device WHERE f.number > ? ORDER BY f.number LIMIT ?
                """)
        }
        defer { row.reset() }
        row.bind(1, number)
        row.bind(2, limit)
        var found: [OutboxPosition] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            found.append(
                OutboxPosition(
                    number: row.int64(8), deviceId: row.text(9), deviceGroups: try list(row.optionalText(10)),
                    fix: fix(row, from: 0)))
        }
        return found
    }
}
