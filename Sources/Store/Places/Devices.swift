import Model
import SQLite

extension PicketStore {
    /// A device with its number in the store.
    package struct StoredDevice: Sendable {
        package var key: DeviceKey
        package var device: Device

        package init(key: DeviceKey, device: Device) {
            self.key = key
            self.device = device
        }
    }

    /// The devices that belong to a group, ordered by id.
    package func devices(inGroup name: String) throws(Problem) -> [StoredDevice] {
        try rows(
            """
            SELECT \(DeviceRow.columns) FROM device
            WHERE NOT removed AND EXISTS (SELECT 1 FROM json_each(groups) WHERE value = ?) ORDER BY id
            """, name, as: DeviceRow.self
        ).map(device)
    }

    /// All devices, ordered by id.
    package func devices() throws(Problem) -> [StoredDevice] {
        try rows("SELECT \(DeviceRow.columns) FROM device WHERE NOT removed ORDER BY id", as: DeviceRow.self).map(device)
    }

    /// The device with an id; nil if there is none.
    package func device(id: String) throws(Problem) -> StoredDevice? {
        let row = try firstRow("SELECT \(DeviceRow.columns) FROM device WHERE id = ? AND NOT removed", id, as: DeviceRow.self)
        return try row.map(device)
    }

    /// The device with an id, even if it was removed and only its events are left; nil if the id is unknown.
    package func knownDevice(id: String) throws(Problem) -> (stored: StoredDevice, isRemoved: Bool)? {
        let row = try firstRow("SELECT \(KnownDeviceRow.columns) FROM device WHERE id = ?", id, as: KnownDeviceRow.self)
        guard let row else { return nil }
        return (try device(row.device), row.isRemoved)
    }

    private struct KnownDeviceRow: Row {
        static let columns = "\(DeviceRow.columns), removed"

        var device: DeviceRow
        var isRemoved: Bool

        init(_ row: inout ColumnReader) {
            device = row.next()
            isRemoved = row.next()
        }
    }

    /// The device with a number; nil if there is none or it was removed.
    package func device(key: DeviceKey) throws(Problem) -> StoredDevice? {
        let row = try firstRow(
            "SELECT \(DeviceRow.columns) FROM device WHERE key = ? AND NOT removed", key.value, as: DeviceRow.self)
        return try row.map(device)
    }

    package func deviceCount() throws(Problem) -> Int { try count("SELECT count(*) FROM device WHERE NOT removed") }

    /// Saves a device: adds it, or updates the device with this id and records the change of its settings.
    @discardableResult
    package func saveDevice(_ device: Device, in transaction: borrowing Transaction) throws(Problem) -> DeviceKey {
        let known = try self.device(id: device.id)
        if let known, !known.device.hasSameSettings(as: device) { try recordSettingsChange(of: known, in: transaction) }
        if let known, known.device.specificKeepPositions != device.specificKeepPositions {
            try restartTrim(ofKeeping: device.specificKeepPositions, in: transaction)
        }
        return try insertDevice(device, in: transaction)
    }

    /// Writes the row of a device without recording a change of its settings. A device that exists or was removed keeps its number.
    package func insertDevice(_ device: Device, in transaction: borrowing Transaction) throws(Problem) -> DeviceKey {
        try attempt { () throws(SQLiteError) in
            let statement = try statement(DeviceRow.insertion, in: transaction)
            // The default of the settings may change, so the column has only values of the device and its groups.
            var applied = device.applied
            applied.keepPositions = device.specificKeepPositions
            // Most devices inherit nothing. Without JSON, they are read in less time. A built-in value needs JSON only to
            // distinguish it from the same value set for the device itself.
            var notBuiltIn = device.own
            notBuiltIn.removeValues(equalTo: .builtIn)
            let needsJSON = device.inherited != InheritedDefaults() || notBuiltIn != device.own
            let values =
                Device.fields.map { $0.stored(device) } + DeviceDefaults.fields.map { $0.stored(applied) }
                + [needsJSON ? .text(InheritedDefaults.json(of: device).description) : .null]
            statement.bind(values)
            return try statement.values(DeviceKey.self).first ?? DeviceKey(0)
        }
    }

    /// The tables of which a removed device keeps its rows: those of its events and alarms, of the periods in which it was seen, and of earlier
    /// removals.
    private static let keptAfterRemoval: Set = ["device_removal", "seen_span", "alarm", "event_rule"]

    /// The tables whose rows belong to devices, whichever feature owns them, with the columns of their foreign keys. The schema itself is asked,
    /// so the table of a new feature cannot be forgotten, even by an erasure that is completed when the store is opened.
    package func referencesToDevices() throws(Problem) -> [(table: String, column: String)] {
        try rows(
            """
            SELECT m.name, f."from" FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
            WHERE m.type = 'table' AND f."table" = 'device'
            """, as: String.self, String.self)
    }

    /// Removes a device and all that is known about it, except for its events, its number and the periods in which it was seen.
    ///
    /// - Complexity: O(fixes of the device + fixes that are not in order by device and time yet).
    package func remove(_ key: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        try prepareFixRemoval(in: transaction)
        try removePositionsKeepingSeen(of: key, in: transaction)
        for (table, column) in try referencesToDevices() where !Self.keptAfterRemoval.contains(table) {
            try execute("DELETE FROM \(table) WHERE \(column) = ?", key.value, in: transaction)
        }
        try attempt { () throws(SQLiteError) in
            for sql in [
                "DELETE FROM refused_input WHERE device = (SELECT id FROM device WHERE key = ?)",
                "DELETE FROM setting WHERE name = 'restarted_at ' || ?",
                // If the device is added again, its history starts again.
                """
                UPDATE device SET removed = 1, gaps = 0, replay_from = NULL,
                replay_after = (SELECT ifnull(max(sequence), 0) FROM event) WHERE key = ?
                """,
                "INSERT OR IGNORE INTO device_removal SELECT key, replay_after FROM device WHERE key = ?",
            ] {
                let statement = try statement(sql, in: transaction)
                statement.bind(1, key.value)
                try statement.run()
            }
        }
    }

    /// The device of a row.
    package func device(_ row: DeviceRow) throws(Problem) -> StoredDevice {
        var device = Device(id: "")
        var values = row.values[...]
        try restore(Device.fields, of: &device, from: &values)
        try restore(DeviceDefaults.fields, of: &device.own, from: &values)
        let inherited = try row.inherited.map { text throws(Problem) in try json(text) }
        device.inherited = try InheritedDefaults(json: inherited)
        // Without JSON, a built-in value is not the device's own.
        for field in DeviceDefaults.fields where inherited?[field.name] != nil { field.remove(from: &device.own) }
        if inherited == nil { device.own.removeValues(equalTo: .builtIn) }
        return StoredDevice(key: row.key, device: device)
    }

    /// Sets fields of an entity to the values of their columns, and removes these values from the list.
    package func restore<Entity>(
        _ fields: [EntityField<Entity>], of entity: inout Entity, from values: inout ArraySlice<StoredValue>
    ) throws(Problem) {
        for field in fields {
            if !field.restore(&entity, values.removeFirst()) { throw damaged("a value in the column \(field.column)") }
        }
    }
}
