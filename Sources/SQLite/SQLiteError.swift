import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What SQLite says when it cannot.
public struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code, as `SQLITE_IOERR_FSYNC`.
    public var code: Int32
    /// SQLite's own words.
    public var message: String
    /// The statement, without its values.
    public var sql: String?
    /// The system's `errno` behind a failure to read or write; 0 for any other.
    public var systemCode: Int32 = 0

    /// The result code without its extension, as `SQLITE_IOERR`.
    public var primaryCode: Int32 { code & 0xFF }

    public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    /// SQLite itself knows a full disk (`ENOSPC`), and takes a quota (`EDQUOT`) or a limit of the file's size (`EFBIG`) for a failure.
    public var isFull: Bool {
        primaryCode == SQLITE_FULL || primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT, EFBIG].contains(systemCode)
    }
    public var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    public var isReadOnly: Bool { primaryCode == SQLITE_READONLY || primaryCode == SQLITE_CANTOPEN || primaryCode == SQLITE_PERM }
}
