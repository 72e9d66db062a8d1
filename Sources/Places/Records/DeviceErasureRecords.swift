import Core
import Model
import SQLite
import Store

// The erasure of a device and all of its records.

extension PicketStore {
    /// What an erasure removed.
    struct ErasedRecords: Sendable {
        var fixes: Int
        var events: Int
        /// The geofences that named the device.
        var geofences: Set<FenceKey>
    }

    /// Erases a device and all data about it.
    ///
    /// The sequence numbers of events stay without gaps: each event of the device is replaced with a row of type `erased` without
    /// device, place and time, which every list skips. A geofence that was limited to several devices stays limited to the
    /// others; a geofence that was limited to this device applies to none.
    ///
    /// - Complexity: O(records of the device + fixes that are not in order by device and time yet).
    func erase(_ device: StoredDevice, in transaction: borrowing Transaction) throws(Problem) -> ErasedRecords {
        let key = device.key.value
        idsAfter.removeAll()
        try indexAllEvents()
        try prepareFixRemoval(in: transaction)
        var fixes = try execute(
            "DELETE FROM fix WHERE number IN (SELECT number FROM fix_order WHERE device = ?)", key, in: transaction)
        fixes += try execute(
            "DELETE FROM fix WHERE number IN (SELECT number FROM fix f WHERE \(Self.isUnordered("f")) AND f.device = ?)", key,
            in: transaction)
        try execute("DELETE FROM fix_order WHERE device = ?", key, in: transaction)
        for (table, column) in try referencesToDevices() {
            try execute("DELETE FROM \(table) WHERE \(column) = ?", key, in: transaction)
        }
        let events = try eraseEvents(of: device.key, atMost: .max, in: transaction)
        // The rows of tokens are kept: a service that has never had a token needs none.
        try execute(
            """
            UPDATE token SET name = 'erased', device = NULL, hash = lower(hex(randomblob(32))), revoked_at = ifnull(revoked_at, made_at)
            WHERE device = ?
            """, device.device.id, in: transaction)
        // A token of several devices stays valid for the others. The empty id in place of the erased one keeps it from becoming a token of
        // one device alone, to which everything would be attributed that the token reports.
        try execute(
            """
            UPDATE token SET devices = (SELECT json_group_array(iif(value = ?1, '', value)) FROM json_each(devices))
            WHERE EXISTS (SELECT 1 FROM json_each(devices) WHERE value = ?1)
            """, device.device.id, in: transaction)
        try execute("UPDATE token SET last_device = NULL WHERE last_device = ?", device.device.id, in: transaction)
        for name in [Self.retractedUpTo(device.key), Self.restartSetting(device.key)] {
            try execute("DELETE FROM setting WHERE name = ?", name, in: transaction)
        }
        for prefix in DeviceProblem.allCases { try removeProblem(ofSource: prefix.source(of: device.device.id), in: transaction) }
        try execute("DELETE FROM refused_input WHERE device = ?", device.device.id, in: transaction)
        try execute("DELETE FROM device WHERE key = ?", key, in: transaction)
        try attempt { () throws(SQLiteError) in try saveSetting(Self.erasedUpTo, newestSequenceOfAll(), in: transaction) }
        return ErasedRecords(fixes: fixes, events: events, geofences: try removeFromGeofences(device.device.id, in: transaction))
    }

    /// Replaces the device in the device lists of geofences with the placeholder.
    ///
    /// - Returns: The changed geofences.
    private func removeFromGeofences(_ id: String, in transaction: borrowing Transaction) throws(Problem) -> Set<FenceKey> {
        // The id is searched as it is written in a JSON list.
        let lists = try rows(
            """
            SELECT key, from_revision, devices FROM geofence INDEXED BY geofence_devices
            WHERE devices IS NOT NULL AND instr(devices, ?)
            """, JSONValue.string(id).description, as: FenceKey.self, Int64.self, String.self)
        for (key, revision, devices) in lists {
            try execute(
                "UPDATE geofence SET devices = ? WHERE key = ? AND from_revision = ?",
                Self.text(try list(devices).map { $0 == id ? Self.erasedName : $0 }), key.value, revision, in: transaction)
        }
        return Set(lists.map(\.0))
    }

    /// An upper bound for the bytes that the transaction of `erase(_:)` writes to the log: a page for each row of a position and of an event
    /// in its table and in each index, but no page of the store twice.
    func erasureBytes(of device: StoredDevice) throws(Problem) -> Int {
        let fixes = try fixCount(of: device.key, before: .earliest).all
        return try min(contentBytes(), 4096 * (2 * fixes + 6 * eventCount(of: device.key) + 64))
    }

    /// The number of events of a device.
    package func eventCount(of device: DeviceKey) throws(Problem) -> Int {
        try indexAllEvents()
        return try count("SELECT count(*) FROM event_by_device WHERE device = ?", device.value)
    }
}
