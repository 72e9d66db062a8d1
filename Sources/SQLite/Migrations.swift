/// Brings the schema of a database up to date. All missing steps run in one transaction, so a failed step leaves the database unchanged.
package struct Migrations: Sendable {
    /// An error of a migration, with the version that the database has kept.
    package enum Failure: Error {
        case tooNew(version: Int, supported: Int)
        /// The database was made before the first release, when versions were numbered differently.
        case beforeFirstRelease(version: Int)
        case failed(version: Int, SQLiteError)
    }

    /// Marks the databases whose versions are numbered as here (`PRAGMA application_id`): "Pick" in ASCII.
    private static let applicationID = 0x5069_636B

    package let steps: [String]

    /// - Parameter steps: The SQL that leads from version 0 to 1, from 1 to 2, and so on. A released step is never changed.
    package init(_ steps: [String]) { self.steps = steps }

    /// The version after all steps.
    package var newest: Int { steps.count }

    /// Runs the steps that the database lacks.
    ///
    /// - Throws: The failures of `check(_:)`, and `Failure.failed` if a step failed.
    package func run(on connection: Connection) throws(Failure) {
        let present = try check(connection)
        guard present < newest else { return }
        do {
            try connection.transaction(failure: { $0 }) { () throws(SQLiteError) in
                // Another process may have run the steps since the version was read.
                guard try connection.schemaVersion() == present else { return }
                for step in steps[present...] { try connection.execute(step) }
                try connection.execute("PRAGMA user_version = \(newest); PRAGMA application_id = \(Self.applicationID)")
            }
        } catch {
            throw .failed(version: present, error)
        }
    }

    /// The schema version of the database.
    ///
    /// - Throws: `Failure.tooNew` if the database has a newer version than these steps, and `Failure.beforeFirstRelease`.
    @discardableResult
    package func check(_ connection: Connection) throws(Failure) -> Int {
        let present: Int
        let id: Int
        do {
            present = try connection.schemaVersion()
            id = try connection.value(of: "PRAGMA application_id") ?? 0
        } catch {
            throw .failed(version: 0, error)
        }
        guard present == 0 || id == Self.applicationID else { throw .beforeFirstRelease(version: present) }
        guard present <= newest else { throw .tooNew(version: present, supported: newest) }
        return present
    }
}
