import Geodesy
import Model
import Presence
import SQLite
import Store

// What a diagnosis of an installation reads from the store.

extension PicketStore {
    /// The unusable input of all devices since a moment, the newest first.
    func refusedInput(since start: Instant, limit: Int) throws(Problem) -> [RefusedInput] {
        try rows(
            """
            SELECT \(RefusedInput.columns) FROM refused_input WHERE last_at >= ? ORDER BY last_at DESC, device, kind, field LIMIT ?
            """, start.milliseconds, limit, as: RefusedInput.self)
    }

    /// The number of the newest stored fixes whose time is not before a moment, and the earliest of their times.
    ///
    /// - Parameter limit: The number of fixes that are read.
    func recentFixes(since start: Instant, limit: Int) throws(Problem) -> (count: Int, earliest: Instant?) {
        try firstRow(
            "SELECT count(*), min(time) FROM (SELECT time FROM fix ORDER BY number DESC LIMIT ?) WHERE time >= ?", limit,
            start.milliseconds, as: Int.self, Instant?.self) ?? (0, nil)
    }

    /// The active geofences without any event, each with the time of the first fix that was stored after its last edit. The time is nil if
    /// there is no such fix.
    ///
    /// - Complexity: O(events).
    func geofencesWithoutEvents() throws(Problem) -> [(geofence: Geofence, firstFix: Instant?)] {
        var keys: [Int64: Instant?] = [:]
        try attempt { () throws(SQLiteError) in
            let row = try uncachedStatement(
                """
                WITH met AS MATERIALIZED (SELECT DISTINCT geofence FROM event)
                SELECT g.key, (SELECT time FROM fix WHERE number > r.number ORDER BY number LIMIT 1)
                FROM geofence g LEFT JOIN fence_revision r ON r.revision = g.from_revision
                WHERE g.to_revision IS NULL AND g.active AND g.key NOT IN (SELECT geofence FROM met WHERE geofence IS NOT NULL)
                """)
            while let (key, time) = try row.next(Int64.self, Instant?.self) { keys[key] = .some(time) }
        }
        if keys.isEmpty { return [] }
        return try geofences().compactMap { stored in
            keys[Int64(stored.key.value)].map { (stored.geofence, $0) }
        }
    }

    /// Calls `body` with the place of each stored fix, until it returns false.
    func forEachPlace(_ body: (Coordinate) -> Bool) throws(Problem) {
        let row = try query("SELECT \(Coordinate.columns) FROM fix")
        while let place = try next(Coordinate.self, of: row), body(place) {}
    }

    /// The newest `status` message of a device's OwnTracks app; nil if it has sent none.
    func newestStatusMessage(of device: DeviceKey) throws(Problem) -> JSONValue? {
        let text = try firstValue(
            """
            SELECT body FROM evidence WHERE device = ? AND json_extract(body, '$._type') = 'status' ORDER BY at DESC LIMIT 1
            """, device.value, as: String.self)
        return try text.map { text throws(Problem) in try json(text) }
    }

    /// The monitoring mode in the newest fix of each device that has one among the newest stored fixes; see `OwnTracksMode`.
    ///
    /// - Parameter limit: The number of fixes that are read.
    func newestMonitoringModes(limit: Int) throws(Problem) -> [DeviceKey: Int] {
        var modes: [DeviceKey: Int] = [:]
        let row = try query(
            """
            SELECT device, json_extract(attributes, '$.m')
            FROM (SELECT device, attributes, number FROM fix ORDER BY number DESC LIMIT ?)
            WHERE attributes IS NOT NULL AND json_type(attributes, '$.m') = 'integer' ORDER BY number DESC
            """, limit)
        while let (device, mode) = try next(DeviceKey.self, Int.self, of: row) {
            if modes[device] == nil { modes[device] = mode }
        }
        return modes
    }

    /// The time of the remaining fix that was stored first; nil without fixes.
    func oldestFixTime() throws(Problem) -> Instant? {
        try firstValue("SELECT time FROM fix ORDER BY number LIMIT 1", as: Instant.self)
    }
}
