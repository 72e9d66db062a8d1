import Geodesy
import Model
import Monitor
import SQLite

// What a replay of late fixes waits for, reads and writes.

extension RegionStore {
    // MARK: - What waits

    /// Notes that fixes from a moment on wait for a replay.
    public func noteReplay(of device: DeviceKey, from moment: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                "UPDATE device SET replay_from = ?2 WHERE key = ?1 AND ifnull(replay_from, ?2 + 1) > ?2")
            row.bind(1, device.value)
            row.bind(2, moment.milliseconds)
            try row.run()
        }
    }

    /// Notes that nothing after a moment waits any more.
    public func clearReplay(of device: DeviceKey, after moment: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("UPDATE device SET replay_from = NULL WHERE key = ? AND replay_from > ?")
            row.bind(1, device.value)
            row.bind(2, moment.milliseconds)
            try row.run()
        }
    }

    /// The devices with late fixes that wait for a replay, and the earliest of these; by key.
    public func pendingReplays() throws(Problem) -> [(device: DeviceKey, from: Instant)] {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                "SELECT key, replay_from FROM device WHERE replay_from IS NOT NULL AND NOT removed ORDER BY key")
            defer { row.reset() }
            var found: [(device: DeviceKey, from: Instant)] = []
            while try row.step() { found.append((DeviceKey(row.int64(0)), Instant(milliseconds: row.int64(1)))) }
            return found
        }
    }

    /// The earliest late fix of a device that waits for a replay; nil when none does.
    public func pendingReplay(of device: DeviceKey) throws(Problem) -> Instant? {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT replay_from FROM device WHERE key = ?")
            defer { row.reset() }
            row.bind(1, device.value)
            return try row.step() ? row.optionalInt64(0).map(Instant.init(milliseconds:)) : nil
        }
    }

    // MARK: - What is read

    /// What is noted of a device.
    public func replayNotes(of device: DeviceKey) throws(Problem) -> ReplayNotes {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT gaps, replay_after FROM device WHERE key = ?")
            defer { row.reset() }
            row.bind(1, device.value)
            guard try row.step() else { return ReplayNotes(gaps: [], after: 0) }
            return ReplayNotes(gaps: ReplayGaps(rawValue: row.int(0)), after: row.int64(1))
        }
    }

    /// Where a device was after a moment.
    public struct Extent: Sendable {
        public var south, north, west, east: Double
        /// The coarsest accuracy, in metres.
        public var accuracy: Double
        public var fixes: Int

        /// Reaches to another place, too.
        public mutating func take(in place: Coordinate) {
            (south, north) = (min(south, place.latitude), max(north, place.latitude))
            (west, east) = (min(west, place.longitude), max(east, place.longitude))
        }
    }

    /// Where a device was after a moment; nil when it was not heard of.
    public func extent(of device: DeviceKey, after moment: Instant?) throws(Problem) -> Extent? {
        let (rest, order) = unordered
        return try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                SELECT min(latitude), max(latitude), min(longitude), max(longitude), ifnull(max(accuracy), 0), count(*)
                FROM (
                    SELECT latitude, longitude, accuracy FROM fix_order o CROSS JOIN fix f USING (number)
                    WHERE o.device = ?1 AND o.time > ?2 AND \(Self.isJudged("f"))
                    UNION ALL SELECT latitude, longitude, accuracy FROM \(rest) AND \(order).time > ?2
                    AND \(Self.isJudged("f")))
                """)
            defer { row.reset() }
            row.bind(1, device.value)
            row.bind(2, moment?.milliseconds ?? .min)
            guard try row.step(), row.int(5) > 0 else { return nil }
            return Extent(
                south: row.double(0), north: row.double(1), west: row.double(2), east: row.double(3), accuracy: row.double(4),
                fixes: row.int(5))
        }
    }

    /// Calls `body` with the versions of geofences that were judged by at a revision or later.
    ///
    /// - Parameters:
    ///   - latitudes: Circles that lie outside of these are left out; nil for none.
    ///   - known: But not those.
    public func forEachVersion(
        since revision: Int64, latitudes: ClosedRange<Double>?, known: Set<FenceKey>, _ body: (FenceVersion) -> Void
    ) throws(Problem) {
        let row = try attempt { () throws(SQLiteError) in
            try connection.freshStatement(
                """
                SELECT \(Self.geofenceColumns), from_revision, to_revision FROM geofence
                WHERE (to_revision IS NULL OR to_revision > max(from_revision, ?1))
                AND (?2 IS NULL OR radius IS NULL OR latitude BETWEEN ?2 - radius / ?4 AND ?3 + radius / ?4
                    OR key IN (SELECT value FROM json_each(?5)))
                ORDER BY key, from_revision
                """)
        }
        row.bind(1, revision)
        row.bind(2, latitudes?.lowerBound)
        row.bind(3, latitudes?.upperBound)
        row.bind(4, WGS84.shortestDegreeOfLatitude)
        row.bind(5, Self.list(known.sorted().map { Int64($0.value) }))
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            body(try version(row))
        }
    }

    /// The highest number that a geofence has or had; 0 when there is none.
    public func newestGeofenceKey() throws(Problem) -> FenceKey {
        FenceKey(Int32(truncatingIfNeeded: try count("SELECT ifnull(max(key), 0) FROM geofence")))
    }

    /// A geofence as it was at a revision; nil when it was not.
    public func geofence(_ key: FenceKey, at revision: Int64) throws(Problem) -> Geofence? {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT \(Self.geofenceColumns) FROM geofence
                WHERE key = ?1 AND from_revision <= ?2 AND (to_revision IS NULL OR to_revision > ?2)
                """)
        }
        defer { row.reset() }
        row.bind(1, key.value)
        row.bind(2, revision)
        return try attempt({ () throws(SQLiteError) in try row.step() }) ? try geofence(row).geofence : nil
    }

    // MARK: - What is written

    /// Notes that a replay has judged late fixes, by their numbers.
    public func noteReplayed(_ fixes: [Int64]) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            for number in fixes {
                let row = try connection.statement("UPDATE fix SET late = late | 4 WHERE number = ?")
                row.bind(1, number)
                try row.run()
            }
        }
    }

    /// Stores a state that was come to anew, in place of all that was stored of the device's.
    ///
    /// - Parameter applied: The newest input that is in it, by its number.
    public func replace(_ state: inout DeviceState, of device: DeviceKey, applied: Int64) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("DELETE FROM presence WHERE device = ?")
            row.bind(1, device.value)
            try row.run()
        }
        try save(&state, of: device, applied: applied, all: true)
    }
}
