import Geodesy
import Model
import SQLite
import Store

extension PicketStore {
    /// A filter for devices; nil in an optional property means any.
    package struct DeviceFilter: Sendable {
        /// Only devices that are in this geofence.
        package var geofenceId: String?
        /// Only devices whose newest fix lies in this box.
        package var box: BoundingBox?
        package var group: String?
        /// Whether only devices with a registry are returned.
        package var isManaged = false

        package init() {}
    }

    /// The first devices, by id, after an id.
    ///
    /// - Complexity: O(devices in the geofence) with a geofence, else O(devices that are read until the page is full).
    package func devices(_ filter: DeviceFilter, after id: String?, limit: Int) throws(Problem) -> [StoredDevice] {
        if filter.geofenceId != nil || filter.box != nil { try writePendingStates() }
        // The index of states finds the devices of a geofence; the reverse would read all devices.
        var sql =
            filter.geofenceId == nil
            ? "SELECT \(DeviceRow.columns) FROM device WHERE NOT removed"
            : """
            SELECT \(DeviceRow.columns) FROM presence p CROSS JOIN device ON device.key = p.device WHERE NOT removed
            AND p.geofence = (SELECT key FROM geofence WHERE id = ?3 AND to_revision IS NULL) AND p.entered_at IS NOT NULL
            """
        sql += " AND id > ?1"
        if filter.group != nil { sql += " AND EXISTS (SELECT 1 FROM json_each(groups) WHERE value = ?4)" }
        if filter.isManaged { sql += " AND registry <> 'none'" }
        if filter.box != nil {
            sql += """
                 AND EXISTS (SELECT 1 FROM (SELECT ifnull(suspect_latitude, latitude) AS y, ifnull(suspect_longitude, longitude) AS x
                FROM device_state WHERE device = device.key) WHERE y BETWEEN ?5 AND ?6
                AND (x BETWEEN ?7 AND ?8 OR x + 360 BETWEEN ?7 AND ?8 OR x - 360 BETWEEN ?7 AND ?8))
                """
        }
        let row = try attempt { () throws(SQLiteError) in
            try statement(sql + " ORDER BY id LIMIT ?2")
        }
        defer { row.reset() }
        row.bind(1, id ?? "")
        row.bind(2, limit)
        if let geofence = filter.geofenceId { row.bind(3, geofence) }
        if let group = filter.group { row.bind(4, group) }
        if let box = filter.box {
            row.bind(5, box.south)
            row.bind(6, box.north)
            row.bind(7, box.west)
            row.bind(8, box.east)
        }
        var found: [StoredDevice] = []
        while let next = try next(DeviceRow.self, of: row) { found.append(try device(next)) }
        return found
    }

    /// The devices after a number, in the order of their numbers.
    func devices(after key: DeviceKey, limit: Int) throws(Problem) -> [StoredDevice] {
        try rows(
            "SELECT \(DeviceRow.columns) FROM device WHERE key > ? AND NOT removed ORDER BY key LIMIT ?", key.value, limit,
            as: DeviceRow.self
        ).map(device)
    }
}
