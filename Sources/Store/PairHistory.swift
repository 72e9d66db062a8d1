import Geodesy
import Model
import SQLite

// What is on record between one device and one geofence.

extension RegionStore {
    /// A geofence as it was for some revisions of the set.
    public struct FenceVersion: Sendable {
        public var key: FenceKey
        public var geofence: Geofence
        /// The first revision with it, and the first without; nil: it still holds.
        public var start: Int64
        public var end: Int64?

        public init(key: FenceKey, geofence: Geofence, start: Int64, end: Int64? = nil) {
            self.key = key
            self.geofence = geofence
            self.start = start
            self.end = end
        }

        public func holds(at revision: Int64) -> Bool { start <= revision && end.map { revision < $0 } ?? true }
    }

    /// All that a geofence of this id has been, in order of revision; empty when there was never one.
    public func fenceVersions(id: String) throws(Problem) -> [FenceVersion] {
        try fenceVersions(where: "id = ?", id, by: "from_revision")
    }

    /// All that some geofences have been, in order of number and revision.
    public func fenceVersions(_ keys: Set<FenceKey>) throws(Problem) -> [FenceVersion] {
        try fenceVersions(
            where: "key IN (SELECT value FROM json_each(?))", Self.list(keys.sorted().map { Int64($0.value) }),
            by: "key, from_revision")
    }

    private func fenceVersions(where condition: String, _ value: String, by order: String) throws(Problem) -> [FenceVersion] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT \(Self.geofenceColumns), from_revision, to_revision FROM geofence WHERE \(condition)
                AND (to_revision IS NULL OR to_revision > from_revision) ORDER BY \(order)
                """)
        }
        defer { row.reset() }
        row.bind(1, value)
        var found: [FenceVersion] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) { found.append(try version(row)) }
        return found
    }

    /// Numbers as a JSON list, for `json_each`.
    static func list(_ numbers: [Int64]) -> String {
        JSONValue.array(numbers.map { .number(String($0)) }).description
    }

    /// Reads the columns of a geofence, and the revisions after them.
    func version(_ row: Statement) throws(Problem) -> FenceVersion {
        let stored = try geofence(row)
        return FenceVersion(
            key: stored.key, geofence: stored.geofence, start: row.int64(Self.geofenceColumnCount),
            end: row.optionalInt64(Self.geofenceColumnCount + 1))
    }
}
