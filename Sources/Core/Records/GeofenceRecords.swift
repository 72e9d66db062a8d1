import Geodesy
import Model
import SQLite
import Store

extension PicketStore {
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
