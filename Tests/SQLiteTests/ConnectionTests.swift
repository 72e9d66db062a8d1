import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Database connections")
struct ConnectionTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/db" }

    init() throws { directory = try TemporaryDirectory() }

    /// The error of opening a file and reading its version; nil if there is none.
    private func failure(_ path: String, _ access: Connection.Access) -> SQLiteError? {
        do {
            // SQLite reads the file only at the first query.
            _ = try Connection(path: path, access: access).schemaVersion()
            return nil
        } catch {
            return error
        }
    }

    @Test("A new file and its log are readable for their owner only")
    func mode() throws {
        let connection = try Connection(path: path, access: .write)
        try connection.execute("CREATE TABLE t (x)")
        for name in ["db", "db-wal"] {
            var found = stat()
            #expect(stat(directory.path + "/" + name, &found) == 0 && found.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test("A missing file is not opened for reading, and not created")
    func missing() {
        #expect(failure(path, .read)?.isReadOnly == true)
        #expect(failure(directory.path + "/none/db", .write)?.isReadOnly == true)
        #expect(DatabaseFile.names(in: directory.path + "/").isEmpty)
    }

    @Test("A file that is not a database is reported as corrupt", arguments: [.read, .write, .exclusive] as [Connection.Access])
    func foreign(_ access: Connection.Access) throws {
        try directory.write(String(repeating: "this is no database ", count: 500), to: "db")
        #expect(failure(path, access)?.isCorrupt == true)
    }

    @Test("A connection that was opened to read writes nothing")
    func reading() throws {
        try Connection(path: path, access: .write).execute("CREATE TABLE t (x)")
        let reader = try Connection(path: path, access: .read)
        #expect {
            try reader.execute("INSERT INTO t VALUES (1)")
        } throws: { ($0 as? SQLiteError)?.isReadOnly == true }
    }

    @Test("An error has the statement, without its values")
    func errors() throws {
        let connection = try Connection(path: ":memory:", access: .write)
        try connection.execute("CREATE TABLE t (x UNIQUE)")
        let sql = "INSERT INTO t VALUES (?)"
        let insert = try connection.statement(sql)
        insert.bind(1, "secret")
        try insert.run()
        insert.bind(1, "secret")
        #expect {
            try insert.run()
        } throws: { error in
            guard let error = error as? SQLiteError else { return false }
            // SQLITE_CONSTRAINT
            return error.primaryCode == 19 && error.sql == sql && !"\(error)".contains("secret")
        }
        // The statement can be used again.
        insert.bind(1, "other")
        try insert.run()
        #expect(throws: SQLiteError.self) { try connection.statement("SELECT nothing FROM t") }
    }

    @Test("A statement is kept, and given again without its earlier values")
    func kept() throws {
        let connection = try Connection(path: ":memory:", access: .write)
        let first = try connection.statement("SELECT ?")
        first.bind(1, 7)
        #expect(try first.step())
        let again = try connection.statement("SELECT ?")
        #expect(first === again)
        #expect(try again.values(Int?.self) == [nil])
        #expect(try connection.uncachedStatement("SELECT ?") !== first)
    }

    @Test("A connection counts its own changes and notices those of others")
    func changes() throws {
        let connection = try Connection(path: path, access: .write)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
        try connection.execute("DELETE FROM t WHERE x > 1")
        #expect(connection.changedRows == 2 && connection.allChangedRows == 5)
        let version = try connection.dataVersion()
        try connection.execute("DELETE FROM t")
        #expect(try connection.dataVersion() == version)
        try Connection(path: path, access: .write).execute("INSERT INTO t VALUES (1)")
        #expect(try connection.dataVersion() != version)
    }
}
