import DatabaseProblems
import Model
import SQLite

/// With the setting `durability` `normal`, a service sends events before they are synced to disk. A power failure may lose such events, but
/// their numbers must not be used again. Therefore the store records in which boot session of the machine such a service runs. If the store
/// is opened in another boot session and the service had not ended cleanly, a new epoch begins.
extension PicketStore {
    static let unsyncedSetting = "unsynced_in"

    /// Records that commits from now on may not be synced to disk. The record itself is synced when this returns.
    ///
    /// - Parameter boot: An identifier of the current boot session; empty if it is unknown.
    package func beginUnsyncedCommits(boot: String) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try attempt { () throws(SQLiteError) in try saveSetting(Self.unsyncedSetting, text: boot, in: transaction) }
        }
    }

    /// Syncs all commits to disk and removes the record.
    package func endUnsyncedCommits() throws(Problem) {
        try attempt { () throws(SQLiteError) in try connection.execute("PRAGMA synchronous = FULL") }
        // The sync of this commit syncs the whole log.
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            _ = try execute("DELETE FROM setting WHERE name = ?", Self.unsyncedSetting, in: transaction)
        }
    }

    /// Begins a new epoch if a power failure may have lost events that were already sent. This must be called when the store is opened
    /// for writing.
    ///
    /// - Parameter boot: An identifier of the current boot session; empty if it is unknown.
    /// - Returns: Whether a new epoch was begun.
    @discardableResult
    package func renumberAfterPowerCut(boot: String, at now: Instant) throws(Problem) -> Bool {
        guard let noted = try text(ofSetting: Self.unsyncedSetting) else { return false }
        let isSameRun = !noted.isEmpty && noted == boot
        if !isSameRun {
            try transaction { (transaction: borrowing Transaction) throws(Problem) in
                try Problem.catching(at: path) { try connection.beginEpoch(inPlaceOf: nil, at: now) }
            }
        }
        try endUnsyncedCommits()
        return !isSameRun
    }
}
