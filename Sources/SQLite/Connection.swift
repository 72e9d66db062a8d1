import CPageChecksums
import CSQLite
import Foundation

/// One connection to one database file.
///
/// The connection is opened without SQLite's own mutex (`SQLITE_OPEN_NOMUTEX`): a connection and its statements must be used by one thread
/// at a time. Code that needs two threads opens two connections.
@safe package final class Connection {
    let handle: OpaquePointer
    package let path: String
    private var statements: [String: Statement] = [:]
    /// Set by `interrupt(when:)`.
    var interruption: Interruption?

    /// Whether work is to be canceled now; see `interrupt(when:)`.
    package var isInterrupted: Bool { interruption?.isWanted() == true }

    /// The way in which a connection uses its file.
    package enum Access: Sendable {
        /// Reads and writes. The file is created if it is missing.
        case write
        /// Reads and writes like `write`. The file must exist.
        case writeExisting
        /// Reads only. The file must exist.
        case read
        /// Writes a file that no other connection uses yet, without locks and without a journal on disk. After a crash the file is
        /// unusable.
        case exclusive
    }

    /// Opens a file, or `:memory:`.
    ///
    /// Foreign keys are enforced. With `write`, the database uses a write-ahead log that is synced at each commit. A new file is readable
    /// by its owner only, and so are the files that SQLite creates beside it.
    ///
    /// - Parameter busyTimeout: How long to wait for another process that holds a lock, in milliseconds.
    /// - Throws: `SQLiteError` if the file cannot be opened, or if the write-ahead log cannot be enabled within `busyTimeout`.
    package init(path: String, access: Access, busyTimeout: Int32 = 5000) throws(SQLiteError) {
        self.path = path
        var opened: OpaquePointer?
        // SQLite needs a shared-memory file beside a database with a write-ahead log, even to read. If the folder is not writable and has
        // no log, no process can be writing, so the file is opened as immutable.
        var file = path
        var uri: Int32 = 0
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        if access == .read, !Connection.hasAccess(W_OK, to: folder), !Connection.hasAccess(F_OK, to: path + "-wal"),
            Connection.hasAccess(R_OK, to: path)
        {
            file = "file:" + Connection.escaped(path) + "?immutable=1"
            uri = SQLITE_OPEN_URI
        }
        let canCreate = access == .write || access == .exclusive
        let flags =
            uri | SQLITE_OPEN_NOMUTEX
            | (access == .read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
            | (canCreate ? SQLITE_OPEN_CREATE : 0)
        // SQLite itself creates files that all users can read, so a new file is created here. An existing file is not opened: closing a
        // descriptor of a file in use would release the SQLite locks (fcntl(2)) of the other connections of this process.
        if canCreate, path != ":memory:" {
            let made = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if made >= 0 { close(made) }
        }
        _ = Connection.checksumRegistration
        let code = unsafe sqlite3_open_v2(file, &opened, flags, access == .exclusive ? PICKET_VFS_WITHOUT_LOCKS : PICKET_VFS)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let message = unsafe String(cString: opened.map { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message)
        }
        unsafe handle = opened
        _ = unsafe sqlite3_extended_result_codes(handle, 1)
        _ = unsafe sqlite3_busy_timeout(handle, busyTimeout)
        reserveChecksums()
        switch access {
        // A read connection changes only its own temporary tables, which have no foreign keys.
        case .read: break
        case .write, .writeExisting:
            try execute("PRAGMA foreign_keys = ON")
            try enableWriteAheadLog(timeout: busyTimeout)
            try execute("PRAGMA synchronous = FULL")
            // SQLite overwrites deleted content with zeros.
            try execute("PRAGMA secure_delete = ON")
        case .exclusive:
            try execute("PRAGMA foreign_keys = ON")
            // A copy of a database with a write-ahead log is in that mode too, and without locks the log's index cannot be shared.
            try execute("PRAGMA locking_mode = EXCLUSIVE")
            try execute("PRAGMA journal_mode = MEMORY")
            try execute("PRAGMA synchronous = OFF")
            try execute("PRAGMA secure_delete = ON")
        }
    }

    /// Switches the file to a write-ahead log, unless the file has one.
    ///
    /// The switch needs an exclusive lock, for which SQLite fails at once instead of waiting for its busy timeout. Therefore this method
    /// retries.
    ///
    /// - Parameter patience: How long to retry, in milliseconds.
    /// - Throws: `SQLiteError` if another connection still holds a lock after `patience`, or if the switch fails for another reason.
    private func enableWriteAheadLog(timeout patience: Int32) throws(SQLiteError) {
        let end = ContinuousClock.now + .milliseconds(Int(patience))
        while true {
            do {
                return try execute("PRAGMA journal_mode = WAL")
            } catch {
                guard error.isBusy, ContinuousClock.now < end else { throw error }
                _ = sqlite3_sleep(5)
            }
        }
    }

    private static func hasAccess(_ mode: Int32, to path: String) -> Bool { unsafe access(path, mode) == 0 }

    /// A path as part of a URI (RFC 3986): characters with a special meaning are percent-encoded.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            byte >= 0x80 || [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%")].contains(byte)
                ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
        }.joined()
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that return no rows and have no parameters.
    package func execute(_ sql: String) throws(SQLiteError) {
        errno = 0
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(sql) }
    }

    /// A cached prepared statement. Each call resets the statement and clears its bound values, so the same SQL must not be in use twice at
    /// the same time.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        let made = try Statement(sql, on: self)
        statements[sql] = made
        return made
    }

    /// A new statement that is not cached, for rows that are read while the cached statement of the same SQL is in use.
    package func uncachedStatement(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, on: self) }

    /// Runs `body` in a transaction that takes the write lock at once. An error rolls the transaction back.
    ///
    /// - Parameter failure: Converts an error of SQLite, for example a failed commit, to the error that is thrown.
    package func transaction<Result, Failure: Error>(
        failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try execute("BEGIN IMMEDIATE", failure)
        do {
            let result = try body()
            try execute("COMMIT", failure)
            return result
        } catch {
            // After some failures, for example a full disk, SQLite has already rolled back.
            if isInTransaction { try execute("ROLLBACK", failure) }
            throw error
        }
    }

    /// Whether the database has all tables of these names.
    package func hasTables(_ names: String...) throws(SQLiteError) -> Bool {
        for name in names {
            let row = try uncachedStatement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name)
            guard try row.hasRow() else { return false }
        }
        return true
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in a read transaction: it sees one state of the database, even if other connections write meanwhile.
    ///
    /// - Parameter failure: Converts an error of SQLite to the error that is thrown.
    package func snapshot<Result, Failure: Error>(
        failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try execute("BEGIN", failure)
        defer { _ = unsafe sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
        return try body()
    }

    private func execute<Failure: Error>(_ sql: String, _ failure: (SQLiteError) -> Failure) throws(Failure) {
        do {
            try execute(sql)
        } catch {
            throw failure(error)
        }
    }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
    package var changedRows: Int { Int(unsafe sqlite3_changes64(handle)) }

    /// The number of rows that this connection has changed since it was opened, including those of transactions that were rolled back.
    package var allChangedRows: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The schema's version (`user_version`); 0 in a new file.
    package func schemaVersion() throws(SQLiteError) -> Int { try value(of: "PRAGMA user_version") ?? 0 }

    /// A number that changes when another connection has committed a change.
    package func dataVersion() throws(SQLiteError) -> Int { try value(of: "PRAGMA data_version") ?? 0 }

    /// The error of the last call on this connection. It must be read before any other call, and `errno` must have been 0 before the last
    /// call: success leaves the value of an earlier failure in it.
    func failure(_ sql: String?) -> SQLiteError {
        // After a failed commit SQLite itself has no system error code, but `errno` still has the value of the failed system
        // call.
        let last = errno
        let code = unsafe sqlite3_extended_errcode(handle)
        let noted = unsafe sqlite3_system_errno(handle)
        let systemCode: Int32 =
            switch code & 0xFF {
            case SQLITE_IOERR: noted != 0 ? noted : last
            case SQLITE_CORRUPT where SQLiteError.readFailures.contains(last): last
            default: 0
            }
        if code == SQLiteError.wrongChecksum { return checksumFailure(sql) }
        return unsafe SQLiteError(
            code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql, systemCode: systemCode)
    }

    /// The error of the last read of the database file that the system failed; nil if there was none. `PRAGMA integrity_check` takes such a
    /// failure for damage.
    package var readFailure: SQLiteError? {
        var last: Int32 = 0
        guard unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &last) == SQLITE_OK,
            SQLiteError.readFailures.contains(last)
        else { return nil }
        return SQLiteError(code: SQLITE_IOERR, message: unsafe String(cString: strerror(last)), systemCode: last)
    }

    /// Whether the file is not at its path anymore: it was deleted, moved or replaced. SQLite continues with the open file, and does not write
    /// the write-ahead log into it when the connection is closed (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
    package var hasMoved: Bool {
        var hasMoved: Int32 = 0
        return unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }
}

extension Connection {
    /// The version of the linked SQLite library.
    package static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
