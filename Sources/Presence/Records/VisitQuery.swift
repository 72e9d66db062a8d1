import Model
import SQLite
import Store

/// The SQL query for visits.
struct VisitQuery {
    let sql: String
    private let filter: PicketStore.EventFilter
    private let place: PicketStore.VisitPosition?

    /// - Parameters:
    ///   - place: Return only visits after this one in the requested order.
    ///   - isNewestFirst: Whether the visits are ordered from the newest enter to the oldest.
    init(
        _ filter: PicketStore.EventFilter, onlyOpen: Bool, after place: PicketStore.VisitPosition? = nil,
        isNewestFirst: Bool = false
    ) {
        self.filter = filter
        self.place = place
        var conditions = ""
        if filter.deviceId != nil { conditions += " AND v.device = (SELECT key FROM device WHERE id = ?1)" }
        let geofences = PicketStore.geofenceKeys(ofIdsIn: "?2")
        if !filter.geofenceIds.isEmpty { conditions += " AND v.geofence IN \(geofences)" }
        if !filter.excludedGeofenceIds.isEmpty {
            conditions += " AND v.geofence NOT IN \(PicketStore.geofenceKeys(ofIdsIn: "?8"))"
        }
        if filter.until != nil { conditions += " AND v.entered_at < ?4" }
        // The index serves the first of these two conditions, but not the second one.
        if place != nil {
            let follows = isNewestFirst ? "<" : ">"
            conditions += " AND v.entered_at \(follows)= ?5 AND (v.entered_at, d.id, g.id) \(follows) (?5, ?6, ?7)"
        }
        let since = filter.since == nil ? "" : " AND v.occurred_at >= ?3"
        let direction = filter.limit == nil && !isNewestFirst ? "" : "DESC"
        let order = isNewestFirst ? "DESC" : ""
        let limit = (filter.limit ?? filter.pageSize).map { "LIMIT \($0)" } ?? ""

        /// The query for the visits of one table. With a limit, each table's query has this limit, because the first visits of both may
        /// come from one table.
        func visits(
            _ table: String, where condition: String, revision: String, exit: String, by enteredAt: String = "v.entered_at"
        ) -> String {
            """
            SELECT * FROM (SELECT \(VisitRow.selection(exit: exit))
            FROM \(table) v JOIN device d ON d.key = v.device
            JOIN geofence g ON g.key = v.geofence AND g.from_revision <= \(revision)
                AND (g.to_revision IS NULL OR g.to_revision > \(revision))
            WHERE \(condition)\(conditions.replacing("v.entered_at", with: enteredAt))
            ORDER BY \(enteredAt) \(direction), d.id \(direction), g.id \(direction) \(limit))
            """
        }
        let open = visits(
            "presence", where: "v.entered_at IS NOT NULL",
            revision: "(SELECT value FROM setting WHERE name = 'fence_revision')", exit: "NULL AS exited_at, NULL AS exit_cause")
        // SQLite reads the table to the left of a cross join first.
        let (index, condition) =
            filter.deviceId != nil
            ? ("event_by_device", "o.device = (SELECT key FROM device WHERE id = ?1)")
            : filter.geofenceIds.isEmpty
                ? ("exit_by_enter", "true") : ("event_by_geofence", "o.geofence IN \(geofences)")
        let ended = visits(
            "\(index) o CROSS JOIN event",
            where: "v.sequence = o.sequence AND \(condition) AND v.type = 'exit' AND \(PicketStore.isNotRetracted("v"))\(since)",
            revision: "v.revision",
            exit: "v.occurred_at AS exited_at, v.cause AS exit_cause",
            by: index == "exit_by_enter" ? "o.entered_at" : "v.entered_at")
        sql = """
            SELECT * FROM (\(onlyOpen ? open : ended + " UNION ALL " + open)
            ORDER BY entered_at \(direction), device_id \(direction), geofence_id \(direction) \(limit))
            ORDER BY entered_at \(order), device_id \(order), geofence_id \(order)
            """
    }

    func bind(to row: Statement) {
        if filter.deviceId != nil { row.bind(1, filter.deviceId) }
        if !filter.geofenceIds.isEmpty { row.bind(2, PicketStore.list(filter.geofenceIds)) }
        if !filter.excludedGeofenceIds.isEmpty { row.bind(8, PicketStore.list(filter.excludedGeofenceIds)) }
        if let since = filter.since { row.bind(3, since.milliseconds) }
        if let until = filter.until { row.bind(4, until.milliseconds) }
        if let place {
            row.bind(5, place.enteredAt.milliseconds)
            row.bind(6, place.deviceId)
            row.bind(7, place.geofenceId)
        }
    }
}

/// A row of a visit, with the values of its device that `Sightings` needs.
struct VisitRow: Row {
    static let columns = selection(exit: "exited_at, exit_cause")

    /// The columns of a visit from a table `v` of enters, its device `d` and its geofence `g`.
    ///
    /// - Parameter exit: The columns of the time and the cause of the exit.
    static func selection(exit: String) -> String {
        """
        d.id AS device_id, g.id AS geofence_id, g.name, v.entered_at, v.enter_cause, \(exit), d.key, d.silent_after
        """
    }

    var visit: Visit
    var sightedDevice: Sightings.SightedDevice

    init(_ row: inout ColumnReader) {
        let (deviceId, geofenceId, geofenceName): (String, String, String) = (row.next(), row.next(), row.next())
        let enteredAt: Instant = row.next()
        let enterCause = Cause(rawValue: row.next()) ?? .moved
        visit = Visit(
            deviceId: deviceId, geofenceId: geofenceId, geofenceName: geofenceName, enteredAt: enteredAt, exitedAt: row.next(),
            enterCause: enterCause, exitCause: row.next(String?.self).flatMap(Cause.init))
        sightedDevice = Sightings.SightedDevice(key: row.next(), silentAfter: row.next())
    }
}
