import Model
import SQLite

extension PicketStore {
    /// The geofences as they were at a revision, ordered by key.
    package func geofences(at revision: Int64) throws(Problem) -> [StoredGeofence] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.uncachedStatement(
                """
                SELECT \(GeofenceRow.columns) FROM geofence
                WHERE from_revision <= ?1 AND (to_revision IS NULL OR to_revision > ?1) ORDER BY key
                """)
        }
        row.bind(1, revision)
        var found: [StoredGeofence] = []
        while let next = try next(GeofenceRow.self, of: row) { found.append(try geofence(next)) }
        return found
    }
}
