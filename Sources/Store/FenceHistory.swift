import Geodesy
import Model
import Monitor
import SQLite

/// The fences of every revision after one: each call gives what one revision changed.
///
/// It reads on as it is asked, so that no more than the changes of one revision is in memory.
package final class FenceHistory {
    private let store: RegionStore
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

    init(_ store: RegionStore, after revision: Int64) throws(Problem) {
        self.store = store
        // What came and went in one revision was never judged by.
        (starts, ends) = try store.attempt { () throws(SQLiteError) in
            (
                try store.connection.freshStatement(
                    """
                    SELECT \(StartRow.columns) FROM geofence
                    WHERE from_revision > ? AND (to_revision IS NULL OR to_revision > from_revision) ORDER BY from_revision, key
                    """),
                try store.connection.freshStatement(
                    """
                    SELECT \(EndRow.columns) FROM geofence
                    WHERE to_revision > ? AND to_revision > from_revision ORDER BY to_revision, key
                    """)
            )
        }
        for statement in [starts, ends] { statement.bind(1, revision) }
        nextStart = try store.next(StartRow.self, of: starts)
        nextEnd = try store.next(EndRow.self, of: ends)
    }

    /// What a revision made of the fences of the one before: fences that are new or different, and those that were there before
    /// and are different or gone. To be asked in order of revision.
    package func changes(at revision: Int64) throws(Problem) -> (put: [RegionStore.StoredGeofence], ended: Set<FenceKey>) {
        var put: [RegionStore.StoredGeofence] = []
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
