import Geodesy
import Model
import SQLite
import Store

extension PicketStore {
    /// A filter for geofences; nil means any.
    package struct GeofenceFilter: Sendable {
        /// A part of the id or of the name, in any case.
        var matching: String?
        /// One of the groups that the geofence applies to.
        var group: String?

        package init(matching: String?, group: String?) {
            self.matching = matching
            self.group = group
        }
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
    package func geofence(id: String, _ filter: GeofenceFilter) throws(Problem) -> Geofence? {
        let row = try firstRow(
            "SELECT \(GeofenceRow.columns) FROM geofence WHERE \(Self.filterConditions) AND id = ?3",
            filter.matching, filter.group, id, as: GeofenceRow.self)
        return try row.map { row throws(Problem) in try geofence(row).geofence }
    }

    /// Calls `body` with the id and shape of each geofence, ordered by id.
    func forEachShape(_ body: (String, Shape) -> Void) throws(Problem) {
        let row = try query(
            """
            SELECT \(IdentifiedShapeRow.columns) FROM geofence INDEXED BY geofence_now
            WHERE to_revision IS NULL ORDER BY id
            """)
        while let next = try next(IdentifiedShapeRow.self, of: row) { body(next.id, try shape(next.shape)) }
    }

    private struct IdentifiedShapeRow: Row {
        static let columns = "id, \(ShapeRow.columns)"

        var id: String
        var shape: ShapeRow

        init(_ row: inout ColumnReader) {
            id = row.next()
            shape = row.next()
        }
    }

    /// Ids of geofences to compare with a misspelled id: all ids, or those with a common beginning if there are many.
    package func geofenceIDs(like id: String) throws(Problem) -> [String] {
        try ids(like: id, in: "geofence INDEXED BY geofence_now WHERE to_revision IS NULL")
    }

    /// Ids of devices to compare with a misspelled id: all ids, or those with a common beginning if there are many.
    func deviceIDs(like id: String) throws(Problem) -> [String] { try ids(like: id, in: "device WHERE NOT removed") }

    private func ids(like id: String, in table: String) throws(Problem) -> [String] {
        // Comparing 100,000 ids would take as long as a thousand requests.
        let most = 2000
        func first(_ prefix: String) throws(Problem) -> [String] {
            try values(
                "SELECT id FROM \(table) AND id >= ?1 AND id < ?1 || ?2 ORDER BY id LIMIT ?3", prefix, "\u{10FFFF}", most,
                as: String.self)
        }
        let all = try first("")
        return all.count < most ? all : try first(String(id.prefix(max(1, id.count - 2))))
    }
}
