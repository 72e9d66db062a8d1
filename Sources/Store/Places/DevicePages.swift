import Geodesy
import Model
import SQLite

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
        while let next = try next(DeviceRow.self, of: row) { found.append(try device(next)) }
        return found
    }

    /// The status of the first devices, by id, after an id.
    ///
    /// - Parameters:
    ///   - isCounting: Whether visits include for how long the device was seen in their geofences.
    ///   - now: The current time.
    package func statuses(
        _ filter: DeviceFilter, after id: String?, limit: Int, counting isCounting: Bool, at now: Instant
    ) throws(Problem) -> [DeviceStatus] {
        try writePendingStates()
        let sightings = isCounting ? try Sightings(self) : nil
        return try devices(filter, after: id, limit: limit).map { stored throws(Problem) in
            try status(of: stored, at: now, sightings: sightings)
        }
    }

    /// The status of a device: its newest fix and the geofences that it is in.
    ///
    /// - Parameters:
    ///   - isCounting: Whether visits include for how long the device was seen in their geofences.
    ///   - now: The current time.
    package func status(of stored: StoredDevice, counting isCounting: Bool, at now: Instant) throws(Problem) -> DeviceStatus {
        try writePendingStates(of: stored.key)
        return try status(of: stored, at: now, sightings: isCounting ? try Sightings(self, of: stored.key) : nil)
    }

    /// The status of a device: its newest fix and the geofences that it is in.
    ///
    /// - Parameter sightings: Used to compute for how long the device was seen in these geofences; nil to leave that out.
    func status(of stored: StoredDevice, at now: Instant, sightings: Sightings?) throws(Problem) -> DeviceStatus {
        var whereabouts = try storedStatus(of: stored, at: now)
        guard let sightings, !whereabouts.inside.isEmpty else { return whereabouts }
        let subject = Sightings.SightedDevice(key: stored.key, silentAfter: stored.device.silentAfter)
        for index in whereabouts.inside.indices {
            try complete(&whereabouts.inside[index], of: subject, sightings: sightings, at: now)
        }
        return whereabouts
    }

    /// The status of a device from its stored state alone, without the times for which it was seen.
    private func storedStatus(of stored: StoredDevice, at now: Instant) throws(Problem) -> DeviceStatus {
        let unevaluated = try unevaluatedPositions(of: stored.key)
        let state = try firstRow(
            "SELECT \(LastHeardRow.columns) FROM device_state WHERE device = ?", stored.key.value, as: LastHeardRow.self)
        guard let state else { return DeviceStatus(device: stored.device, newest: nil, inside: [], unevaluated: unevaluated) }
        var whereabouts = DeviceStatus(
            device: stored.device, newest: state.suspect ?? state.believed, isOutlierCandidate: state.suspect != nil,
            newestTrusted: state.believed, inside: [], silentSince: state.isSilent ? state.heardAt : nil,
            unevaluated: unevaluated)
        let visits = try rows(
            """
            SELECT g.id, g.name, p.entered_at, p.enter_cause
            FROM presence p JOIN geofence g ON g.key = p.geofence AND g.to_revision IS NULL
            WHERE p.device = ? AND p.entered_at IS NOT NULL ORDER BY g.id
            """, stored.key.value, as: String.self, String.self, Instant.self, String.self)
        for (geofenceId, geofenceName, enteredAt, cause) in visits {
            var visit = Visit(
                deviceId: stored.device.id, geofenceId: geofenceId, geofenceName: geofenceName, enteredAt: enteredAt,
                exitedAt: nil, enterCause: Cause(rawValue: cause) ?? .moved, exitCause: nil,
                lastSeenAt: state.seenAt >= enteredAt ? state.seenAt : nil)
            visit.updateNotSeenSince(silentAfter: stored.device.silentAfter, at: now)
            whereabouts.inside.append(visit)
        }
        return whereabouts
    }

    /// The columns of a stored state from which a device's status is made.
    private struct LastHeardRow: Row {
        static let columns = """
            \(Fix.columns), is_silent, \(PicketStore.heardAtExpression), \(Fix.columns(after: "suspect_")), \(PicketStore.seenAtExpression)
            """

        var believed: Fix
        var isSilent: Bool
        var heardAt: Instant
        var suspect: Fix?
        var seenAt: Instant

        init(_ row: inout ColumnReader) {
            believed = row.next()
            isSilent = row.next()
            heardAt = row.next()
            suspect = row.nextUnlessNull()
            seenAt = row.next()
        }
    }
}
