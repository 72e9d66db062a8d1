import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One connection to one database file.
///
/// It is opened without SQLite's own mutex (`SQLITE_OPEN_NOMUTEX`): a connection and its statements belong to one thread at a
/// time, and whoever needs two threads opens two connections.
@safe package final class Connection {
    let handle: OpaquePointer
    package let path: String
    private var statements: [String: Statement] = [:]

    package enum Access: Sendable {
        /// Reads and writes; makes the file when it is not there.
        case write
        /// Reads; the file must be there.
        case read
        /// Writes a file that nobody else knows of yet, without a log and without locks: after a crash it is worth nothing.
        case alone
    }

    /// Opens a file, or `:memory:`. Foreign keys are on; writers use a write-ahead log that is synced at each commit. A file that is made
    /// is readable for its owner only, and so are its log and whatever else SQLite makes beside it.
    ///
    /// - Parameter busyTimeout: Milliseconds to wait for another process that holds a lock.
    package init(path: String, access: Access, busyTimeout: Int32 = 5000) throws(SQLiteError) {
        self.path = path
        var opened: OpaquePointer?
        // A write-ahead log needs a file beside it even to read. Where none can be made and none is, nobody can be writing.
        var file = path
        var uri: Int32 = 0
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        if access == .read, !Connection.may(W_OK, folder), !Connection.may(F_OK, path + "-wal"), Connection.may(R_OK, path) {
            file = "file:" + Connection.escaped(path) + "?immutable=1"
            uri = SQLITE_OPEN_URI
        }
        let flags =
            uri | SQLITE_OPEN_NOMUTEX | (access == .read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        // SQLite itself makes files readable for all. Only a new one is opened here: to close a descriptor of one that is in use would
        // take SQLite's locks (fcntl(2)) from other connections of this process.
        if access != .read, path != ":memory:" {
            let made = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if made >= 0 { close(made) }
        }
        let code = unsafe sqlite3_open_v2(file, &opened, flags, access == .alone ? "unix-none" : nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let message = unsafe String(cString: opened.map { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message)
        }
        unsafe handle = opened
        _ = unsafe sqlite3_extended_result_codes(handle, 1)
        _ = unsafe sqlite3_busy_timeout(handle, busyTimeout)
        switch access {
        // It changes nothing but tables of its own, which refer to none.
        case .read: break
        case .write:
            try execute("PRAGMA foreign_keys = ON")
            try beginLog(patience: busyTimeout)
            try execute("PRAGMA synchronous = FULL")
            // What is deleted is overwritten with zeros.
            try execute("PRAGMA secure_delete = ON")
        case .alone:
            try execute("PRAGMA foreign_keys = ON")
            // A copy of a database with a log has one, too, and its index cannot be shared without locks.
            try execute("PRAGMA locking_mode = EXCLUSIVE")
            try execute("PRAGMA journal_mode = MEMORY")
            try execute("PRAGMA synchronous = OFF")
        }
    }

    /// Gives the file a write-ahead log if it has none.
    ///
    /// That takes the file for itself, and SQLite does not wait for others then but fails at once, whatever the timeout: so this waits.
    ///
    /// - Parameter patience: Milliseconds.
    private func beginLog(patience: Int32) throws(SQLiteError) {
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

    private static func may(_ mode: Int32, _ path: String) -> Bool { unsafe access(path, mode) == 0 }

    /// A path as a part of a URI (RFC 3986): what has a meaning there is written as %XX.
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

    /// Runs statements that give no rows and take no values.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(sql) }
    }

    /// A statement that is prepared once and kept. It is reset and its values are cleared each time.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        let made = try Statement(sql, on: self)
        statements[sql] = made
        return made
    }

    /// A statement of its own, for rows that are read while others are.
    package func freshStatement(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, on: self) }

    /// Runs `body` in a transaction that takes the write lock at once; anything thrown undoes all of it.
    ///
    /// - Parameter failure: The caller's error for one of SQLite's, as a failure to commit.
    package func transaction<Result, Failure: Error>(
        failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try execute("BEGIN IMMEDIATE", failure)
        do {
            let result = try body()
            try execute("COMMIT", failure)
            return result
        } catch {
            // After some failures (a full disk, say) SQLite has rolled back already.
            if isInTransaction { try execute("ROLLBACK", failure) }
            throw error
        }
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` on one state of the database, whatever others write meanwhile.
    ///
    /// - Parameter failure: The caller's error for one of SQLite's.
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

    /// How many rows the last statement that changed any has changed.
    package var changedRows: Int { Int(unsafe sqlite3_changes64(handle)) }

    /// How many rows this connection has changed so far, in transactions that were rolled back, too.
    package var allChangedRows: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The schema's version (`user_version`); 0 in a new file.
    package func version() throws(SQLiteError) -> Int { try value(of: "PRAGMA user_version") ?? 0 }

    /// A number that changes when another connection has committed something.
    package func dataVersion() throws(SQLiteError) -> Int { try value(of: "PRAGMA data_version") ?? 0 }

    /// What the last call failed with. To be asked at once.
    func failure(_ sql: String?) -> SQLiteError {
        // A commit that fails leaves SQLite's own note of it empty, and the thread's as the system call left it.
        let last = errno
        let code = unsafe sqlite3_extended_errcode(handle)
        let noted = unsafe sqlite3_system_errno(handle)
        return unsafe SQLiteError(
            code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql,
            systemCode: code & 0xFF != SQLITE_IOERR ? 0 : noted != 0 ? noted : last)
    }
}

extension Connection {
    /// The version of SQLite as it is linked.
    package static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
