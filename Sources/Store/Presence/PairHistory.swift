import Model
import SQLite

// The history of one device and one geofence.

extension PicketStore {
    /// A version of a geofence, with the revisions at which it was in effect.
    package struct FenceVersion: Sendable {
        package var key: FenceKey
        package var geofence: Geofence
        /// The first revision with this version, and the first revision without it; nil if the version is still in effect.
        package var start: Int64
        package var end: Int64?

        init(key: FenceKey, geofence: Geofence, start: Int64, end: Int64? = nil) {
            self.key = key
            self.geofence = geofence
            self.start = start
            self.end = end
        }

        /// Whether the version was in effect at a revision.
        package func isInEffect(at revision: Int64) -> Bool { start <= revision && end.map { revision < $0 } ?? true }
    }

    /// All versions of the geofence with an id, in the order of revisions; empty if there was never one.
    package func fenceVersions(id: String) throws(Problem) -> [FenceVersion] {
        try fenceVersions(where: "id = ?", id, by: "from_revision")
    }

    /// All versions of some geofences, ordered by geofence number and revision.
    package func fenceVersions(_ keys: Set<FenceKey>) throws(Problem) -> [FenceVersion] {
        try fenceVersions(
            where: "key IN (SELECT value FROM json_each(?))", Self.jsonList(keys.sorted().map { Int64($0.value) }),
            by: "key, from_revision")
    }

    /// The versions of geofences that began or ended after a revision, ordered by geofence number and revision.
    ///
    /// - Parameter keys: The numbers of the geofences.
    package func fenceVersions(changedAfter revision: Int64, keys: ClosedRange<Int32>) throws(Problem) -> [FenceVersion] {
        try rows(
            """
            SELECT \(FenceVersionRow.columns) FROM geofence WHERE key BETWEEN ?2 AND ?3
            AND (from_revision > ?1 OR to_revision > ?1) AND (to_revision IS NULL OR to_revision > from_revision)
            ORDER BY key, from_revision
            """, revision, keys.lowerBound, keys.upperBound, as: FenceVersionRow.self
        ).map(version)
    }

    private func fenceVersions(where condition: String, _ value: String, by order: String) throws(Problem) -> [FenceVersion] {
        try rows(
            """
            SELECT \(FenceVersionRow.columns) FROM geofence WHERE \(condition)
            AND (to_revision IS NULL OR to_revision > from_revision) ORDER BY \(order)
            """, value, as: FenceVersionRow.self
        ).map(version)
    }

    /// The numbers as a JSON list, for the SQL function `json_each`.
    static func jsonList(_ numbers: [Int64]) -> String {
        JSONValue.array(numbers.map { .number(String($0)) }).description
    }

    func version(_ row: FenceVersionRow) throws(Problem) -> FenceVersion {
        let stored = try geofence(row.geofence)
        return FenceVersion(key: stored.key, geofence: stored.geofence, start: row.start, end: row.end)
    }
}

/// A row of a geofence with its revisions.
struct FenceVersionRow: Row {
    static let columns = "\(GeofenceRow.columns), from_revision, to_revision"

    var geofence: GeofenceRow
    var start: Int64
    var end: Int64?

    init(_ row: inout ColumnReader) {
        geofence = row.next()
        start = row.next()
        end = row.next()
    }
}
