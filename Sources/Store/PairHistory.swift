import Geodesy
import Model
import SQLite

// What is on record between one device and one geofence.

extension RegionStore {
    /// A geofence as it was for some revisions of the set.
    public struct FenceVersion: Sendable {
        public var key: FenceKey
        public var geofence: Geofence
        /// The first revision with it, and the first without; nil: it still holds.
        public var start: Int64
        public var end: Int64?

        public init(key: FenceKey, geofence: Geofence, start: Int64, end: Int64? = nil) {
            self.key = key
            self.geofence = geofence
            self.start = start
            self.end = end
        }

        public func holds(at revision: Int64) -> Bool { start <= revision && end.map { revision < $0 } ?? true }
    }

    /// All that a geofence of this id has been, in order of revision; empty when there was never one.
    public func fenceVersions(id: String) throws(Problem) -> [FenceVersion] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT \(Self.geofenceColumns), from_revision, to_revision FROM geofence WHERE id = ?
                AND (to_revision IS NULL OR to_revision > from_revision) ORDER BY from_revision
                """)
        }
        defer { row.reset() }
        row.bind(1, id)
        var found: [FenceVersion] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            found.append(try version(row))
        }
        return found
    }

    /// Reads the columns of a geofence, and the revisions after them.
    func version(_ row: Statement) throws(Problem) -> FenceVersion {
        let stored = try geofence(row)
        return FenceVersion(
            key: stored.key, geofence: stored.geofence, start: row.int64(Self.geofenceColumnCount),
            end: row.optionalInt64(Self.geofenceColumnCount + 1))
    }

    /// What a phone itself said of a geofence and made an event of.
    public struct Report: Sendable {
        public var at: Instant
        public var isInside: Bool
        /// Of the fences then.
        public var revision: Int64
        /// The device's newest fix then.
        public var fixTime: Instant
        public var place: Coordinate
    }

    /// The reports of a device's present life that made events at a geofence, in order.
    public func reports(of device: DeviceKey, geofenceId: String) throws(Problem) -> [Report] {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                SELECT occurred_at, type = 'enter', revision, fix_time, fix_latitude, fix_longitude FROM event
                WHERE device = ?1 AND geofence IN (SELECT key FROM geofence WHERE id = ?2) AND cause = 'reconciled'
                AND sequence > (SELECT replay_after FROM device WHERE key = ?1) ORDER BY sequence
                """)
            defer { row.reset() }
            row.bind(1, device.value)
            row.bind(2, geofenceId)
            var found: [Report] = []
            while try row.step() {
                found.append(
                    Report(
                        at: Instant(milliseconds: row.int64(0)), isInside: row.bool(1), revision: row.int64(2),
                        fixTime: Instant(milliseconds: row.int64(3)),
                        place: Coordinate(latitude: row.double(4), longitude: row.double(5))))
            }
            return found
        }
    }

    /// Whether something between a device and a geofence was sure at just that moment.
    public func hasDecision(of device: DeviceKey, _ fence: FenceKey, confirmedAt moment: Instant) throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                "SELECT 1 FROM event WHERE device = ? AND geofence = ? AND confirmed_at = ? AND type <> 'retracted' LIMIT 1")
            defer { row.reset() }
            row.bind(1, device.value)
            row.bind(2, fence.value)
            row.bind(3, moment.milliseconds)
            return try row.step()
        }
    }
}
