import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Failing reads and writes")
struct DiskFailureTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/db" }

    /// A file of several pages.
    init() throws {
        directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.path + "/db", access: .write)
        try connection.execute(
            """
            CREATE TABLE t (x INTEGER PRIMARY KEY, y TEXT);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT i, hex(zeroblob(50)) FROM n
            """)
        try connection.checkpointAndTruncate()
    }

    private func error(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
        do throws(SQLiteError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("A read that the system fails is a failure of the disk, not damage, and the file can be read afterward")
    func reading() throws {
        let connection = try Connection(path: path, access: .read)
        #expect(try connection.value(of: "SELECT max(x) FROM t", as: Int.self) == 500)
        let count = "SELECT sum(length(y)) FROM t"
        do {
            let fault = try FileFault(.read, of: path)
            let found = try #require(error { () throws(SQLiteError) in _ = try connection.value(of: count, as: Int.self) })
            #expect(found.isDiskFailure && !found.isCorrupt && found.systemCode == EIO, "\(found)")
            _ = fault
        }
        #expect(try connection.value(of: count, as: Int.self) == 50_000)
    }

    @Test("A check of the file's pages says that a read has failed")
    func checking() throws {
        let connection = try Connection(path: path, access: .read)
        #expect(try connection.value(of: "PRAGMA integrity_check", as: String.self) == "ok" && connection.readFailure == nil)
        let other = try Connection(path: path, access: .read)
        let fault = try FileFault(.read, of: path)
        _ = error { () throws(SQLiteError) in _ = try other.value(of: "PRAGMA integrity_check", as: String.self) }
        #expect(other.readFailure?.isDiskFailure == true)
        _ = fault
    }

    @Test("Damaged pages are damage")
    func damage() throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 8192)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4 * 4096))
        try file.close()
        let connection = try Connection(path: path, access: .read)
        let found = try #require(
            error { () throws(SQLiteError) in
                // The value that an earlier failed call has left on this thread is not that of this read.
                errno = ERANGE
                _ = try connection.value(of: "SELECT sum(length(y)) FROM t", as: Int.self)
            })
        #expect(found.isCorrupt && !found.isDiskFailure, "\(found)")
    }

    @Test("A write that the system fails is a failure of the disk")
    func writing() throws {
        let connection = try Connection(path: path, access: .write)
        try connection.execute("INSERT INTO t VALUES (501, '')")
        let fault = try FileFault(.write, of: path + "-wal")
        let found = try #require(error { () throws(SQLiteError) in try connection.execute("INSERT INTO t VALUES (502, '')") })
        #expect(found.isDiskFailure && !found.isFull && !found.isCorrupt, "\(found)")
        _ = fault
    }
}
