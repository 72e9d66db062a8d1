import Model
import SQLite

/// The geofences of an import that are not saved yet. An import is staged as a whole before its first geofence is saved, and each part is
/// removed in the transaction that saves it. So an import that is interrupted has either changed nothing, or can be completed.
extension PicketStore {
    /// A geofence that waits to be saved.
    package struct StagedGeofence: Sendable {
        /// The position in the import, from 1.
        package var number: Int64
        package var geofence: Geofence
        /// Whether the geofence is refused if another one has its id.
        package var isNewName: Bool

        package init(number: Int64, geofence: Geofence, isNewName: Bool) {
            self.number = number
            self.geofence = geofence
            self.isNewName = isNewName
        }
    }

    private struct StagedRow: Row {
        static let columns = "number, geofence, is_new_name"

        var number: Int64
        var geofence: String
        var isNewName: Bool

        init(_ row: inout ColumnReader) {
            number = row.next()
            geofence = row.next()
            isNewName = row.next()
        }
    }

    /// Appends geofences to the staged ones.
    package func stage(_ geofences: [StagedGeofence]) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT INTO staged_geofence (number, geofence, is_new_name) VALUES (?,?,?)")
            for staged in geofences {
                row.bind(1, staged.number)
                row.bind(2, exact: staged.geofence.json.description)
                row.bind(3, staged.isNewName)
                try row.run()
            }
        }
    }

    /// Records whether the import is staged as a whole, so that it is completed.
    package func setImportStaged(_ isWhole: Bool) throws(Problem) {
        try attempt { () throws(SQLiteError) in try saveSetting("staged_import", isWhole ? 1 : 0) }
    }

    /// Whether an import is staged as a whole.
    package func isImportStaged() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try setting("staged_import") != 0 }
    }

    /// Whether a geofence is staged.
    package func hasStagedGeofences() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try connection.statement("SELECT 1 FROM staged_geofence LIMIT 1").hasRow() }
    }

    /// The first staged geofences, at most `limit`.
    package func stagedGeofences(limit: Int) throws(Problem) -> [StagedGeofence] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement("SELECT \(StagedRow.columns) FROM staged_geofence ORDER BY number LIMIT ?")
        }
        defer { row.reset() }
        row.bind(1, limit)
        var found: [StagedGeofence] = []
        while let next = try next(StagedRow.self, of: row) {
            let value = try json(next.geofence)
            let geofence = try Geofence(json: value, id: value["id"]?.string ?? "")
            found.append(.init(number: next.number, geofence: geofence, isNewName: next.isNewName))
        }
        return found
    }

    /// Removes the staged geofences up to a number.
    package func removeStaged(upTo number: Int64) throws(Problem) {
        try execute("DELETE FROM staged_geofence WHERE number <= ?", number)
    }
}
