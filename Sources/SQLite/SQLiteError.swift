import CSQLite

/// What SQLite says when it cannot.
public struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code, as `SQLITE_IOERR_FSYNC`.
    public var code: Int32
    /// SQLite's own words.
    public var message: String
    /// The statement, without its values.
    public var sql: String?

    /// The result code without its extension, as `SQLITE_IOERR`.
    public var primaryCode: Int32 { code & 0xFF }

    public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    public var isFull: Bool { primaryCode == SQLITE_FULL }
    public var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    public var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
    public var isReadOnly: Bool { primaryCode == SQLITE_READONLY || primaryCode == SQLITE_CANTOPEN || primaryCode == SQLITE_PERM }
}
