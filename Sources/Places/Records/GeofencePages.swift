import Geodesy
import Model
import SQLite
import Store

extension PicketStore {
    /// A filter for geofences; nil means any.
    struct GeofenceFilter: Sendable {
        /// A part of the id or of the name, in any case.
        var matching: String?
        /// One of the groups that the geofence applies to.
        var group: String?
    }

    private static let filterConditions = """
        to_revision IS NULL
        AND (?1 IS NULL OR instr(lower(id), lower(?1)) OR instr(lower(name), lower(?1)))
        AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(groups) WHERE value = ?2))
        """

    /// The first geofences, by id, after an id.
    func geofences(
        _ filter: GeofenceFilter, after id: String?, limit: Int
    ) throws(Problem) -> [Geofence] {
        try rows(
            """
            SELECT \(GeofenceRow.columns) FROM geofence INDEXED BY geofence_now WHERE \(Self.filterConditions)
            AND id > ?3 ORDER BY id LIMIT ?4
            """, filter.matching, filter.group, id ?? "", limit, as: GeofenceRow.self
        ).map { row throws(Problem) in try geofence(row).geofence }
    }

    /// The geofence with an id, if it meets the filter.
    func geofence(id: String, _ filter: GeofenceFilter) throws(Problem) -> Geofence? {
        let row = try firstRow(
            "SELECT \(GeofenceRow.columns) FROM geofence WHERE \(Self.filterConditions) AND id = ?3",
            filter.matching, filter.group, id, as: GeofenceRow.self)
        return try row.map { row throws(Problem) in try geofence(row).geofence }
    }

    /// The geofences with a name, ordered by id.
    ///
    /// - Parameter name: The whole name in normal form C, in the same case.
    func geofences(named name: String) throws(Problem) -> [Geofence] {
        try rows(
            """
            SELECT \(GeofenceRow.columns) FROM geofence INDEXED BY geofence_name WHERE name = ? AND to_revision IS NULL
            ORDER BY id
            """, name, as: GeofenceRow.self
        ).map { row throws(Problem) in try geofence(row).geofence }
    }
}
