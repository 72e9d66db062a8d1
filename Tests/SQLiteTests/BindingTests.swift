import CSQLite
import Testing

@testable import SQLite

@Suite("Bound values")
struct BindingTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:", access: .write)
        try connection.execute("CREATE TABLE t (x)")
    }

    private func count() throws -> Int {
        try connection.value(of: "SELECT count(*) FROM t") ?? -1
    }

    /// The error of `body`; nil when it throws none.
    private func failure(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("An index that the statement does not have is an error", arguments: [0, 2, -1, Int32.max])
    func range(index: Int32) throws {
        let sql = "INSERT INTO t VALUES (?)"
        let insert = try connection.statement(sql)
        insert.bind(1, 7)
        insert.bind(index, 8)
        let failure = failure { () throws(SQLiteError) in try insert.run() }
        #expect(failure?.code == SQLITE_RANGE && failure?.sql == sql)
        #expect(failure?.message.contains("value \(index)") == true)
        #expect(try count() == 0)
    }

    @Test("A text that is longer than SQLite allows is an error, and nothing is written in its place")
    func length() throws {
        _ = sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 1000)
        let insert = try connection.statement("INSERT INTO t VALUES (?)")
        insert.bind(1, String(repeating: "x", count: 1001))
        #expect(failure { () throws(SQLiteError) in try insert.run() }?.code == SQLITE_TOOBIG)
        #expect(try count() == 0)
        insert.bind(1, String(repeating: "x", count: 900))
        try insert.run()
        #expect(try count() == 1)
    }

    @Test("A value that is bound while rows are read is an error of the next row")
    func busy() throws {
        try connection.execute("INSERT INTO t VALUES (1), (2), (3)")
        let row = try connection.statement("SELECT x FROM t WHERE x > ?")
        row.bind(1, 0)
        #expect(try row.step())
        row.bind(1, 2)
        #expect(failure { () throws(SQLiteError) in _ = try row.step() }?.code == SQLITE_MISUSE)
        // After the error, the statement can be used again.
        row.bind(1, 2)
        #expect(try row.values(Int.self) == [3])
    }

    @Test("Of several failures, the first is reported once")
    func first() throws {
        let insert = try connection.statement("INSERT INTO t VALUES (?)")
        insert.bind(5, 1.5)
        insert.bind(6, true)
        #expect(failure { () throws(SQLiteError) in try insert.run() }?.message.contains("value 5") == true)
        insert.bind(1, "x")
        try insert.run()
        #expect(try count() == 1)
    }

    @Test("A reset forgets values and failures")
    func reset() throws {
        let insert = try connection.statement("INSERT INTO t VALUES (?)")
        insert.bind(1, 1)
        insert.bind(2, 2)
        insert.reset()
        try insert.run()
        #expect(try connection.statement("SELECT x FROM t").values(Int?.self) == [nil])
    }

    @Test("A text keeps its NUL characters and everything after them")
    func zeros() throws {
        let insert = try connection.statement("INSERT INTO t VALUES (?)")
        insert.bind(1, "a\0b")
        try insert.run()
        #expect(try connection.value(of: "SELECT x FROM t", as: String.self) == "a\0b")
    }
}
