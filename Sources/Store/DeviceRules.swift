import Model
import SQLite

/// The rules by which a device was evaluated over time: its groups, its policy and the time after which it counts as silent.
package struct RulesHistory: Sendable {
    /// Rules that applied until a change.
    struct Period: Sendable {
        /// The device with these rules.
        var device: Device
        /// The number of the entry of the input log that changed these rules.
        var end: Int64
    }

    /// In the order of the input log.
    private let periods: [Period]
    private let now: Device

    init(_ periods: [Period], now: Device) {
        self.periods = periods
        self.now = now
    }

    /// A history without changes: the rules of `device` apply at all times.
    package init(always device: Device) { self.init([], now: device) }

    /// The device with the rules of an index. The oldest rules have the index 0.
    package func device(_ index: Int) -> Device { index < periods.count ? periods[index].device : now }

    /// The index of the rules that applied right before an entry of the input log.
    package func index(before number: Int64) -> Int { periods.firstIndex { number <= $0.end } ?? periods.count }

    /// The device with each of its rules, the oldest first.
    package var devices: [Device] { periods.map(\.device) + [now] }
}

extension RegionStore {
    /// Stores the previous rules of a device, and adds an entry to the input log that marks the change.
    ///
    /// - Parameter old: The device before the change.
    func changeRules(of old: StoredDevice) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                INSERT INTO device_rules (device, number, sequence, groups, policy, silent_after)
                VALUES (?1, ?2, (SELECT ifnull(max(sequence), 0) FROM event), ?3, ?4, ?5)
                """)
            let number = try appendRules(of: old.key)
            row.bind(1, old.key.value)
            row.bind(2, number)
            row.bind(3, Self.text(old.device.groups))
            row.bind(4, old.device.policy.json?.description)
            row.bind(5, old.device.silentAfter)
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
    /// Whether the other device has the same groups, policy and time until silence.
    package func isJudged(as other: Device) -> Bool {
        groups == other.groups && policy == other.policy && silentAfter == other.silentAfter
    }
}
