import SQLite
import Testing

@Suite("Migrations")
struct MigrationTests {
    @Test("Migrations lead from every earlier version to the newest")
    func steps() throws {
        let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD y", "CREATE TABLE b (z); INSERT INTO b VALUES (7)"]
        for version in 0...3 {
            let connection = try Connection(path: ":memory:", access: .write)
            try Migrations(Array(steps[..<version])).run(on: connection)
            #expect(try connection.schemaVersion() == version)
            try Migrations(steps).run(on: connection)
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
            try Migrations(Array(steps[..<begun])).run(on: connection)
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
        try Migrations(["SELECT 1", "SELECT 2", "SELECT 3"]).run(on: connection)
        do {
            try Migrations(["CREATE TABLE a (x)", "CREATE TABLE b (x)"]).run(on: connection)
            Issue.record("it ran")
        } catch {
            guard case .tooNew(version: 3, supported: 2) = error else { throw error }
        }
        #expect(try connection.schemaVersion() == 3)
        try connection.execute("CREATE TABLE a (free)")
    }

    @Test("A database whose versions were numbered otherwise is refused and not changed", arguments: [1, 2, 3])
    func beforeFirstRelease(version: Int) throws {
        let connection = try Connection(path: ":memory:", access: .write)
        try connection.execute("PRAGMA user_version = \(version)")
        do {
            try Migrations(["CREATE TABLE a (x)", "CREATE TABLE b (x)"]).run(on: connection)
            Issue.record("it ran")
        } catch {
            guard case .beforeFirstRelease(version: version) = error else { throw error }
        }
        #expect(try connection.schemaVersion() == version)
        try connection.execute("CREATE TABLE a (free)")
    }
}
