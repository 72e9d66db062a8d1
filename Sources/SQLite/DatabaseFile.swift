import CSQLite
import Foundation

extension Connection {
    /// The number of pages copied per step: 2 MB with pages of 4 kB.
    private static let pagesPerStep: Int32 = 512

    /// Replaces the content of another database with that of this one, as of one moment, with SQLite's online backup in one read
    /// transaction.
    ///
    /// The read transaction keeps one state of this database visible. Without it, SQLite would start the backup again after every commit of
    /// another process, and beside a busy writer the backup would never finish. Writers are not blocked, but the log is not checkpointed
    /// meanwhile and grows. `VACUUM INTO` would also work and would leave out free pages, but it is one long statement without progress and
    /// rebuilds every index.
    ///
    /// The copy is one transaction of the other database: its readers see the old content or the new one, even after a crash.
    ///
    /// - Parameter progress: Called after each step with the number of copied pages and the number of all pages.
    /// - Throws: `SQLiteError` if the backup fails.
    package func copy(
        over other: Connection, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let isOutside = unsafe sqlite3_get_autocommit(handle) != 0
        if isOutside { try execute("BEGIN") }
        defer { if isOutside { _ = unsafe sqlite3_exec(handle, "COMMIT", nil, nil, nil) } }
        // A transaction reads nothing before its first query, so it pins no state before that.
        try execute("SELECT count(*) FROM sqlite_master")
        if keepsChecksums { other.expectChecksums(like: self) }
        guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else { throw other.failure(nil) }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            if isInterrupted {
                code = SQLITE_INTERRUPT
                break
            }
            unsafe code = sqlite3_backup_step(backup, Connection.pagesPerStep)
            let all = Int(unsafe sqlite3_backup_pagecount(backup))
            progress(all - Int(unsafe sqlite3_backup_remaining(backup)), all)
        }
        unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            if code == SQLiteError.wrongChecksum { throw checksumFailure("backup") }
            throw SQLiteError(code: code, message: unsafe String(cString: sqlite3_errstr(code)), sql: "backup")
        }
    }

    /// Writes the log into the database file, except for pages that a reader of an earlier state needs. Other connections may write
    /// meanwhile. After the whole log has been written, the next writer starts the log again from its beginning, unless a reader uses it.
    ///
    /// - Returns: The number of pages in the log when this began, if all of them were written; nil otherwise.
    @discardableResult
    package func checkpointPassively() throws(SQLiteError) -> Int? {
        let row = try uncachedStatement("PRAGMA wal_checkpoint(PASSIVE)")
        guard let (isBusy, pages, written) = try row.first(Bool.self, Int.self, Int.self) else { return nil }
        return !isBusy && pages == written ? pages : nil
    }

    /// The number of pages that this connection has written since it was opened.
    package var writtenPages: Int {
        var (now, most): (Int32, Int32) = (0, 0)
        _ = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &now, &most, 0)
        return Int(now)
    }

    /// Rewrites the file without free pages and without remains of deleted data (`VACUUM`), which temporarily needs as much disk space again.
    ///
    /// After a failure, for example on a full disk, the log is truncated: the pages that were written uselessly would keep the
    /// space.
    package func rewriteFile() throws(SQLiteError) {
        do {
            try execute("VACUUM")
        } catch {
            if !error.isBusy {
                // If this fails too, the first error is the one that says why.
                _ = Result { () throws(SQLiteError) in try checkpointAndTruncate() }
            }
            throw error
        }
    }

    /// Writes the whole log into the database file and truncates the log. Empties the cache, because its pages can have copies of removed rows,
    /// which would get into the log with the next change of a page.
    ///
    /// - Parameter patience: Milliseconds to wait for readers of an earlier state; nil for the busy timeout of the connection.
    /// - Returns: False if a reader of an earlier state prevents that.
    @discardableResult
    package func checkpointAndTruncate(patience: Int32? = nil) throws(SQLiteError) -> Bool {
        guard try checkpoint("TRUNCATE", patience: patience) else { return false }
        releaseCache()
        return true
    }

    /// Writes the whole log into the database file, and waits until no reader uses the log, so that the next transaction of this connection
    /// starts it again from its beginning. The file keeps its size.
    ///
    /// - Parameter patience: Milliseconds to wait for readers.
    /// - Returns: False if a reader prevents that.
    package func checkpointAndRestart(patience: Int32) throws(SQLiteError) -> Bool {
        try checkpoint("RESTART", patience: patience)
    }

    /// Performs a part of the work of `checkpointAndTruncate`, because the system needs a tenth of a second to free a log of 100
    /// MB, and no other connection can write meanwhile. Must not be called in a transaction.
    ///
    /// - Parameters:
    ///   - step: The number of bytes by which the file of the log becomes shorter at most.
    ///   - patience: Milliseconds to wait for readers.
    package func truncateLog(step: Int, patience: Int32) throws(SQLiteError) -> LogTruncation {
        let before = logBytes
        if before <= step { return try checkpointAndTruncate(patience: patience) ? .complete : .blocked }
        guard try checkpointAndRestart(patience: patience) else { return .blocked }
        // SQLite shortens the file with the first transaction after a restart, when a synced new header has made the rest invalid
        // (https://www.sqlite.org/pragma.html#pragma_journal_size_limit). This transaction changes nothing.
        let version = try schemaVersion()
        _ = try uncachedStatement("PRAGMA journal_size_limit = \(before - step)").hasRow()
        defer { _ = unsafe sqlite3_exec(handle, "PRAGMA journal_size_limit = -1", nil, nil, nil) }
        try execute("PRAGMA user_version = \(version)")
        if logBytes < before { return .underWay }
        return try checkpointAndTruncate(patience: patience) ? .complete : .blocked
    }

    /// The size of the write-ahead log's file in bytes; 0 if there is none.
    private var logBytes: Int {
        var found = stat()
        guard let name = unsafe sqlite3_filename_wal(sqlite3_db_filename(handle, "main")) else { return 0 }
        return unsafe stat(name, &found) == 0 ? Int(found.st_size) : 0
    }

    private func checkpoint(_ mode: String, patience: Int32?) throws(SQLiteError) -> Bool {
        if let patience {
            let usual = Int32(try value(of: "PRAGMA busy_timeout", as: Int.self) ?? 0)
            _ = unsafe sqlite3_busy_timeout(handle, patience)
            defer { _ = unsafe sqlite3_busy_timeout(handle, usual) }
            return try checkpoint(mode, patience: nil)
        }
        // The row has three columns: whether another connection blocked the checkpoint, the pages in the log, and the pages written to the
        // file.
        guard let (isBusy, _, _) = try uncachedStatement("PRAGMA wal_checkpoint(\(mode))").first(Bool.self, Int.self, Int.self)
        else { return false }
        return !isBusy
    }
}

/// What a step of `Connection.truncateLog(step:patience:)` did.
package enum LogTruncation {
    /// The log is empty.
    case complete
    /// The log is shorter, and needs more steps.
    case underWay
    /// A reader of an earlier state prevents it.
    case blocked
}

/// Operations on the files of a database.
package enum DatabaseFile {
    /// The suffixes of the files of a database: the database itself, its write-ahead log, the log's index and its rollback journal.
    package static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Splits a path into its folder, with the slash at the end, and its file name.
    static func split(_ path: String) -> (folder: String, name: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return (folder, String(path.dropFirst(folder.count)))
    }

    /// The names of the entries of a folder, in no particular order. Empty if the folder cannot be read.
    ///
    /// - Parameter folder: Ends with a slash; empty for the current folder.
    package static func names(in folder: String) -> [String] {
        guard let listing = unsafe opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { _ = unsafe closedir(listing) }
        var found: [String] = []
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { found.append(name) }
        }
        return found
    }

    /// Moves a complete file to `path`, where it replaces an existing file. The move is synced to disk when this returns.
    static func moveFile(_ temporary: String, to path: String) throws(SQLiteError) {
        try synchronize(temporary)
        guard unsafe rename(temporary, path) == 0 else { throw systemError() }
        try synchronizeFolder(of: path)
    }

    /// Renames a database together with its log.
    package static func move(_ path: String, to other: String) throws(SQLiteError) {
        for suffix in ["", "-wal", "-shm"] {
            guard unsafe rename(path + suffix, other + suffix) == 0 || errno == ENOENT else { throw systemError() }
        }
        try synchronizeFolder(of: other)
    }

    /// Removes the files of a database that no process has open. Missing files are ignored.
    package static func remove(_ path: String) {
        for suffix in suffixes { _ = unsafe unlink(path + suffix) }
    }

    private static func synchronizeFolder(of path: String) throws(SQLiteError) {
        let folder = split(path).folder
        try synchronize(folder.isEmpty ? "." : folder)
    }

    private static func synchronize(_ path: String) throws(SQLiteError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError() }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder and return `EINVAL`.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw systemError() }
    }

    static func systemError() -> SQLiteError {
        let number = errno
        let code =
            switch number {
            case ENOSPC, EDQUOT: SQLITE_FULL
            case EACCES, EPERM, EROFS, ENOENT, EISDIR, ENOTDIR: SQLITE_CANTOPEN
            default: SQLITE_IOERR
            }
        return SQLiteError(
            code: code, message: unsafe String(cString: strerror(number)), systemCode: code == SQLITE_IOERR ? number : 0)
    }
}
