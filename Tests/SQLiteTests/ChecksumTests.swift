import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Checksums of pages")
struct ChecksumTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/db" }

    init() throws { directory = try TemporaryDirectory() }

    private static let schema = "CREATE TABLE t (x INTEGER PRIMARY KEY, y TEXT, z BLOB); CREATE INDEX t_y ON t (y)"

    /// Rows with small and large values, so that the file has pages of every kind. The values depend on the row only.
    private static func rows(_ numbers: ClosedRange<Int>) -> String {
        """
        WITH RECURSIVE n (i) AS (SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
        INSERT INTO t SELECT i, hex(i * 7919 % 1000), CAST(printf('%.*c', (i % 17) * 600 + i % 5, char(65 + i % 26)) AS BLOB) FROM n
        """
    }

    /// A closed database whose log is written into its file.
    @discardableResult
    private func make(_ name: String = "db", rows: Int = 400) throws -> String {
        let connection = try Connection(path: directory.path + "/" + name, access: .write)
        try connection.execute(Self.schema)
        try connection.execute(Self.rows(1...rows))
        try connection.execute("DELETE FROM t WHERE x % 9 = 4")
        try connection.checkpointAndTruncate()
        return connection.path
    }

    private static let content = "SELECT x || ' ' || y || ' ' || hex(z) FROM t ORDER BY x"

    private func content(_ path: String) throws -> [String] {
        let connection = try Connection(path: path, access: .read)
        defer { withExtendedLifetime(connection) {} }
        return try connection.uncachedStatement(Self.content).values()
    }

    private func check(_ path: String) throws -> PageCheck {
        try Connection(path: path, access: .read).checkPages(.whole, atMost: 10)
    }

    /// The numbers of the pages that belong to a table or an index.
    private func usedPages(_ path: String) throws -> [Int] {
        let connection = try Connection(path: path, access: .read)
        defer { withExtendedLifetime(connection) {} }
        return try connection.uncachedStatement("SELECT pageno FROM dbstat ORDER BY pageno").values()
    }

    private func edit(_ path: String, _ body: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        body(&bytes)
        try bytes.write(to: URL(filePath: path))
    }

    @Test("Each page in a file has a checksum, however the file was written")
    func everyPage() throws {
        let first = try make(rows: 3000)
        let connection = try Connection(path: first, access: .writeExisting)
        // More pages than SQLite caches, so some are written before the first page.
        try connection.copy(toNew: directory.path + "/copy")
        try connection.rewriteFile()
        try connection.checkpointAndTruncate()
        let again = directory.path + "/again"
        do {
            let other = try Connection(path: again, access: .write)
            try other.execute("CREATE TABLE old (x)")
            try connection.copy(over: other)
            try other.checkpointAndTruncate()
        }
        do {
            let small = try Connection(path: directory.path + "/small", access: .exclusive)
            try small.execute(Self.schema)
            try small.execute(Self.rows(1...100))
        }
        for path in [first, directory.path + "/copy", again, directory.path + "/small"] {
            let found = try check(path)
            #expect(found.firstDamage == nil && found.pagesWithoutChecksum == 0, "\(path): \(found)")
            #expect(try Connection(path: path, access: .read).keepsChecksums)
            let bytes = try Data(contentsOf: URL(filePath: path))
            for page in try usedPages(path) {
                let end = page * 4096
                #expect(bytes[end - 8..<end].contains { $0 != 0 }, "page \(page) of \(path)")
            }
        }
        #expect(try content(first) == content(directory.path + "/copy") && content(first) == content(again))
    }

    @Test("Each flipped bit of a page in use is found, and so is a page that is lost, stale or in the wrong place")
    func damage() throws {
        try make()
        let whole = try Data(contentsOf: URL(filePath: path))
        let used = try usedPages(path)
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        var offsets = (0..<400).map { _ in
            (used.randomElement(using: &random)! - 1) * 4096 + Int.random(in: 0..<4096, using: &random)
        }
        // The beginning of the file says how to read the others.
        offsets += 0..<100
        for offset in offsets {
            let bit = UInt8.random(in: 0..<8, using: &random)
            try edit(path) { $0[offset] ^= 1 << bit }
            let isNoticed: Bool
            do {
                let found = try check(path)
                isNoticed = found.firstDamage != nil || found.pagesWithoutChecksum > 0
            } catch {
                isNoticed = (error as? SQLiteError)?.isCorrupt == true
            }
            #expect(isNoticed, "bit \(bit) of byte \(offset), seed \(seed)")
            try whole.write(to: URL(filePath: path))
        }
        for page in used where page > 1 {
            let range = (page - 1) * 4096..<page * 4096
            try edit(path) { $0.replaceSubrange(range, with: Data(count: 4096)) }
            #expect(try check(path).wrongPages.map(\.number) == [page])
            try whole.write(to: URL(filePath: path))
        }
        let (a, b) = ((used[3] - 1) * 4096, (used[4] - 1) * 4096)
        try edit(path) {
            $0.replaceSubrange(a..<a + 4096, with: whole[b..<b + 4096])
            $0.replaceSubrange(b..<b + 4096, with: whole[a..<a + 4096])
        }
        #expect(try check(path).wrongPages.map(\.number) == [used[3], used[4]])
        try whole.write(to: URL(filePath: path))
        #expect(try check(path).firstDamage == nil)
    }

    @Test("Reading a damaged page fails with its number, and the other pages can still be read")
    func reading() throws {
        try make()
        let connection = try Connection(path: path, access: .writeExisting)
        let page: Int = try #require(
            try connection.value(of: "SELECT max(pageno) FROM dbstat WHERE name = 't' AND pagetype = 'leaf'"))
        let other = try Connection(path: path, access: .read)
        try edit(path) { $0[(page - 1) * 4096 + 3000] ^= 16 }
        let reader = try Connection(path: path, access: .read)
        #expect(try reader.checkPages(.quick, atMost: 1).wrongPages.map(\.number) == [page])
        do {
            _ = try reader.uncachedStatement(Self.content).values(String.self)
            Issue.record("The damage was not noticed.")
        } catch {
            #expect(error.isCorrupt && !error.isDiskFailure && error.message == "page \(page): checksum mismatch", "\(error)")
        }
        #expect(throws: SQLiteError.self) { try reader.copy(toNew: directory.path + "/copy") }
        #expect(try reader.value(of: "SELECT y FROM t WHERE x = 1", as: String.self) == "393139")
        let found = try other.checkPages(.whole, atMost: 10)
        #expect(found.wrongPages.map(\.name) == ["page \(page) (t)"] && found.structure == [], "\(found)")
    }

    @Test("A database without checksums stays as it is until it is rewritten, even beside connections that know it from before")
    func older() throws {
        try PlainDatabase(path).run("PRAGMA journal_mode = WAL; \(Self.schema); \(Self.rows(1...400))")
        let expected = try content(path)
        let early = try Connection(path: path, access: .write)
        let reader = try Connection(path: path, access: .read)
        #expect(!early.keepsChecksums)
        try early.execute(Self.rows(401...450))
        try early.checkpointAndTruncate()
        #expect(try check(path).pagesWithoutChecksum >= usedPages(path).count)
        #expect(try content(path).starts(with: expected))
        try early.copy(toNew: directory.path + "/copy")
        #expect(try content(directory.path + "/copy") == content(path))
        let late = try Connection(path: path, access: .write)
        #expect(try reader.value(of: "SELECT count(*) FROM t", as: Int.self) == 450)
        try late.rewriteFile()
        try late.checkpointAndTruncate()
        for part in 0..<3 {
            try early.execute("UPDATE t SET z = zeroblob(900) WHERE x % 3 = \(part)")
            try early.checkpointAndTruncate()
            #expect(try reader.uncachedStatement(Self.content).values(String.self).count == 450)
            try late.execute("UPDATE t SET y = y || 'a' WHERE x % 3 = \(part)")
            try late.checkpointAndTruncate()
        }
        let found = try check(path)
        #expect(found.firstDamage == nil && found.pagesWithoutChecksum == 0, "\(found)")
    }

    @Test("A program without checksums can read, and may write a log into the file; what it changes itself is found")
    func otherPrograms() throws {
        try make()
        let live = try Connection(path: path, access: .write)
        try live.execute("UPDATE t SET y = 'changed' WHERE x < 200; \(Self.rows(1000...1100))")
        // A process that was killed leaves these files.
        let killed = directory.path + "/killed"
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: killed + suffix) }
        let expected = try content(path)
        try PlainDatabase(killed).run("SELECT count(*) FROM t")
        #expect(!FileManager.default.fileExists(atPath: killed + "-wal"), "it has written the log into the file")
        var found = try check(killed)
        #expect(found.firstDamage == nil && found.pagesWithoutChecksum > 0, "\(found)")
        #expect(try content(killed) == expected)
        let kept = try Connection(path: killed, access: .write)
        try kept.rewriteFile()
        try kept.checkpointAndTruncate()
        #expect(try check(killed).pagesWithoutChecksum == 0)

        let edited = try make("edited")
        try PlainDatabase(edited).run("UPDATE t SET y = 'mine' WHERE x = 1")
        found = try check(edited)
        #expect(!found.wrongPages.isEmpty && found.structure.isEmpty, "\(found)")
        // This accepts the change.
        try PlainDatabase(edited).run("VACUUM")
        found = try check(edited)
        #expect(found.firstDamage == nil && found.pagesWithoutChecksum > 0, "\(found)")
        #expect(try content(edited).first?.hasPrefix("1 mine ") == true)
    }

    // MARK: - Remains

    private static func secret(_ number: Int) -> String { "secret-\(number * 7_919 % 100_003)-\(number)" }

    /// Which of some texts are in the files of the database.
    private func found(_ texts: [String]) throws -> [String] {
        let files = try DatabaseFile.suffixes.map { path + $0 }.filter(FileManager.default.fileExists).map {
            try Data(contentsOf: URL(filePath: $0))
        }
        return texts.filter { text in files.contains { $0.range(of: Data(text.utf8)) != nil } }
    }

    @Test("Removed rows leave nothing in the files once the log is written, even where pages were divided", arguments: 1...5)
    func remains(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let connection = try Connection(path: path, access: .write)
        // A connection that has cached the earlier pages must not bring anything back either.
        let other = try Connection(path: path, access: .write)
        try connection.execute(
            "CREATE TABLE t (x INTEGER PRIMARY KEY, y TEXT, z TEXT); CREATE INDEX t_y ON t (y);"
                + "CREATE TABLE w (y TEXT, x INTEGER, PRIMARY KEY (y, x)) WITHOUT ROWID")
        var (left, gone): (Set<Int>, Set<Int>) = ([], [])
        for round in 0..<12 {
            try connection.execute("BEGIN")
            for _ in 0..<150 {
                let number = Int.random(in: 0..<100_000, using: &random)
                guard !gone.contains(number), left.insert(number).inserted else { continue }
                let text = Self.secret(number)
                let long = Int.random(in: 0..<20, using: &random) == 0 ? String(repeating: text, count: 400) : text
                try connection.execute(
                    "INSERT INTO t VALUES (\(number), '\(text)', '\(long)'); INSERT INTO w VALUES ('\(text)', \(number))")
            }
            for number in left.sorted() where Int.random(in: 0..<3, using: &random) == 0 {
                try connection.execute("DELETE FROM t WHERE x = \(number); DELETE FROM w WHERE y = '\(Self.secret(number))'")
                left.remove(number)
                gone.insert(number)
            }
            try connection.execute("COMMIT")
            if round % 2 == 0 { try other.execute("UPDATE t SET z = 'x' || z WHERE x % 7 = \(round % 7)") }
            #expect(try connection.checkpointAndTruncate(), "seed \(seed)")
            #expect(try !connection.mayHaveRemains(), "seed \(seed), round \(round)")
            // The next changes bring pages of the cache into the log.
            try connection.execute("UPDATE t SET z = 'y' || z WHERE x % 5 = \(round % 5)")
            #expect(try found(gone.map(Self.secret)) == [], "seed \(seed), round \(round)")
        }
        #expect(try found(left.map(Self.secret)).count == left.count && gone.count > 300, "seed \(seed)")
        #expect(try check(path).firstDamage == nil, "seed \(seed)")
        #expect(try connection.value(of: "SELECT count(*) FROM t", as: Int.self) == left.count)
        try connection.copy(toNew: directory.path + "/copy")
        #expect(try !Connection(path: directory.path + "/copy", access: .read).mayHaveRemains())
    }

    @Test("Remains that another program has left are found, and removed by rewriting the file")
    func remainsOfOthers() throws {
        let connection = try Connection(path: path, access: .write)
        try connection.execute("\(Self.schema); \(Self.rows(1...400))")
        try connection.checkpointAndTruncate()
        #expect(try !connection.mayHaveRemains())
        for change in ["DELETE FROM t WHERE x % 3 = 0", "DELETE FROM t"] {
            try connection.execute(Self.rows(1000...1400))
            try connection.checkpointAndTruncate()
            try PlainDatabase(path).run("PRAGMA secure_delete = OFF; VACUUM; \(change); PRAGMA wal_checkpoint(TRUNCATE)")
            let late = try Connection(path: path, access: .write)
            #expect(try late.mayHaveRemains(), "\(change)")
            try late.rewriteFile()
            try late.checkpointAndTruncate()
            #expect(try !late.mayHaveRemains() && check(path).firstDamage == nil, "\(change)")
            try late.execute("DELETE FROM t")
        }
    }

    @Test("In a database whose pages can be moved, which has a map of them, nothing is cleared")
    func movablePages() throws {
        try PlainDatabase(path).run("PRAGMA auto_vacuum = FULL; \(Self.schema)")
        let connection = try Connection(path: path, access: .write)
        try connection.rewriteFile()
        try connection.checkpointAndTruncate()
        #expect(connection.keepsChecksums)
        for part in 0..<4 {
            try connection.execute("\(Self.rows(part * 500 + 1...part * 500 + 500)); DELETE FROM t WHERE x % 5 = \(part)")
            try connection.checkpointAndTruncate()
        }
        #expect(try check(path).firstDamage == nil && connection.mayHaveRemains())
    }
}
