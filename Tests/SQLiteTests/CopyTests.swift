import Foundation
import SQLite
import TestSupport
import Testing

extension Connection {
    /// Copies all of this database into a new file.
    func copy(
        toNew path: String, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let partial = try PartialFile(for: path)
        try copy(over: Connection(path: partial.path, access: .exclusive), progress: progress)
        try partial.moveToTarget()
    }
}

@Suite("Database copies")
struct CopyTests {
    private let directory: TemporaryDirectory
    private let connection: Connection

    /// A number of rows that needs more pages than one step copies.
    private static let rows = 1500

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.path + "/db", access: .write)
        try connection.execute("CREATE TABLE t (x INTEGER PRIMARY KEY, filler BLOB)")
        try connection.execute(
            """
            WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(Self.rows))
            INSERT INTO t SELECT x, randomblob(4000) FROM n
            """)
    }

    private func digest(_ connection: Connection) throws -> [String] {
        try connection.statement("SELECT x || hex(substr(filler, 1, 8)) FROM t ORDER BY x").values()
    }

    private func names() -> [String] {
        DatabaseFile.names(in: directory.path + "/").filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }

    @Test("A copy has the state of one moment, even while another connection writes")
    func oneMoment() throws {
        let before = try digest(connection)
        let writer = try Connection(path: directory.path + "/db", access: .write)
        var steps: [(done: Int, of: Int)] = []
        try connection.copy(toNew: directory.path + "/copy") { done, all in
            steps.append((done, all))
            do {
                try writer.execute("INSERT INTO t (filler) VALUES ('new')")
            } catch {
                Issue.record(error)
            }
        }
        let copy = try Connection(path: directory.path + "/copy", access: .read)
        #expect(try digest(copy) == before)
        #expect(try copy.value(of: "PRAGMA integrity_check", as: String.self) == "ok")
        #expect(steps.count > 1 && steps.last.map { $0.done == $0.of } == true)
        #expect(try connection.value(of: "SELECT count(*) FROM t", as: Int.self) == Self.rows + steps.count)
        #expect(names() == ["copy", "db"], "nothing half made is left")
    }

    @Test("Readers of the target see it before or after the copy")
    func over() throws {
        let target = try Connection(path: directory.path + "/target", access: .write)
        try target.execute("CREATE TABLE t (x INTEGER PRIMARY KEY, filler BLOB); INSERT INTO t VALUES (7, 'old')")
        let reader = try Connection(path: directory.path + "/target", access: .read)
        var seen: Set<Int> = []
        try connection.copy(over: target) { _, _ in
            do {
                seen.insert(try reader.value(of: "SELECT count(*) FROM t", as: Int.self) ?? 0)
            } catch {
                Issue.record(error)
            }
        }
        #expect(seen.isSubset(of: [1, Self.rows]), "\(seen)")
        #expect(try digest(reader) == digest(connection))
    }

    @Test("A failed copy leaves no file behind")
    func impossible() throws {
        #expect {
            try connection.copy(toNew: directory.path + "/none/copy")
        } throws: { ($0 as? SQLiteError)?.isReadOnly == true }
        // A directory has the name of the copy.
        mkdir(directory.path + "/taken", 0o700)
        #expect(throws: SQLiteError.self) { try connection.copy(toNew: directory.path + "/taken") }
        #expect(names() == ["db", "taken"])
        #expect(!connection.isInTransaction)
    }

    @Test("The log is emptied, unless a reader uses an earlier state")
    func log() throws {
        let reader = try Connection(path: directory.path + "/db", access: .read)
        try reader.snapshot(failure: { $0 as any Error }) {
            #expect(try reader.value(of: "SELECT count(*) FROM t", as: Int.self) == Self.rows)
            try connection.execute("DELETE FROM t WHERE x = 1")
            // The connection must not wait for its lock, because the reader is on this thread.
            let impatient = try Connection(path: directory.path + "/db", access: .write, busyTimeout: 0)
            #expect(try !impatient.checkpointAndTruncate())
        }
        #expect(try connection.checkpointAndTruncate())
        var found = stat()
        #expect(stat(directory.path + "/db-wal", &found) == 0 && found.st_size == 0)
    }

    @Test("A database is moved and removed with its log")
    func move() throws {
        let path = directory.path + "/db"
        DatabaseFile.remove(directory.path + "/nothing")
        let reader = try Connection(path: path, access: .read)
        #expect(try reader.value(of: "SELECT count(*) FROM t", as: Int.self) == Self.rows)
        try DatabaseFile.move(path, to: directory.path + "/moved")
        #expect(names() == ["moved"])
        let moved = try Connection(path: directory.path + "/moved", access: .read)
        #expect(try moved.value(of: "SELECT count(*) FROM t", as: Int.self) == Self.rows)
        DatabaseFile.remove(directory.path + "/moved")
        #expect(DatabaseFile.names(in: directory.path + "/").isEmpty)
    }
}
