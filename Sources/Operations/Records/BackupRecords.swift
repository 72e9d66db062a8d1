import DatabaseProblems
import Model
import SQLite

// The files of settings in a backup, in a table that the store does not have.

extension BackupSettings {
    /// Writes the files into a backup that nothing else has open.
    func write(toNew backup: String) throws(Problem) {
        try Problem.catching(at: backup) {
            let connection = try Connection(path: backup, access: .exclusive)
            try connection.transaction(failure: { $0 as any Error }) {
                try connection.execute(
                    "CREATE TABLE settings_file (place TEXT PRIMARY KEY, path TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID")
                let insert = try connection.statement("INSERT INTO settings_file VALUES (?, ?, ?)")
                for file in files { try insert.run(file.place.rawValue, file.path, file.text) }
            }
        }
    }

    /// Reads the files in a backup. A backup of an earlier version has none.
    init(inBackup backup: String) throws(Problem) {
        self.init()
        files = try Problem.catching(at: backup) {
            let connection = try Connection(path: backup, access: .read)
            guard try connection.hasTables("settings_file") else { return [] }
            var found: [File] = []
            let rows = try connection.uncachedStatement("SELECT place, path, text FROM settings_file ORDER BY place")
            while let (place, path, text) = try rows.next(String.self, String.self, String.self) {
                // A newer version may know more places.
                guard let place = File.Place(rawValue: place) else { continue }
                found.append(File(place: place, path: path, text: text))
            }
            return found
        }
    }

    /// Removes the files from the copy of a backup, before the copy becomes a store.
    static func drop(from copy: String) throws(Problem) {
        try Problem.catching(at: copy) {
            try Connection(path: copy, access: .exclusive).execute("DROP TABLE IF EXISTS settings_file")
        }
    }
}
