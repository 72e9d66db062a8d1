import Delivery
import Model
import SQLite
import Store

// Alarms: the details of alarm events and their acknowledgments.

extension PicketStore {
    /// Stores the details of an alarm. This must be called in the transaction that appends the event.
    func append(
        _ alarm: Alarm, to event: Event, of device: DeviceKey, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            """
            INSERT INTO alarm (sequence, device, time, kind, inside, has_position, emergency_number) VALUES (?,?,?,?,?,?,?)
            """, event.sequence, device.value, event.occurredAt.milliseconds, alarm.kind,
            JSONValue.array(alarm.inside.map { [.string($0.geofenceId), .string($0.geofenceName)] }).description,
            alarm.hasPosition, alarm.emergencyNumber, in: transaction)
    }

    /// Whether a device has already raised an alarm that counts as the same one: an app sends an unanswered alarm again, and a tracker
    /// repeats an alarm with each position for a while.
    ///
    /// An alarm of the same kind counts as the same if it was raised less than `span` seconds before or after `moment`, or less than
    /// `Alarm.longestDelay` before `moment` and it is not acknowledged.
    func hasAlarm(
        of device: DeviceKey, at moment: Instant, kind: String, within span: Double
    ) throws(Problem) -> Bool {
        try hasRow(
            """
            SELECT 1 FROM alarm WHERE device = ?1 AND kind = ?2 AND time > ?3 AND time < ?5
            AND (time > ?4 OR acknowledged_at IS NULL) LIMIT 1
            """, device.value, kind, (moment + -Alarm.longestDelay).milliseconds, (moment + -span).milliseconds,
            (moment + span).milliseconds)
    }

    /// The details of the alarm of an event; nil for other events.
    func alarm(ofEvent sequence: Int64) throws(Problem) -> Alarm? {
        let row = try firstRow("SELECT \(AlarmRow.columns) FROM alarm WHERE sequence = ?", sequence, as: AlarmRow.self)
        guard let row else { return nil }
        let inside = (try json(row.inside).array ?? []).compactMap { place -> Alarm.Place? in
            guard let pair = place.array?.compactMap(\.string), pair.count == 2 else { return nil }
            return Alarm.Place(geofenceId: pair[0], geofenceName: pair[1])
        }
        return Alarm(
            kind: row.kind, inside: inside, hasPosition: row.hasPosition, emergencyNumber: row.emergencyNumber,
            acknowledgement: row.acknowledgedAt.map { Alarm.Acknowledgement(at: $0, by: row.acknowledgedBy) })
    }

    private struct AlarmRow: Row {
        static let columns = "kind, inside, has_position, emergency_number, acknowledged_at, acknowledged_by"

        var kind: String
        /// A JSON list of pairs of a geofence's id and name.
        var inside: String
        var hasPosition: Bool
        var emergencyNumber: String
        var acknowledgedAt: Instant?
        var acknowledgedBy: String?

        init(_ row: inout ColumnReader) {
            kind = row.next()
            inside = row.next()
            hasPosition = row.next()
            emergencyNumber = row.next()
            acknowledgedAt = row.next()
            acknowledgedBy = row.next()
        }
    }

    /// The newest alarms, newest first.
    ///
    /// - Parameters:
    ///   - onlyOpen: Whether to return only alarms that are not acknowledged.
    ///   - onlyEmergencies: Whether to return only alarms of the urgency `emergency`; see `Event.urgency`.
    ///   - sequence: Return only alarms before this event; nil for all.
    func alarms(
        onlyOpen: Bool, onlyEmergencies: Bool, before sequence: Int64?, limit: Int
    ) throws(Problem) -> [Event] {
        try outboxAlarms(onlyOpen: onlyOpen, onlyEmergencies: onlyEmergencies, before: sequence, limit: limit).map(\.event)
    }

    /// The newest alarms, newest first, as they are delivered. The parameters are those of `alarms(onlyOpen:onlyEmergencies:before:limit:)`.
    ///
    /// - Complexity: O(limit), even for open alarms among many acknowledged ones. With `onlyEmergencies`, O(alarms, or open
    ///   alarms).
    func outboxAlarms(
        onlyOpen: Bool, onlyEmergencies: Bool, before sequence: Int64?, limit: Int
    ) throws(Problem) -> [OutboxEvent] {
        let numbers = try attempt { () throws(SQLiteError) in
            // The condition is left out for all alarms, so that the index of open alarms serves the query for these.
            let open = onlyOpen ? " AND acknowledged_at IS NULL" : ""
            var danger: String?
            if onlyEmergencies {
                let kinds = try statement("SELECT DISTINCT kind FROM alarm WHERE sequence > 0\(open)").values(
                    String.self)
                danger = JSONValue.array(kinds.filter(Alarm.isDanger).map(JSONValue.string)).description
            }
            let row = try statement(
                "SELECT sequence FROM alarm WHERE sequence < ?1\(open)"
                    + (danger == nil
                        ? ""
                        : """
                         AND kind IN (SELECT value FROM json_each(?3))
                        AND (SELECT recorded_at FROM event WHERE sequence = alarm.sequence) - time <= ?4
                        """)
                    + " ORDER BY sequence DESC LIMIT ?2")
            row.bind(1, sequence ?? .max)
            row.bind(2, limit)
            if let danger {
                row.bind(3, danger)
                // An alarm that arrived late is history.
                row.bind(4, Int64(Alarm.longestDelay * 1000))
            }
            return try row.values(Int64.self)
        }
        return try numbers.map(outboxEvent).compactMap(\.self)
    }

    /// Records who acknowledged an alarm and when. An earlier acknowledgment is kept.
    func acknowledge(
        _ sequence: Int64, _ acknowledgement: Alarm.Acknowledgement, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "UPDATE alarm SET acknowledged_at = ?, acknowledged_by = ? WHERE sequence = ? AND acknowledged_at IS NULL",
            acknowledgement.at.milliseconds, acknowledgement.by, sequence, in: transaction)
    }
}
