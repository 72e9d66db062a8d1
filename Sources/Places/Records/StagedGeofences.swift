import Model
import SQLite
import Store

/// The geofences of an import that are not saved yet. An import is staged as a whole before its first geofence is saved, and each part is
/// removed in the transaction that saves it. So an import that is interrupted has either changed nothing, or can be completed.
extension PicketStore {
    /// A geofence that waits to be saved.
    struct StagedGeofence: Sendable {
        /// The position in the import, from 1.
        var number: Int64
        var geofence: Geofence
        /// Whether the geofence is refused if another one has its id.
        var isNewName: Bool
    }

    /// Appends geofences to the staged ones.
    func stage(_ geofences: [StagedGeofence], in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try statement("INSERT INTO staged_geofence (number, geofence, is_new_name) VALUES (?,?,?)", in: transaction)
            for staged in geofences {
                try row.run(staged.number, StoredValue.text(staged.geofence.json.description), staged.isNewName)
            }
        }
    }

    /// Records whether the import is staged as a whole, so that it is completed.
    func setImportStaged(_ isWhole: Bool, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in try saveSetting("staged_import", isWhole ? 1 : 0, in: transaction) }
    }

    /// Whether an import is staged as a whole.
    func isImportStaged() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try setting("staged_import") != 0 }
    }

    /// Whether a geofence is staged.
    func hasStagedGeofences() throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM staged_geofence LIMIT 1")
    }

    /// The first staged geofences, at most `limit`.
    func stagedGeofences(limit: Int) throws(Problem) -> [StagedGeofence] {
        try rows(
            "SELECT number, geofence, is_new_name FROM staged_geofence ORDER BY number LIMIT ?", limit,
            as: Int64.self, String.self, Bool.self
        ).map { number, text, isNewName throws(Problem) in
            let json = try json(text)
            let geofence = try Geofence(json: json, id: json["id"]?.string ?? "")
            return StagedGeofence(number: number, geofence: geofence, isNewName: isNewName)
        }
    }

    /// Removes the staged geofences up to a number.
    func removeStaged(upTo number: Int64, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM staged_geofence WHERE number <= ?", number, in: transaction)
    }
}
