import CSQLite

/// A database as another program opens it: by SQLite alone, without the checksums of pages.
package final class PlainDatabase {
    private var handle: OpaquePointer?

    /// The message of SQLite.
    package struct Failure: Error {
        package let message: String
    }

    /// Opens a file, and creates it if it does not exist.
    package init(_ path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw failure }
    }

    deinit { sqlite3_close(handle) }

    /// Runs statements, and ignores their rows.
    package func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}
