import Model

extension PicketStore {
    /// The geofences as they were at a revision, ordered by key.
    package func geofences(at revision: Int64) throws(Problem) -> [StoredGeofence] {
        try rows(
            """
            SELECT \(GeofenceRow.columns) FROM geofence
            WHERE from_revision <= ?1 AND (to_revision IS NULL OR to_revision > ?1) ORDER BY key
            """, revision, as: GeofenceRow.self
        ).map(geofence)
    }
}
