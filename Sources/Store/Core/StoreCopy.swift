import DatabaseProblems
import Model
import SQLite

extension PicketStore {
    /// Copies the store, as of one moment, to a new file and records `now` as the time of the backup there. Writers are not blocked.
    ///
    /// - Parameters:
    ///   - path: A path that no other process uses yet.
    ///   - name: The final name of the file, for problems.
    ///   - progress: Called with the number of copied pages and the number of all pages.
    package func copy(
        to path: String, named name: String, at now: Instant, progress: (Int, Int) -> Void
    ) throws(Problem) {
        try Problem.catching(at: name) {
            let copy = try Connection(path: path, access: .exclusive)
            do throws(SQLiteError) {
                try connection.copy(over: copy, progress: progress)
            } catch {
                throw Problem(error, at: error.isCorrupt ? self.path : name)
            }
            try copy.execute("CREATE TABLE backup (made_at INTEGER NOT NULL); INSERT INTO backup VALUES (\(now.milliseconds))")
            // The copy is exact, so the store itself is damaged.
            if let damage = try copy.checkPages(.quick, atMost: 1).firstDamage { throw damaged(damage) }
        }
    }

    /// Creates a store from a backup: copies the backup to a path that no other process uses yet, and updates its schema.
    ///
    /// - Returns: The time of the backup; nil if the file is a store that was copied by other means.
    /// - Throws: `storeTooNew`, `storeCorrupt` and `unsupportedFormat` about the backup, and problems of reading or writing the files.
    package static func unpack(_ backup: String, to path: String, progress: (Int, Int) -> Void) throws(Problem) -> Instant? {
        let createdAt: Instant? = try Problem.catching(at: backup) {
            let source = try Connection(path: backup, access: .read)
            guard try source.hasTables("setting", "geofence", "device", "fix", "event"), try source.schemaVersion() > 0 else {
                throw Problem.unsupportedFormat(
                    source: .verbatim(backup), found: Phrase("it is the database of another program"),
                    supported: Phrase("files created by 'picket backup'"))
            }
            try Schema.migrations.check(source)
            try source.snapshot(failure: { $0 as any Error }) {
                if let damage = try source.checkPages(.whole, atMost: 1).firstDamage {
                    throw Problem.storeCorrupt(path: backup, details: damage)
                }
            }
            try source.copy(over: Connection(path: path, access: .exclusive), progress: progress)
            return try source.hasTables("backup") ? try source.value(of: "SELECT max(made_at) FROM backup") : nil
        }
        try Problem.catching(at: path) {
            let copy = try Connection(path: path, access: .exclusive)
            try Schema.migrations.run(on: copy)
            try copy.execute("DROP TABLE IF EXISTS backup")
            if !copy.keepsChecksums { try addChecksums(to: path) }
        }
        return createdAt
    }

    /// Rewrites a database without checksums of its pages, such as a backup that another program has rewritten.
    private static func addChecksums(to path: String) throws(SQLiteError) {
        // SQLite writes the first page before the others only with a log.
        let connection = try Connection(path: path, access: .writeExisting)
        try connection.rewriteFile()
        try connection.checkpointAndTruncate()
    }
}
