import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Partial files")
struct PartialFileTests {
    private let directory: TemporaryDirectory
    private var target: String { directory.path + "/all.backup" }

    init() throws { directory = try TemporaryDirectory() }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

    private func mode(_ path: String) -> mode_t {
        var found = stat()
        return stat(path, &found) == 0 ? found.st_mode & 0o777 : 0
    }

    @Test("A partial file is hidden and private, takes its place when complete, and is removed otherwise")
    func life() throws {
        do {
            let partial = try PartialFile(for: target)
            #expect(try names() == [".all.backup.\(getpid()).picket.partial"] && mode(partial.path) == 0o600)
        }
        #expect(try names() == [])
        try directory.write("before", to: "all.backup")
        chmod(target, 0o644)
        let partial = try PartialFile(for: target)
        try Connection(path: partial.path, access: .exclusive).execute("CREATE TABLE t (x)")
        try partial.moveToTarget()
        #expect(try names() == ["all.backup"] && mode(target) == 0o600)
    }

    @Test("A partial file stays while its process lives, even beside another one for the same path")
    func held() throws {
        let first = try PartialFile(for: target)
        let second = try PartialFile(for: target)
        // The write-ahead log of a file belongs to the file's process.
        try Data().write(to: URL(filePath: first.path + "-wal"))
        _ = try PartialFile(for: directory.path + "/other")
        #expect(first.path != second.path)
        #expect(try names().count == 3)
        withExtendedLifetime((first, second)) {}
    }

    /// The process number of a process that has ended.
    private func endedProcess() throws -> Int32 {
        let process = try TestProcess("/bin/sh", ["-c", "exit 0"])
        process.waitUntilExit()
        return process.processIdentifier
    }

    @Test("A partial file of an ended process is removed by the next one beside it, and no other file is")
    func leftOvers() throws {
        let ended = try endedProcess()
        let gone = [
            ".all.backup.\(ended).picket.partial", ".all.backup.\(ended).picket.partial-journal",
            // The file of another target.
            ".picket-2026-05-01.backup.\(ended).picket.partial",
        ]
        let stay = [
            ".all.backup.\(ended).partial", ".yesterday.backup.\(ended).partial", ".all.backup.x.picket.partial",
            ".all.backup.\(ended).partial.txt", "all.backup.\(ended).picket.partial", ".\(ended).picket.partial",
            ".all.backup.-1.partial", ".all.backup.0.partial", ".download.part", "mine.partial",
        ]
        for name in gone + stay { try directory.write("x", to: name) }
        mkdir(directory.path + "/.all.backup.\(ended).picket.partial-wal", 0o700)
        symlink(directory.path + "/mine.partial", directory.path + "/.link.\(ended).picket.partial")
        let partial = try PartialFile(for: target)
        let left = Set(try names())
        #expect(left.isDisjoint(with: gone), "\(left)")
        #expect(left.isSuperset(of: stay), "\(Set(stay).subtracting(left))")
        #expect(left.contains(".link.\(ended).picket.partial") && left.contains(".all.backup.\(ended).picket.partial-wal"))
        withExtendedLifetime(partial) {}
    }

    @Test("A partial file in a missing directory cannot be made")
    func nowhere() {
        #expect {
            try PartialFile(for: directory.path + "/none/x")
        } throws: { ($0 as? SQLiteError)?.isReadOnly == true }
    }
}
