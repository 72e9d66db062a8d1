import Model
import SQLite

extension RegionStore {
    /// A visit's place in the order of all: by enter, then by device and geofence.
    public struct VisitPlace: Hashable, Sendable {
        public var enteredAt: Instant
        public var deviceId: String
        public var geofenceId: String

        public init(enteredAt: Instant, deviceId: String, geofenceId: String) {
            self.enteredAt = enteredAt
            self.deviceId = deviceId
            self.geofenceId = geofenceId
        }
    }

    /// Calls `body` with each visit that meets the filter, by the time of its enter: those that ended, and those still open.
    ///
    /// A visit counts as between `since` and `until` when any of it is.
    ///
    /// - Parameter place: Only those after this one.
    public func forEachVisit(
        _ filter: EventFilter = EventFilter(), onlyOpen: Bool = false, after place: VisitPlace? = nil,
        _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) {
        var conditions = ""
        if filter.deviceId != nil { conditions += " AND v.device = (SELECT key FROM device WHERE id = ?1)" }
        if filter.geofenceId != nil { conditions += " AND v.geofence IN (SELECT key FROM geofence WHERE id = ?2)" }
        if filter.until != nil { conditions += " AND v.entered_at < ?4" }
        // The first of these is what an index can answer.
        if place != nil { conditions += " AND v.entered_at >= ?5 AND (v.entered_at, d.id, g.id) > (?5, ?6, ?7)" }
        let since = filter.since == nil ? "" : " AND v.occurred_at >= ?3"
        let direction = filter.limit == nil ? "" : "DESC"
        let limit = (filter.limit ?? filter.pageSize).map { "LIMIT \($0)" } ?? ""

        /// The visits of one table, as many as can be among the first of both.
        func visits(_ table: String, where condition: String, revision: String, exit: String) -> String {
            """
            SELECT * FROM (SELECT d.id AS device_id, g.id AS geofence_id, g.name, v.entered_at, v.enter_cause, \(exit)
            FROM \(table) v JOIN device d ON d.key = v.device
            JOIN geofence g ON g.key = v.geofence AND g.from_revision <= \(revision)
                AND (g.to_revision IS NULL OR g.to_revision > \(revision))
            WHERE \(condition)\(conditions)
            ORDER BY v.entered_at \(direction), d.id \(direction), g.id \(direction) \(limit))
            """
        }
        let open = visits(
            "presence", where: "v.entered_at IS NOT NULL",
            revision: "(SELECT value FROM setting WHERE name = 'fence_revision')", exit: "NULL AS exited_at, NULL AS exit_cause")
        let ended = visits(
            "event", where: "v.type = 'exit' AND \(Self.stands("v"))\(since)", revision: "v.revision",
            exit: "v.occurred_at AS exited_at, v.cause AS exit_cause")
        let sql = """
            SELECT * FROM (\(onlyOpen ? open : ended + " UNION ALL " + open)
            ORDER BY entered_at \(direction), device_id \(direction), geofence_id \(direction) \(limit))
            ORDER BY entered_at, device_id, geofence_id
            """
        let row = try attempt { () throws(SQLiteError) in try connection.freshStatement(sql) }
        if filter.deviceId != nil { row.bind(1, filter.deviceId) }
        if filter.geofenceId != nil { row.bind(2, filter.geofenceId) }
        if let since = filter.since { row.bind(3, since.milliseconds) }
        if let until = filter.until { row.bind(4, until.milliseconds) }
        if let place {
            row.bind(5, place.enteredAt.milliseconds)
            row.bind(6, place.deviceId)
            row.bind(7, place.geofenceId)
        }
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            try body(
                Visit(
                    deviceId: row.text(0), geofenceId: row.text(1), geofenceName: row.text(2),
                    enteredAt: Instant(milliseconds: row.int64(3)),
                    exitedAt: row.optionalInt64(5).map(Instant.init(milliseconds:)),
                    enterCause: Cause(rawValue: row.text(4)) ?? .moved,
                    exitCause: row.optionalText(6).flatMap(Cause.init)))
        }
    }
}
