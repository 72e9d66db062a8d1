import Model
import SQLite

/// An erasure of a device with much data, which removes most of it in steps before the device itself is erased.
package struct OngoingErasure: Sendable {
    package var device: DeviceKey
    package var deviceId = ""
    /// The numbers of positions and events that the steps have removed.
    package var fixes = 0
    package var events = 0
    /// Whether the files are rewritten if they need that; see `UnfinishedErasure`.
    package var rewriting: Bool
}

extension RegionStore {
    private static let ongoingErasure = "erasing "

    /// The setting with what the steps of an erasure have removed.
    static func ongoingErasureSetting(_ device: DeviceKey) -> String { "\(ongoingErasure)\(device.value)" }

    /// The keys of the devices that are being erased in steps, as a query.
    static let devicesBeingErased = "SELECT CAST(substr(name, 9) AS INTEGER) FROM setting WHERE name LIKE 'erasing %'"

    /// The erasures in steps that are not complete.
    package func ongoingErasures() throws(Problem) -> [OngoingErasure] {
        let rows = try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                SELECT s.name, value, d.id FROM setting s JOIN device d ON d.key = CAST(substr(s.name, 9) AS INTEGER)
                WHERE s.name LIKE 'erasing %' ORDER BY d.key
                """)
            defer { row.reset() }
            var found: [(name: String, value: String, id: String)] = []
            while let (name, value, id) = try row.next(String.self, String.self, String.self) { found.append((name, value, id)) }
            return found
        }
        return try rows.map { name, value, id throws(Problem) in
            let numbers = value.split(separator: ",").compactMap { Int($0) }
            guard let key = Int64(name.dropFirst(Self.ongoingErasure.count)), numbers.count == 3 else {
                throw damaged("the erasure of a device cannot be read")
            }
            return OngoingErasure(
                device: DeviceKey(key), deviceId: id, fixes: numbers[0], events: numbers[1], rewriting: numbers[2] == 1)
        }
    }

    /// The erasure in steps of a device; nil if there is none.
    package func ongoingErasure(of device: DeviceKey) throws(Problem) -> OngoingErasure? {
        try ongoingErasures().first { $0.device == device }
    }

    /// Whether a device has more than so many positions, or more than so many events.
    ///
    /// - Complexity: O(limit + fixes that are not in order yet).
    package func hasMoreRecords(of device: DeviceKey, than limit: Int) throws(Problem) -> Bool {
        let fixes = try count(
            """
            SELECT count(*) FROM (
                SELECT number FROM fix_order WHERE device = \(device.value)
                UNION ALL SELECT number FROM fix f WHERE \(Self.isUnordered("f")) AND device = \(device.value) LIMIT \(limit + 1))
            """)
        if fixes > limit { return true }
        return try count("SELECT count(*) FROM (SELECT 1 FROM event_by_device WHERE device = \(device.value) LIMIT \(limit + 1))")
            > limit
    }

    /// Takes a step of an erasure: removes some positions of the device, or then some events, the newest ones first. This must be called in a
    /// transaction, after the device's state was written.
    ///
    /// - Parameter limit: The maximum number of positions or events to remove.
    /// - Returns: Whether more than so many are left.
    package func eraseStep(of device: DeviceKey, rewriting: Bool, limit: Int) throws(Problem) -> Bool {
        idsAfter.removeAll()
        try indexAllEvents()
        try prepareFixRemoval()
        var ongoing = try ongoingErasure(of: device) ?? OngoingErasure(device: device, rewriting: rewriting)
        // What is left cannot be evaluated again.
        try addReplayGaps(.positionsRemoved, to: device)
        try attempt { () throws(SQLiteError) in
            let removed = try fixes(of: device, since: .earliest, limit: limit)
            let row = try connection.statement("DELETE FROM fix WHERE number = ?")
            let order = try connection.statement("DELETE FROM fix_order WHERE device = ? AND time = ? AND number = ?")
            for (number, time) in removed {
                row.bind(1, number)
                try row.run()
                order.bind(1, device.value)
                order.bind(2, time)
                order.bind(3, number)
                try order.run()
            }
            ongoing.fixes += removed.count
            if removed.isEmpty { ongoing.events += try eraseEvents(of: device, atMost: limit) }
            let setting = try connection.statement("INSERT OR REPLACE INTO setting VALUES (?, ?)")
            setting.bind(1, Self.ongoingErasureSetting(device))
            setting.bind(2, "\(ongoing.fixes),\(ongoing.events),\(ongoing.rewriting ? 1 : 0)")
            try setting.run()
        }
        return try hasMoreRecords(of: device, than: limit)
    }

    /// Replaces the newest events of a device by those of an erased device.
    ///
    /// - Returns: The number of events.
    func eraseEvents(of device: DeviceKey, atMost limit: Int) throws(SQLiteError) -> Int {
        let stand = try connection.statement(
            """
            INSERT INTO device (id, name, registry, auto_repair, silent_after, removed) VALUES (?1, ?1, 'none', 0, 1, 1)
            ON CONFLICT (id) DO UPDATE SET removed = 1 RETURNING key
            """)
        stand.bind(1, Self.erasedName)
        let erased = try stand.values(Int64.self).first ?? 0
        let newest = try connection.statement(
            "SELECT ifnull(min(sequence), 0) FROM (SELECT sequence FROM event_by_device WHERE device = ? ORDER BY sequence DESC LIMIT ?)"
        )
        newest.bind(1, device.value)
        newest.bind(2, limit)
        guard let first = try newest.value(Int64.self), first > 0 else { return 0 }
        let own = "event_by_device WHERE device = ?1 AND sequence >= ?2"
        var changed = 0
        func run(_ sql: String, with placeholder: Int64? = nil) throws(SQLiteError) {
            let statement = try connection.statement(sql)
            statement.bind(1, device.value)
            statement.bind(2, first)
            if let placeholder { statement.bind(3, placeholder) }
            try statement.run()
            changed = connection.changedRows
        }
        // The rows of the other indexes for these events are replaced by those of erased events.
        for (index, column) in [
            ("event_by_geofence", "geofence"), ("event_by_time", "occurred_at"), ("exit_by_enter", "entered_at"),
        ] {
            try run(
                """
                DELETE FROM \(index) WHERE (\(column), sequence) IN (
                    SELECT e.\(column), e.sequence FROM (SELECT sequence FROM \(own)) o
                    CROSS JOIN event e ON e.sequence = o.sequence)
                """)
        }
        try run("DELETE FROM exit_by_device WHERE device = ?1 AND sequence >= ?2")
        try run("INSERT INTO event_by_time SELECT 0, sequence FROM \(own)")
        try run(
            """
            UPDATE event SET id = 'erased-' || sequence, type = 'erased', device = ?3, geofence = NULL, revision = 0,
            occurred_at = 0, recorded_at = 0, confirmed_at = 0, crossed_at = NULL, cause = 'erased', inferred = 0, fix_time = 0,
            fix_latitude = 0, fix_longitude = 0, fix_accuracy = NULL, entered_at = NULL, enter_cause = NULL, retracts = NULL
            WHERE sequence IN (SELECT sequence FROM \(own))
            """, with: erased)
        let count = changed
        try saveSetting(Self.erasedUpTo, connection.newestSequence())
        try run("UPDATE event_by_device SET device = ?3 WHERE device = ?1 AND sequence >= ?2", with: erased)
        return count
    }
}
