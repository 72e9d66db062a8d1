import Geodesy
import Model
import SQLite

extension RegionStore {
    /// Which devices are wanted; nil means any.
    public struct DeviceFilter: Sendable {
        /// Only those that are in this geofence.
        public var geofenceId: String?
        /// Only those whose newest fix lies in this box.
        public var box: BoundingBox?
        public var group: String?
        /// Only those whose registrations are managed.
        public var isManaged = false

        public init() {}
    }

    /// The first devices by id after one.
    ///
    /// - Complexity: With a geofence, O(devices in it); else O(devices passed over).
    public func devices(_ filter: DeviceFilter, after id: String?, limit: Int) throws(Problem) -> [StoredDevice] {
        // A presence leads to its device, and not the other way round.
        var sql =
            filter.geofenceId == nil
            ? "SELECT \(Self.deviceColumns) FROM device WHERE NOT removed"
            : """
            SELECT \(Self.deviceColumns) FROM presence p CROSS JOIN device ON device.key = p.device WHERE NOT removed
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
            try connection.statement(sql + " ORDER BY id LIMIT ?2")
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
        while try attempt({ () throws(SQLiteError) in try row.step() }) { found.append(try device(row)) }
        return found
    }

    /// Where a device is: its newest fix, and the fences that it is in.
    public func whereabouts(of stored: StoredDevice) throws(Problem) -> Whereabouts {
        try attempt { () throws(SQLiteError) in
            let state = try connection.statement(
                """
                SELECT time, latitude, longitude, accuracy, altitude, speed, course, battery, is_silent, \(Self.heardAt),
                \(Self.suspectColumns) FROM device_state WHERE device = ?
                """)
            defer { state.reset() }
            state.bind(1, stored.key.value)
            let isKnown = try state.step()
            let isDoubted = isKnown && !state.isNull(10)
            let newest = isKnown ? fix(state, from: isDoubted ? 10 : 0) : nil
            let silentSince = isKnown && state.bool(8) ? Instant(milliseconds: state.int64(9)) : nil
            let visit = try connection.statement(
                """
                SELECT g.id, g.name, p.entered_at FROM presence p JOIN geofence g ON g.key = p.geofence AND g.to_revision IS NULL
                WHERE p.device = ? AND p.entered_at IS NOT NULL ORDER BY g.id
                """)
            defer { visit.reset() }
            visit.bind(1, stored.key.value)
            var inside: [(geofenceId: String, geofenceName: String, enteredAt: Instant)] = []
            while try visit.step() {
                inside.append((visit.text(0), visit.text(1), Instant(milliseconds: visit.int64(2))))
            }
            return Whereabouts(
                device: stored.device, newest: newest, isDoubted: isDoubted, inside: inside, silentSince: silentSince)
        }
    }
}
