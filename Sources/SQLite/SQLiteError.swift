import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What SQLite says when it cannot.
@usableFromInline package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code, as `SQLITE_IOERR_FSYNC`.
    package var code: Int32
    /// SQLite's own words.
    package var message: String
    /// The statement, without its values.
    package var sql: String?
    /// The system's `errno` behind a failure to read or write; 0 for any other.
    package var systemCode: Int32 = 0

    /// The result code without its extension, as `SQLITE_IOERR`.
    package var primaryCode: Int32 { code & 0xFF }

    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    /// SQLite itself knows a full disk (`ENOSPC`), and takes a quota (`EDQUOT`) or a limit of the file's size (`EFBIG`) for a failure.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT, EFBIG].contains(systemCode)
    }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    package var isReadOnly: Bool {
        primaryCode == SQLITE_READONLY || primaryCode == SQLITE_CANTOPEN || primaryCode == SQLITE_PERM
    }
}
