import Model
import SQLite

extension PicketStore {
    /// Stores the previous settings of a device, and adds an entry to the input log that marks the change.
    ///
    /// - Parameter old: The device before the change.
    func recordSettingsChange(of old: StoredDevice, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try statement(DeviceSettingsRow.insertion, in: transaction)
            row.bind(1, old.key.value)
            row.bind(2, try appendSettings(of: old.key, in: transaction))
            let applied = old.device.applied
            let values =
                DeviceSettingsRow.fields.map { $0.stored(old.device) } + DeviceSettingsRow.defaults.map { $0.stored(applied) }
            for (index, value) in values.enumerated() { row.bind(Int32(index + 3), value) }
            try row.run()
        }
    }

    /// The settings of a device from its first fix on.
    package func settingsHistory(of stored: StoredDevice) throws(Problem) -> DeviceSettingsHistory {
        let periods = try rows(
            "SELECT \(DeviceSettingsRow.columns) FROM device_rules WHERE device = ? ORDER BY change", stored.key.value,
            as: DeviceSettingsRow.self
        ).map { row throws(Problem) in
            var device = stored.device
            // The stored values are those that applied, regardless of their source.
            device.inherited = InheritedDefaults()
            var values = row.values[...]
            try restore(DeviceSettingsRow.fields, of: &device, from: &values)
            try restore(DeviceSettingsRow.defaults, of: &device.own, from: &values)
            return DeviceSettingsHistory.Period(device: device, end: row.number)
        }
        return DeviceSettingsHistory(periods, now: stored.device)
    }

    private struct DeviceSettingsRow: Row {
        static let fields = Device.fields.filter(\.affectsTransitions)
        static let defaults = DeviceDefaults.fields.filter(\.affectsTransitions)
        private static let names = (fields.map(\.column) + defaults.map(\.column)).joined(separator: ", ")
        static let columns = "number, " + names
        static let insertion = """
            INSERT INTO device_rules (device, number, sequence, \(names))
            VALUES (?, ?, (SELECT ifnull(max(sequence), 0) FROM event)\(String(repeating: ", ?", count: fields.count + defaults.count)))
            """

        var number: Int64
        /// Of `fields`, then of `defaults`.
        var values: [StoredValue] = []

        init(_ row: inout ColumnReader) {
            number = row.next()
            for _ in 0..<(Self.fields.count + Self.defaults.count) { values.append(row.next()) }
        }
    }
}
