/// Brings a database up to date, step by step, each in a transaction of its own.
public struct Migrations: Sendable {
    /// What went wrong, and at which version the database has stayed.
    public enum Failure: Error {
        case tooNew(version: Int, supported: Int)
        case failed(version: Int, SQLiteError)
    }

    private let steps: [String]

    /// - Parameter steps: The SQL that leads from version 0 to 1, from 1 to 2, and so on. A step that has been released is
    ///   never changed.
    public init(_ steps: [String]) { self.steps = steps }

    /// The newest version.
    public var newest: Int { steps.count }

    /// Runs the steps that the database lacks, up to `version`.
    public func run(on connection: Connection, upTo version: Int? = nil) throws(Failure) {
        let present = try check(connection)
        for number in present..<max(present, version ?? newest) {
            do {
                try connection.transaction {
                    // Of two that open a new file at once, one comes second.
                    guard try connection.version() == number else { return }
                    try connection.execute(steps[number])
                    try connection.execute("PRAGMA user_version = \(number + 1)")
                }
            } catch let error as SQLiteError {
                throw .failed(version: number, error)
            } catch {
                throw .failed(version: number, SQLiteError(code: 1, message: "\(error)"))
            }
        }
    }

    /// The database's version.
    ///
    /// - Throws: `Failure.tooNew` if it is of a version that these steps do not reach.
    @discardableResult
    public func check(_ connection: Connection) throws(Failure) -> Int {
        do {
            let present = try connection.version()
            if present > newest { throw Failure.tooNew(version: present, supported: newest) }
            return present
        } catch let error as SQLiteError {
            throw .failed(version: 0, error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .failed(version: 0, SQLiteError(code: 1, message: "\(error)"))
        }
    }
}
