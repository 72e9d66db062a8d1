/// Brings the schema of a database up to date. All missing steps run in one transaction, so a failed step leaves the database unchanged.
package struct Migrations: Sendable {
    /// An error of a migration, with the version that the database has kept.
    package enum Failure: Error {
        case tooNew(version: Int, supported: Int)
        case failed(version: Int, SQLiteError)
    }

    private let steps: [String]

    /// - Parameter steps: The SQL that leads from version 0 to 1, from 1 to 2, and so on. A released step is never changed.
    package init(_ steps: [String]) { self.steps = steps }

    /// The version after all steps.
    package var newest: Int { steps.count }

    /// Runs the steps that the database lacks, up to `version`.
    ///
    /// - Parameters:
    ///   - version: The target version; nil for `newest`. A database that is newer than `version` is left as it is.
    ///   - keepingCopy: Whether the unchanged database is copied first, as `name.v2.bak` beside it for a database of version 2. Copies of
    ///     earlier versions are removed afterwards. A new database is not copied.
    /// - Returns: The path of the copy; nil if none was made.
    /// - Throws: `Failure.tooNew` if the database has a newer version than these steps, or `Failure.failed` if a step or the copy failed.
    @discardableResult
    package func run(
        on connection: Connection, upTo version: Int? = nil, keepingCopy: Bool = false
    ) throws(Failure) -> String? {
        let present = try check(connection)
        let target = max(present, version ?? newest)
        guard present < target else { return nil }
        do {
            let copy = keepingCopy && present > 0 ? copyPath(of: connection, present) : nil
            if let copy { try connection.copy(toNew: copy) }
            try connection.transaction(failure: { $0 }) { () throws(SQLiteError) in
                // Another process may have run the steps since the version was read.
                guard try connection.schemaVersion() == present else { return }
                for step in steps[present..<target] { try connection.execute(step) }
                try connection.execute("PRAGMA user_version = \(target)")
            }
            // Only the newest copy is kept.
            if copy != nil { for old in 1..<present { DatabaseFile.remove(copyPath(of: connection, old)) } }
            return copy
        } catch {
            throw .failed(version: present, error)
        }
    }

    private func copyPath(of connection: Connection, _ version: Int) -> String { "\(connection.path).v\(version).bak" }

    /// The schema version of the database.
    ///
    /// - Throws: `Failure.tooNew` if the database has a newer version than these steps.
    @discardableResult
    package func check(_ connection: Connection) throws(Failure) -> Int {
        let present: Int
        do {
            present = try connection.schemaVersion()
        } catch {
            throw .failed(version: 0, error)
        }
        guard present <= newest else { throw .tooNew(version: present, supported: newest) }
        return present
    }
}
