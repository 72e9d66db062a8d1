import CSQLite
import Foundation
import Model

/// A prepared statement. Parameters are bound by their number, counted from 1. Rows are read by type (`Row`, `ColumnValue`).
@usableFromInline @safe package final class Statement {
    private let handle: OpaquePointer
    // The connection owns its cached statements, so the reference is unowned.
    private unowned let connection: Connection
    @usableFromInline package let sql: String
    /// Whether the statement cannot change the database (https://www.sqlite.org/c3ref/stmt_readonly.html).
    package let isReadOnly: Bool
    /// The first failed binding since the statement was reset; `code` is `SQLITE_OK` if there is none.
    private var failedBind: (code: Int32, index: Int32) = (SQLITE_OK, 0)

    init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        var made: OpaquePointer?
        errno = 0
        let code = unsafe sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made = unsafe made else { throw connection.failure(sql) }
        unsafe handle = made
        isReadOnly = unsafe sqlite3_stmt_readonly(made) != 0
        self.connection = connection
        self.sql = sql
    }

    deinit { _ = unsafe sqlite3_finalize(handle) }

    /// Makes the statement ready to run again and clears its bound values.
    @usableFromInline package func reset() {
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
        failedBind.code = SQLITE_OK
    }

    // MARK: Values in

    // A failed binding makes the next `step()` or `run()` throw. A binding fails if the statement has no parameter with this number, if the
    // text is longer than SQLite allows, or if the statement was not reset since it ran.

    package func bind(_ index: Int32, _ value: Int64) { check(index, unsafe sqlite3_bind_int64(handle, index, value)) }
    package func bind(_ index: Int32, _ value: Int) { bind(index, Int64(value)) }
    package func bind(_ index: Int32, _ value: Int32) { check(index, unsafe sqlite3_bind_int(handle, index, value)) }
    package func bind(_ index: Int32, _ value: Bool) { check(index, unsafe sqlite3_bind_int(handle, index, value ? 1 : 0)) }
    package func bind(_ index: Int32, _ value: Double) { check(index, unsafe sqlite3_bind_double(handle, index, value)) }
    package func bindNull(_ index: Int32) { check(index, unsafe sqlite3_bind_null(handle, index)) }

    package func bind(_ index: Int32, _ value: Double?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Binds text in Unicode's normal form C. SQLite compares bytes, and Swift compares strings by canonical equivalence: the two agree
    /// because all text in a database is in one form.
    package func bind(_ index: Int32, _ value: String?) {
        guard let text = value else { return bindNull(index) }
        bind(index, exact: text.inNormalForm)
    }

    /// Binds text as it is, for secrets, whose bytes must not change.
    package func bind(_ index: Int32, exact text: String) {
        let count = UInt64(text.utf8.count)
        check(index, unsafe sqlite3_bind_text64(handle, index, text, count, picket_sqlite_transient(), UInt8(SQLITE_UTF8)))
    }

    package func bind(_ index: Int32, _ value: StoredValue) {
        switch value {
        case .null: bindNull(index)
        case .integer(let number): bind(index, number)
        case .real(let number): bind(index, number)
        case .text(let text): bind(index, exact: text)
        }
    }

    private func check(_ index: Int32, _ code: Int32) {
        if code != SQLITE_OK, failedBind.code == SQLITE_OK { failedBind = (code, index) }
    }

    // MARK: Running

    /// Advances to the next row. Returns false if there is none.
    ///
    /// - Throws: `SQLiteError`; the statement is then reset.
    @usableFromInline package func step() throws(SQLiteError) -> Bool {
        if failedBind.code != SQLITE_OK { throw bindFailure() }
        errno = 0
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let failure = connection.failure(sql)
            reset()
            throw failure
        }
    }

    /// Runs the statement to its end, ignoring any rows, and resets it. The bound values stay.
    package func run() throws(SQLiteError) {
        while try step() {}
        _ = unsafe sqlite3_reset(handle)
    }

    /// Resets the statement and returns the error of the failed binding.
    private func bindFailure() -> SQLiteError {
        let (code, index) = failedBind
        reset()
        return SQLiteError(code: code, message: "value \(index): \(unsafe String(cString: sqlite3_errstr(code)))", sql: sql)
    }

    // MARK: Columns out

    // Used by `ColumnReader`. Columns are numbered from 0.

    @usableFromInline var columnCount: Int32 { unsafe sqlite3_column_count(handle) }
    @usableFromInline func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }
    @usableFromInline func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
    @usableFromInline func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

    /// A column of any type but BLOB.
    func value(_ column: Int32) -> StoredValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(int64(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column))
        default: .null
        }
    }

    /// The text of a column; empty if it is NULL.
    @usableFromInline func text(_ column: Int32) -> String {
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }
}
