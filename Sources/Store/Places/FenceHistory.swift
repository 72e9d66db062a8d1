import Model
import SQLite

/// The changes of the geofences in the revisions after a given one.
///
/// The changes are read one revision at a time, so that only the changes of one revision are in memory.
package final class FenceHistory {
    private let store: PicketStore
    private let starts: Statement
    private let ends: Statement
    private var nextStart: StartRow?
    private var nextEnd: EndRow?

    private struct StartRow: Row {
        static let columns = "\(GeofenceRow.columns), from_revision"

        var geofence: GeofenceRow
        var revision: Int64

        init(_ row: inout ColumnReader) {
            geofence = row.next()
            revision = row.next()
        }
    }

    private struct EndRow: Row {
        static let columns = "key, to_revision"

        var key: FenceKey
        var revision: Int64

        init(_ row: inout ColumnReader) {
            key = row.next()
            revision = row.next()
        }
    }

    init(_ store: PicketStore, after revision: Int64) throws(Problem) {
        self.store = store
        // A geofence that was added and removed within one revision never affected an evaluation.
        starts = try store.query(
            """
            SELECT \(StartRow.columns) FROM geofence
            WHERE from_revision > ? AND (to_revision IS NULL OR to_revision > from_revision) ORDER BY from_revision, key
            """, revision)
        ends = try store.query(
            """
            SELECT \(EndRow.columns) FROM geofence
            WHERE to_revision > ? AND to_revision > from_revision ORDER BY to_revision, key
            """, revision)
        nextStart = try store.next(StartRow.self, of: starts)
        nextEnd = try store.next(EndRow.self, of: ends)
    }

    /// The changes of a revision against the previous one: the versions that are new or changed, and the numbers of earlier geofences that
    /// were changed or removed. Revisions must be passed in ascending order.
    package func changes(at revision: Int64) throws(Problem) -> (put: [PicketStore.StoredGeofence], ended: Set<FenceKey>) {
        var put: [PicketStore.StoredGeofence] = []
        var ended: Set<FenceKey> = []
        while let start = nextStart, start.revision <= revision {
            put.append(try store.geofence(start.geofence))
            nextStart = try store.next(StartRow.self, of: starts)
        }
        while let end = nextEnd, end.revision <= revision {
            ended.insert(end.key)
            nextEnd = try store.next(EndRow.self, of: ends)
        }
        return (put, ended)
    }
}
