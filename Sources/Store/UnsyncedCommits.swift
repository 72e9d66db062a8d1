import Model
import SQLite

/// A service with `durability` `normal` tells of events that are not on the disk yet. A power cut may take them, and their numbers must
/// not be given again. So the store notes in which run of the machine such a service works; when it is opened in another run and the
/// service has not ended by itself, a new generation begins.
extension RegionStore {
    static let unsynced = "unsynced_in"

    /// Notes that from now on commits count before they are on the disk. The note itself is on the disk when this returns.
    ///
    /// - Parameter boot: Names the present run of the machine; empty when that is unknown.
    package func beginUnsyncedCommits(boot: String) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT OR REPLACE INTO setting VALUES (?, ?)")
            row.bind(1, Self.unsynced)
            row.bind(2, boot)
            try row.run()
        }
    }

    /// Brings all that was committed to the disk, and removes the note.
    package func endUnsyncedCommits() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            // The sync of this commit is a sync of all that is in the log.
            try connection.execute("PRAGMA synchronous = FULL; DELETE FROM setting WHERE name = '\(Self.unsynced)'")
        }
    }

    /// Begins a new generation if a power cut may have taken events that were told. To be called when the store is opened to write.
    ///
    /// - Returns: Whether it did.
    @discardableResult
    package func renumberAfterPowerCut(boot: String, at now: Instant) throws(Problem) -> Bool {
        let noted = try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT value FROM setting WHERE name = ?")
            row.bind(1, Self.unsynced)
            return try row.value(String.self)
        }
        guard let noted else { return false }
        let isSameRun = !noted.isEmpty && noted == boot
        if !isSameRun {
            try transaction { () throws(Problem) in
                try attemptAny { try connection.beginGeneration(inPlaceOf: nil, at: now) }
            }
        }
        try endUnsyncedCommits()
        return !isSameRun
    }
}
