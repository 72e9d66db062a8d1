/// Brings a database up to date: all steps that it lacks in one transaction, so that it is as it was when one fails.
package struct Migrations: Sendable {
    /// What went wrong, and at which version the database has stayed.
    package enum Failure: Error {
        case tooNew(version: Int, supported: Int)
        case failed(version: Int, SQLiteError)
    }

    private let steps: [String]

    /// - Parameter steps: The SQL that leads from version 0 to 1, from 1 to 2, and so on. A step that has been released is
    ///   never changed.
    package init(_ steps: [String]) { self.steps = steps }

    /// The newest version.
    package var newest: Int { steps.count }

    /// Runs the steps that the database lacks, up to `version`.
    ///
    /// - Parameter keepingCopy: Whether the file as it was is kept beside it first, as `name.v2.bak` for a database of version 2,
    ///   in the place of earlier copies. A new database has nothing to keep.
    /// - Returns: The path of the copy.
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
                // Of two that open a file at once, one comes second.
                guard try connection.version() == present else { return }
                for step in steps[present..<target] { try connection.execute(step) }
                try connection.execute("PRAGMA user_version = \(target)")
            }
            // The newest is enough.
            if copy != nil { for old in 1..<present { DatabaseFile.remove(copyPath(of: connection, old)) } }
            return copy
        } catch {
            throw .failed(version: present, error)
        }
    }

    private func copyPath(of connection: Connection, _ version: Int) -> String { "\(connection.path).v\(version).bak" }

    /// The database's version.
    ///
    /// - Throws: `Failure.tooNew` if it is of a version that these steps do not reach.
    @discardableResult
    package func check(_ connection: Connection) throws(Failure) -> Int {
        let present: Int
        do {
            present = try connection.version()
        } catch {
            throw .failed(version: 0, error)
        }
        guard present <= newest else { throw .tooNew(version: present, supported: newest) }
        return present
    }
}
