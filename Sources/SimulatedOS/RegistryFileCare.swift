import DatabaseProblems
import Model
import SQLite

/// Why the stored state of a phone is unreadable.
struct UnreadablePhone: Error {
    var reason: String
}

extension SimulatedOS {
    /// Reads a phone's state from its stored JSON text.
    init(stored text: String) throws(UnreadablePhone) {
        let json: JSONValue
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(text)
        } catch {
            throw UnreadablePhone(reason: error.reason.description)
        }
        do throws(Problem) {
            self = try SimulatedOS(json: json)
        } catch {
            throw UnreadablePhone(reason: error.message.text(in: .english))
        }
    }
}

extension RegistryFile {
    /// Checks the file at `path` without changing it. Returns descriptions of damaged pages and of phones whose state is unreadable.
    ///
    /// - Parameter count: Is increased by the number of phones.
    package static func findFlaws(path: String, count: inout Int) throws(Problem) -> [String] {
        try Problem.catching(at: path) {
            let connection = try Connection(path: path, access: .read)
            try migrations.check(connection)
            return try flaws(of: connection, count: &count)
        }
    }

    private static func flaws(of connection: Connection, count: inout Int) throws -> [String] {
        let pages = try connection.checkPages(.whole, atMost: 100)
        var found = pages.wrongPages.map(\.description) + pages.structure
        guard found.isEmpty, try connection.schemaVersion() > 0 else { return found }
        let phones = try connection.uncachedStatement("SELECT device, state FROM phone")
        while let (device, state) = try phones.next(String.self, String.self) {
            count += 1
            do throws(UnreadablePhone) {
                _ = try SimulatedOS(stored: state)
            } catch {
                found.append("the phone of \(device): \(error.reason)")
            }
        }
        return found
    }
}

// MARK: - Copies and backups

extension RegistryFile {
    /// Copies all phones of one file into another file that has none.
    ///
    /// - Parameters:
    ///   - source: The path of a registry file; nil if there is none.
    ///   - target: The path of a file that nothing else has open, such as a backup that is being created.
    /// - Returns: The number of phones.
    package static func copyPhones(from source: String?, toNew target: String) throws(Problem) -> Int {
        try Problem.catching(at: source ?? target) {
            let other = try Connection(path: target, access: .exclusive)
            return try other.transaction(failure: { $0 as any Error }) {
                try other.execute("CREATE TABLE phone (device TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID")
                return try source.map { try copyPhones(from: $0, to: other) } ?? 0
            }
        }
    }

    /// Replaces all phones in this file with the phones of a backup, in one transaction.
    ///
    /// - Returns: The number of phones in the backup; nil if the backup contains no phones table, in which case nothing is changed.
    package func restorePhones(from backup: String) throws(Problem) -> Int? {
        try Problem.catching(at: path) {
            guard try Connection(path: backup, access: .read).hasTables("phone") else { return nil }
            return try connection.transaction(failure: { $0 as any Error }) {
                try connection.execute("DELETE FROM phone")
                return try Self.copyPhones(from: backup, to: connection)
            }
        }
    }

    /// The stored state of a device's phone; nil if it has none.
    package static func phone(of device: String, path: String) throws(Problem) -> JSONValue? {
        try Problem.catching(at: path) {
            let connection = try Connection(path: path, access: .read)
            guard try connection.hasTables("phone") else { return nil }
            return try connection.uncachedStatement("SELECT state FROM phone WHERE device = ?", device).value(String.self)
                .map { try JSONParser.parse($0) }
        }
    }

    /// Empties the write-ahead log. With `isWhole`, first rewrites the whole file (`VACUUM`), so that no traces of removed data remain.
    ///
    /// - Parameter isWhole: Whether the file is rewritten.
    /// - Returns: Whether the log is empty. It is not empty while another connection reads an earlier state.
    package func rewrite(isWhole: Bool) throws(Problem) -> Bool {
        try Problem.catching(at: path) {
            if isWhole { try connection.rewriteFile() }
            return try connection.checkpointAndTruncate()
        }
    }

    /// Removes the phones from the copy of a backup, before the copy becomes a store.
    package static func dropPhones(from copy: String) throws(Problem) {
        try Problem.catching(at: copy) { try Connection(path: copy, access: .exclusive).execute("DROP TABLE IF EXISTS phone") }
    }

    private static func copyPhones(from source: String, to target: Connection) throws(SQLiteError) -> Int {
        let connection = try Connection(path: source, access: .read)
        guard try connection.hasTables("phone") else { return 0 }
        let phones = try connection.uncachedStatement("SELECT device, state FROM phone")
        let insert = try target.statement("INSERT INTO phone VALUES (?, ?)")
        var count = 0
        while let (device, state) = try phones.next(String.self, String.self) {
            try insert.run(device, state)
            count += 1
        }
        return count
    }
}
