import CSQLite
import Foundation

/// An error of an SQLite call, or of a system call on a database file.
@usableFromInline package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code, for example `SQLITE_IOERR_FSYNC`.
    package var code: Int32
    /// SQLite's message.
    package var message: String
    /// The statement, without its bound values; nil if the error is not of a statement.
    package var sql: String?
    /// The system's `errno` of a failed read or write; 0 for other errors.
    package var systemCode: Int32 = 0

    /// The result code without its extension, for example `SQLITE_IOERR`.
    package var primaryCode: Int32 { code & 0xFF }

    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    /// Whether the disk is full. SQLite reports a full disk (`ENOSPC`) as `SQLITE_FULL`, but an exceeded quota (`EDQUOT`) or limit of the
    /// file's size (`EFBIG`) as `SQLITE_IOERR`.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT, EFBIG].contains(systemCode)
    }
    /// Whether the statement or the copy was canceled; see `Connection.interrupt(when:)`.
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
    /// Whether the content of the file is damaged.
    package var isCorrupt: Bool { isMalformed && systemCode == 0 || hasWrongChecksum }
    /// Whether the system failed to read or write a file. SQLite reports a failed read (`EIO`) as `SQLITE_CORRUPT`.
    package var isDiskFailure: Bool {
        primaryCode == SQLITE_IOERR && !isFull && !hasWrongChecksum || isMalformed && systemCode != 0
    }
    private var hasWrongChecksum: Bool { code == Self.wrongChecksum }
    /// The code for a page whose checksum is wrong (`SQLITE_IOERR_DATA`).
    static let wrongChecksum = SQLITE_IOERR | 32 << 8
    private var isMalformed: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    /// The values of `errno` after which SQLite takes a failed read for damage (`unixRead` in os_unix.c).
    static let readFailures = [EIO, ENXIO, ERANGE]
    package var isReadOnly: Bool {
        primaryCode == SQLITE_READONLY || primaryCode == SQLITE_CANTOPEN || primaryCode == SQLITE_PERM
    }
}
