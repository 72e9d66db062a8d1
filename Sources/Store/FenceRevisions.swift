import Model
import SQLite

extension RegionStore {
    /// The fences as they were at a revision, by key.
    public func geofences(at revision: Int64) throws(Problem) -> [StoredGeofence] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.freshStatement(
                """
                SELECT \(Self.geofenceColumns) FROM geofence
                WHERE from_revision <= ?1 AND (to_revision IS NULL OR to_revision > ?1) ORDER BY key
                """)
        }
        row.bind(1, revision)
        var found: [StoredGeofence] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) { found.append(try geofence(row)) }
        return found
    }

    /// What changed from one revision of the fences to a later one: fences that are new or different, by key, and those that are gone.
    ///
    /// - Complexity: O(versions of all fences).
    public func fenceChanges(
        after start: Int64, upTo end: Int64
    ) throws(Problem) -> (put: [StoredGeofence], removed: Set<FenceKey>) {
        let (changed, ended) = try attempt { () throws(SQLiteError) in
            (
                try connection.freshStatement(
                    """
                    SELECT \(Self.geofenceColumns) FROM geofence
                    WHERE from_revision > ?1 AND from_revision <= ?2 AND (to_revision IS NULL OR to_revision > ?2) ORDER BY key
                    """),
                try connection.freshStatement("SELECT key FROM geofence WHERE to_revision > ?1 AND to_revision <= ?2")
            )
        }
        for row in [changed, ended] {
            row.bind(1, start)
            row.bind(2, end)
        }
        var put: [StoredGeofence] = []
        while try attempt({ () throws(SQLiteError) in try changed.step() }) { put.append(try geofence(changed)) }
        var removed: Set<FenceKey> = []
        while try attempt({ () throws(SQLiteError) in try ended.step() }) {
            removed.insert(FenceKey(Int32(truncatingIfNeeded: ended.int(0))))
        }
        return (put, removed.subtracting(put.map(\.key)))
    }
}
