import Model
import SQLite
import Store

extension PicketStore {
    /// The removed geofences with the ids of active ones: the same area was removed and created again.
    func replacedGeofences() throws(Problem) -> [FenceKey] {
        try values(
            """
            SELECT DISTINCT old.key FROM geofence old JOIN geofence new ON new.id = old.id AND new.key <> old.key
            WHERE new.to_revision IS NULL AND new.active
            """, as: FenceKey.self)
    }
}
