import CSQLite
import Synchronization

/// Reads bytes of a database file that connections of this process have open.
///
/// When a process closes any descriptor of a file, it loses all of its locks on that file (fcntl(2)), which are SQLite's locks. So this
/// class lets SQLite open and close the file: SQLite closes a descriptor only when no connection of the process has a lock on its file.
///
/// `@unchecked Sendable`: the file is used only by `read(_:at:)`, which locks `lock`, and by `deinit`.
@safe package final class DatabaseFileReader: @unchecked Sendable {
    private let handle: OpaquePointer
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let lock = Mutex<Void>(())

    /// The code for a read beyond the end of the file (`SQLITE_IOERR_SHORT_READ`).
    private static let shortRead = SQLITE_IOERR | 2 << 8

    /// - Throws: `SQLiteError` if the file cannot be opened.
    package init(path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard code == SQLITE_OK, let opened = unsafe opened,
            unsafe sqlite3_file_control(opened, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file = unsafe file, unsafe file.pointee.pMethods != nil
        else {
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(
                code: code == SQLITE_OK ? SQLITE_CANTOPEN : code, message: unsafe String(cString: sqlite3_errstr(code)))
        }
        unsafe handle = opened
        unsafe self.file = file
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Reads bytes of the file. Those beyond its end are 0.
    ///
    /// - Returns: Nil if the system failed to read.
    package func read(_ count: Int, at offset: Int64) -> [UInt8]? {
        lock.withLock { _ in
            var bytes = [UInt8](repeating: 0, count: count)
            let code = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe file.pointee.pMethods.pointee.xRead(file, buffer.baseAddress, Int32(count), offset)
            }
            return code == SQLITE_OK || code == Self.shortRead ? bytes : nil
        }
    }
}
