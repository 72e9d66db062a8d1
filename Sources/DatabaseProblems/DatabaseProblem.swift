import Model
import SQLite

extension Problem {
    /// Returns the result of `body`. Throws its error as a problem of the database at `path`.
    package static func catching<Result>(at path: String, _ body: () throws -> Result) throws(Problem) -> Result {
        do {
            return try body()
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// The problem to report for an error of the database at `path`. A `Problem` is kept as it is.
    package init(_ error: any Error, at path: String) {
        switch error {
        case Migrations.Failure.tooNew(let version, let supported):
            self = .storeTooNew(path: path, version: version, supported: supported)
        case Migrations.Failure.beforeFirstRelease(let version):
            let details = "it was created before the first release: use a new data directory, or the Picket that created it"
            self = .migrationFailed(path: path, version: version, details: details)
        case Migrations.Failure.failed(let version, let error):
            self = Problem(common: error, at: path) ?? .migrationFailed(path: path, version: version, details: error.message)
        case let error as SQLiteError:
            let sql = error.sql.map { " in: \($0)" } ?? ""
            self =
                Problem(common: error, at: path)
                ?? .storeFailed(path: path, details: "\(error.message) (code \(error.code), system \(error.systemCode))\(sql)")
        case let problem as Problem: self = problem
        default: self = .storeFailed(path: path, details: "\(error)")
        }
    }

    /// The problem for an error whose meaning does not depend on the statement; nil for other errors.
    private init?(common error: SQLiteError, at path: String) {
        if error.isFull {
            self = .storeFull(path: path)
        } else if error.isDiskFailure {
            self = .diskFailed(path: path, details: "\(error.message) (code \(error.code), system \(error.systemCode))")
        } else if error.isCorrupt {
            self = .storeCorrupt(path: path, details: error.message)
        } else if error.isBusy {
            self = .storeBusy(path: path, holder: .anotherProgram)
        } else if error.isInterrupted {
            self = .cancelled
        } else if error.isReadOnly {
            self = .fileFailed(path: path, reason: Phrase("it cannot be opened or written (\(error.message))"))
        } else {
            return nil
        }
    }
}
