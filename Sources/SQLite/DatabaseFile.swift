import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Connection {
    /// Pages copied at a time: 2 MB.
    private static let step: Int32 = 512

    /// Copies all of this database over another, as it was at one moment: SQLite's online backup, out of one read transaction.
    ///
    /// The read transaction pins that moment. Without it SQLite would begin again after every commit of another process, and
    /// beside a busy writer never end. Writers are not held up by it (the log is not taken up meanwhile, and grows). `VACUUM INTO`
    /// would do too and leave out free pages; it is one long statement without progress, and builds every index anew.
    ///
    /// For the other database it is one transaction: whoever reads it sees it before or after, also after a crash.
    ///
    /// - Parameter progress: Told the pages copied, and of how many.
    package func copy(
        over other: Connection, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let isOutside = unsafe sqlite3_get_autocommit(handle) != 0
        if isOutside { try execute("BEGIN") }
        defer { if isOutside { _ = unsafe sqlite3_exec(handle, "COMMIT", nil, nil, nil) } }
        // A transaction reads nothing, and pins nothing, before its first query.
        try execute("SELECT count(*) FROM sqlite_master")
        guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else { throw other.failure(nil) }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            unsafe code = sqlite3_backup_step(backup, Connection.step)
            let all = Int(unsafe sqlite3_backup_pagecount(backup))
            progress(all - Int(unsafe sqlite3_backup_remaining(backup)), all)
        }
        unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw SQLiteError(code: code, message: unsafe String(cString: sqlite3_errstr(code)), sql: "backup")
        }
    }

    /// Copies all of this database into a new file, complete and on disk when this returns; there is none when it throws.
    package func copy(
        toNew path: String, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let partial = try PartialFile(for: path)
        try copy(over: Connection(path: partial.path, access: .alone), progress: progress)
        try partial.place()
    }

    /// Writes what is in the log into the file, as far as nobody reads an earlier state; others may write meanwhile. A log that is written
    /// as a whole is begun anew by whoever writes next.
    package func takeUpLogBeside() throws(SQLiteError) {
        let row = try freshStatement("PRAGMA wal_checkpoint(PASSIVE)")
        _ = try row.step()
    }

    /// How many pages this connection has written so far.
    package var writtenPages: Int {
        var (now, most): (Int32, Int32) = (0, 0)
        _ = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &now, &most, 0)
        return Int(now)
    }

    /// Writes the whole log into the file and empties it. False when somebody who reads keeps a part of it.
    @discardableResult
    package func takeUpLog() throws(SQLiteError) -> Bool {
        // Its row: whether somebody was in the way, and how many pages are in the log and were moved.
        guard let (isBusy, _, _) = try freshStatement("PRAGMA wal_checkpoint(TRUNCATE)").first(Bool.self, Int.self, Int.self)
        else { return false }
        return !isBusy
    }
}

/// Files that hold a database, as the file system knows them.
package enum DatabaseFile {
    /// What follows a database's name in those of the file itself, its log, the log's index and its journal.
    package static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// The folder of a path, with its slash at the end, and the name in it.
    static func split(_ path: String) -> (folder: String, name: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return (folder, String(path.dropFirst(folder.count)))
    }

    /// The names in a folder, in no order; none when it cannot be read.
    ///
    /// - Parameter folder: Empty for the current one.
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

    /// Gives a file that is complete its place, in the place of what is there: on disk when this returns.
    static func place(_ temporary: String, at path: String) throws(SQLiteError) {
        try synchronize(temporary)
        guard unsafe rename(temporary, path) == 0 else { throw systemError() }
        try synchronizeFolder(of: path)
    }

    /// Gives a database another name, with its log beside it.
    package static func move(_ path: String, to other: String) throws(SQLiteError) {
        for suffix in ["", "-wal", "-shm"] {
            guard unsafe rename(path + suffix, other + suffix) == 0 || errno == ENOENT else { throw systemError() }
        }
        try synchronizeFolder(of: other)
    }

    /// Removes a database that nobody has open, with its log, if it is there.
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
        // Some file systems cannot synchronize a folder, and say so.
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
        return SQLiteError(code: code, message: unsafe String(cString: strerror(number)))
    }
}
