import Model
import SQLite

extension RegionStore {
    /// Stores the previous rules of a device, and adds an entry to the input log that marks the change.
    ///
    /// - Parameter old: The device before the change.
    func recordRulesChange(of old: StoredDevice) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                INSERT INTO device_rules (device, number, sequence, groups, policy, silent_after, quiet_hours)
                VALUES (?1, ?2, (SELECT ifnull(max(sequence), 0) FROM event), ?3, ?4, ?5, ?6)
                """)
            let number = try appendRules(of: old.key)
            row.bind(1, old.key.value)
            row.bind(2, number)
            row.bind(3, Self.text(old.device.groups))
            row.bind(4, old.device.policy.json?.description)
            row.bind(5, old.device.silentAfter)
            row.bind(6, old.device.quietHours.isEmpty ? nil : Self.json(old.device.quietHours))
            try row.run()
        }
    }

    /// The rules of a device from its first fix on.
    package func rules(of stored: StoredDevice) throws(Problem) -> RulesHistory {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                "SELECT \(DeviceRulesRow.columns) FROM device_rules WHERE device = ? ORDER BY change")
        }
        defer { row.reset() }
        row.bind(1, stored.key.value)
        var periods: [RulesHistory.Period] = []
        while let next = try next(DeviceRulesRow.self, of: row) {
            var device = stored.device
            // The stored values are those that applied, whatever their source was.
            device.inherited = InheritedDefaults()
            device.groups = try list(next.groups)
            device.policy = try policy(next.policy)
            device.silentAfter = next.silentAfter
            periods.append(.init(device: device, end: next.number))
        }
        return RulesHistory(periods, now: stored.device)
    }

    private struct DeviceRulesRow: Row {
        static let columns = "number, groups, policy, silent_after"

        var number: Int64
        /// A JSON list; `policy` is a JSON object.
        var groups: String?
        var policy: String?
        var silentAfter: Double

        init(_ row: inout ColumnReader) {
            number = row.next()
            groups = row.next()
            policy = row.next()
            silentAfter = row.next()
        }
    }
}

extension Device {
    /// Whether the other device has the same groups, policy, time until silence and quiet hours.
    package func hasSameRules(as other: Device) -> Bool {
        groups == other.groups && policy == other.policy && silentAfter == other.silentAfter
            && quietHours == other.quietHours
    }
}
