import SQLite
import TestSupport
import Testing

@Suite("Migrations")
struct MigrationTests {
    @Test("Migrations lead from every earlier version to the newest")
    func steps() throws {
        let migrations = Migrations(["CREATE TABLE a (x)", "ALTER TABLE a ADD y", "CREATE TABLE b (z); INSERT INTO b VALUES (7)"])
        for version in 0...3 {
            let connection = try Connection(path: ":memory:", access: .write)
            try migrations.run(on: connection, upTo: version)
            #expect(try connection.schemaVersion() == version)
            try migrations.run(on: connection)
            #expect(try connection.schemaVersion() == 3)
            try connection.execute("INSERT INTO a (x, y) VALUES (1, 2)")
            #expect(try connection.value(of: "SELECT z FROM b", as: Int.self) == 7)
        }
    }

    @Test("A failed step leaves everything unchanged, and the error has the version", arguments: 0..<4)
    func failure(faulty: Int) throws {
        let steps = (0..<4).map { "CREATE TABLE t\($0) (x); CREATE INDEX i\($0) ON t\($0) (x)" }
        var broken = steps
        broken[faulty] += "; CREATE TABLE t\(faulty) (again)"
        for begun in 0...faulty {
            let connection = try Connection(path: ":memory:", access: .write)
            try Migrations(steps).run(on: connection, upTo: begun)
            do {
                try Migrations(broken).run(on: connection)
                Issue.record("step \(faulty) went well")
            } catch {
                guard case .failed(let version, let failure) = error else { throw error }
                #expect(version == begun)
                #expect(failure.message.contains("t\(faulty)") && failure.sql == broken[faulty])
            }
            #expect(try connection.schemaVersion() == begun)
            #expect(!connection.isInTransaction)
            // The failed steps have left no tables, so the correct steps succeed.
            try Migrations(steps).run(on: connection)
            #expect(try connection.schemaVersion() == 4)
        }
    }

    @Test("A database of a newer version is refused and not changed")
    func tooNew() throws {
        let connection = try Connection(path: ":memory:", access: .write)
        try connection.execute("PRAGMA user_version = 3")
        do {
            try Migrations(["CREATE TABLE a (x)", "CREATE TABLE b (x)"]).run(on: connection)
            Issue.record("it ran")
        } catch {
            guard case .tooNew(version: 3, supported: 2) = error else { throw error }
        }
        #expect(try connection.schemaVersion() == 3)
        try connection.execute("CREATE TABLE a (free)")
    }

    @Test("One copy of the file is kept: that of the latest version before the update")
    func copies() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/db"
        let steps = ["CREATE TABLE a (x); INSERT INTO a VALUES (1)", "UPDATE a SET x = 2", "UPDATE a SET x = 3"]
        let connection = try Connection(path: path, access: .write)
        #expect(try Migrations([steps[0]]).run(on: connection, keepingCopy: true) == nil, "a new database has nothing to keep")
        #expect(try Migrations(Array(steps[..<2])).run(on: connection, keepingCopy: true) == path + ".v1.bak")
        #expect(try Migrations(steps).run(on: connection, keepingCopy: true) == path + ".v2.bak")
        #expect(DatabaseFile.names(in: directory.path + "/").filter { $0.hasSuffix(".bak") } == ["db.v2.bak"])
        let copy = try Connection(path: path + ".v2.bak", access: .read)
        #expect(try copy.schemaVersion() == 2 && copy.value(of: "SELECT x FROM a", as: Int.self) == 2)
    }
}
