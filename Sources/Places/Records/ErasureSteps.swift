import Model
import SQLite
import Store

// An erasure of a device with much data removes most of it in steps before the device itself is erased. Until then, an `UnfinishedErasure` has
// the device.

extension PicketStore {
    /// The erasure in steps of a device; nil if there is none.
    package func ongoingErasure(of device: DeviceKey) throws(Problem) -> UnfinishedErasure? {
        try unfinishedErasures().first { $0.device == device }
    }

    /// The id of a device, even if it was removed and only its events are left; nil if there is no such device.
    func knownID(of device: DeviceKey) throws(Problem) -> String? {
        try firstValue("SELECT id FROM device WHERE key = ?", device.value, as: String.self)
    }

    /// Whether a device has more than this many positions, or more than this many events.
    ///
    /// - Complexity: O(limit + fixes that are not in order yet).
    func hasMoreRecords(of device: DeviceKey, than limit: Int) throws(Problem) -> Bool {
        let fixes = try count(
            """
            SELECT count(*) FROM (
                SELECT number FROM fix_order WHERE device = ?1
                UNION ALL SELECT number FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 LIMIT ?2)
            """, device.value, limit + 1)
        if fixes > limit { return true }
        return try count(
            "SELECT count(*) FROM (SELECT 1 FROM event_by_device WHERE device = ? LIMIT ?)", device.value, limit + 1) > limit
    }

    /// Performs one step of an erasure: removes some positions of the device, or then some events, the newest ones first. This
    /// must be called in a transaction, after the device's state was written.
    ///
    /// - Parameters:
    ///   - erasure: Gets the numbers of removed positions and events.
    ///   - limit: The maximum number of positions or events to remove.
    func eraseStep(
        of device: DeviceKey, _ erasure: inout UnfinishedErasure, limit: Int, in transaction: borrowing Transaction
    ) throws(Problem) {
        idsAfter.removeAll()
        try indexAllEvents()
        try prepareFixRemoval(in: transaction)
        // What is left cannot be evaluated again.
        try addReplayGaps(.positionsRemoved, to: device, in: transaction)
        try execute("UPDATE device SET replay_from = NULL WHERE key = ?", device.value, in: transaction)
        try execute("DELETE FROM checkpoint WHERE device = ?", device.value, in: transaction)
        let fixes = try removeFixes(of: device, since: .earliest, limit: limit, in: transaction)
        let events = fixes > 0 ? 0 : try eraseEvents(of: device, atMost: limit, in: transaction)
        erasure.fixes += fixes
        erasure.events += events
        try save(try unfinishedErasures().filter { $0.digest != erasure.digest } + [erasure], in: transaction)
    }

    /// Replaces the newest events of a device with those of an erased device.
    ///
    /// - Returns: The number of events.
    func eraseEvents(of device: DeviceKey, atMost limit: Int, in transaction: borrowing Transaction) throws(Problem) -> Int {
        let erased = try attempt { () throws(SQLiteError) in
            try statement(
                """
                INSERT INTO device (id, name, registry, auto_repair, silent_after, removed) VALUES (?1, ?1, 'none', 0, 1, 1)
                ON CONFLICT (id) DO UPDATE SET removed = 1 RETURNING key
                """, Self.erasedName, in: transaction
            ).values(Int64.self).first ?? 0
        }
        let newest = try firstValue(
            "SELECT ifnull(min(sequence), 0) FROM (SELECT sequence FROM event_by_device WHERE device = ? ORDER BY sequence DESC LIMIT ?)",
            device.value, limit, as: Int64.self)
        guard let first = newest, first > 0 else { return 0 }
        let own = "event_by_device WHERE device = ?1 AND sequence >= ?2"
        // The rows of the other indexes for these events are replaced by those of erased events.
        for (index, column) in [
            ("event_by_geofence", "geofence"), ("event_by_time", "occurred_at"), ("exit_by_enter", "entered_at"),
        ] {
            try execute(
                """
                DELETE FROM \(index) WHERE (\(column), sequence) IN (
                    SELECT e.\(column), e.sequence FROM (SELECT sequence FROM \(own)) o
                    CROSS JOIN event e ON e.sequence = o.sequence)
                """, device.value, first, in: transaction)
        }
        try execute("DELETE FROM exit_by_device WHERE device = ?1 AND sequence >= ?2", device.value, first, in: transaction)
        try execute("INSERT INTO event_by_time SELECT 0, sequence FROM \(own)", device.value, first, in: transaction)
        let count = try execute(
            """
            UPDATE event SET id = 'erased-' || sequence, type = 'erased', device = ?3, geofence = NULL, revision = 0,
            occurred_at = 0, recorded_at = 0, confirmed_at = 0, crossed_at = NULL, cause = 'erased', inferred = 0, fix_time = 0,
            fix_latitude = 0, fix_longitude = 0, fix_accuracy = NULL, entered_at = NULL, enter_cause = NULL, retracts = NULL
            WHERE sequence IN (SELECT sequence FROM \(own))
            """, device.value, first, erased, in: transaction)
        try attempt { () throws(SQLiteError) in try saveSetting(Self.erasedUpTo, newestSequenceOfAll(), in: transaction) }
        try execute(
            "UPDATE event_by_device SET device = ?3 WHERE device = ?1 AND sequence >= ?2", device.value, first, erased,
            in: transaction)
        return count
    }
}
