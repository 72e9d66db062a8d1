import SQLite
import TestSupport
import Testing

@Suite("Transactions")
struct TransactionTests {
    private let directory: TemporaryDirectory
    private let connection: Connection
    private var path: String { directory.path + "/db" }

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.path + "/db", access: .write)
        try connection.execute("CREATE TABLE t (x INTEGER PRIMARY KEY)")
    }

    private enum Failure: Error, Equatable {
        case own
        case database(Int32)
    }

    private func numbers(_ connection: Connection) throws(SQLiteError) -> [Int64] {
        try connection.statement("SELECT x FROM t ORDER BY x").values(Int64.self)
    }

    private func insert(_ number: Int64) throws(Failure) {
        do {
            try connection.execute("INSERT INTO t VALUES (\(number))")
        } catch {
            throw .database(error.primaryCode)
        }
    }

    /// Inserts numbers in a transaction, and throws at the end if asked to.
    private func insert(_ numbers: [Int64], thenFail: Bool = false) throws(Failure) {
        try connection.transaction(failure: { .database($0.primaryCode) }) { () throws(Failure) in
            for number in numbers { try insert(number) }
            if thenFail { throw .own }
        }
    }

    @Test("All changes are kept, or none after an error, which is the caller's own")
    func commit() throws {
        try insert([1, 2])
        #expect(throws: Failure.own) { try insert([3, 4], thenFail: true) }
        // The key 1 already exists (SQLITE_CONSTRAINT).
        #expect(throws: Failure.database(19)) { try insert([5, 1]) }
        #expect(try numbers(connection) == [1, 2])
        #expect(!connection.isInTransaction)
    }

    @Test("A nested transaction fails and undoes the outer one")
    func nested() throws {
        #expect(throws: Failure.database(1)) {
            try connection.transaction(failure: { .database($0.primaryCode) }) { () throws(Failure) in
                try insert(1)
                try insert([2])
            }
        }
        #expect(try numbers(connection).isEmpty && !connection.isInTransaction)
    }

    @Test("A transaction whose commit fails is undone")
    func failedCommit() throws {
        // SQLite checks a deferred reference when the transaction ends.
        try connection.execute("CREATE TABLE child (x REFERENCES t (x) DEFERRABLE INITIALLY DEFERRED)")
        #expect(throws: Failure.database(19)) {
            try connection.transaction(failure: { .database($0.primaryCode) }) { () throws(Failure) in
                try insert(1)
                do throws(SQLiteError) {
                    try connection.execute("INSERT INTO child VALUES (9)")
                } catch {
                    throw .database(error.primaryCode)
                }
            }
        }
        #expect(try numbers(connection).isEmpty && !connection.isInTransaction)
        try insert([1])
    }

    @Test("Without a timeout, a second writer fails at once")
    func busy() throws {
        let other = try Connection(path: path, access: .write, busyTimeout: 0)
        try connection.transaction(failure: { $0 as any Error }) {
            do throws(SQLiteError) {
                _ = try other.transaction(failure: { $0 }) { () throws(SQLiteError) in Issue.record("two write at once") }
            } catch {
                #expect(error.isBusy)
            }
        }
    }

    @Test("A snapshot is one state, even if another connection writes meanwhile")
    func snapshot() throws {
        let reader = try Connection(path: path, access: .read)
        try insert([1])
        try reader.snapshot(failure: { $0 as any Error }) {
            #expect(try numbers(reader) == [1])
            try insert([2])
            #expect(try numbers(reader) == [1])
        }
        #expect(try numbers(reader) == [1, 2])
    }

    @Test(
        "After each transaction of a random history, readers see all committed changes and no others",
        arguments: 0..<10 as Range<UInt64>)
    func history(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let reader = try Connection(path: path, access: .read)
        var expected: Set<Int64> = []
        for _ in 0..<60 {
            let added = (0..<Int.random(in: 0...5, using: &random)).map { _ in Int64.random(in: 0..<40, using: &random) }
            let fails = Int.random(in: 0..<4, using: &random) == 0
            let isPossible = Set(added).count == added.count && expected.isDisjoint(with: added)
            do {
                try insert(added, thenFail: fails)
                #expect(isPossible && !fails, "seed \(seed)")
                expected.formUnion(added)
            } catch {
                #expect(error == (isPossible ? .own : .database(19)), "seed \(seed)")
            }
            #expect(try numbers(reader) == expected.sorted(), "seed \(seed)")
            if expected.count > 30 {
                try connection.execute("DELETE FROM t")
                expected = []
            }
        }
    }
}
