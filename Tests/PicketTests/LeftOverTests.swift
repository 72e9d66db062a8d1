import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Leftovers of killed commands")
struct LeftOverTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        try shell.picket.run("registry", "show")
    }

    private var data: String { shell.picket.data }

    private func partials(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".partial") }
    }

    /// Waits until a condition is true, and fails when the process ends first.
    private func wait(_ running: Program.Running, until isSo: () throws -> Bool) throws {
        while try !isSo() {
            guard running.process.isRunning else {
                Issue.record("it ended: \(String(decoding: running.errors.readDataToEndOfFile(), as: UTF8.self))")
                return
            }
            sched_yield()
        }
    }

    @Test("The next backup into the same directory removes the partial file of a killed backup")
    func backup() throws {
        let folder = try TemporaryDirectory()
        // The backup has copied the store, and waits for the file of the phones.
        let phones = try Connection(path: data + "/os-registry.sqlite", access: .write)
        try phones.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE phone SET state = state; COMMIT")
        let running = try shell.picket.start(["backup", folder.path + "/monday.backup"])
        try wait(running) { try !partials(folder.path).isEmpty }
        running.kill()
        #expect(try partials(folder.path).count == 1)
        try phones.execute("PRAGMA locking_mode = NORMAL; BEGIN; SELECT count(*) FROM phone; COMMIT")
        #expect(try shell.picket.run("backup", folder.path + "/tuesday.backup").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tuesday.backup"])
    }

    @Test("The next writing command removes the partial file of a killed restore, and says so")
    func restore() throws {
        let folder = try TemporaryDirectory()
        let backup = folder.path + "/all.backup"
        #expect(try shell.picket.run("backup", backup).status == 0)
        // The restore is prepared, and waits for the lock to replace the store.
        let store = try Connection(path: data + "/picket.sqlite", access: .write)
        try store.execute("BEGIN IMMEDIATE")
        let running = try shell.picket.start(["restore", backup])
        try wait(running) {
            try FileManager.default.contentsOfDirectory(atPath: data).contains { $0.hasPrefix("before-restore-") }
        }
        running.kill()
        #expect(try partials(data).contains("restoring.partial"))
        try store.execute("ROLLBACK")
        let next = try shell.picket.run("device", "add", "other")
        #expect(
            next.status == 0
                && next.errors.contains("Removed incomplete files of a killed command from '\(data)': restoring.partial"))
        #expect(try partials(data) == [])
        #expect(try shell.picket.run("check").status == 0)
    }

    @Test("A starting service removes leftovers, and logs it")
    func serve() throws {
        try Data().write(to: URL(filePath: data + "/restoring.partial"))
        chmod(data + "/picket.sqlite", 0o644)
        let service = try RunningService(data: data)
        #expect(try partials(data) == [])
        service.kill()
        let log = String(decoding: service.running.errors.readDataToEndOfFile(), as: UTF8.self)
        #expect(log.contains("leftovers") && log.contains("restoring.partial"), "\(log)")
        #expect(log.contains("permissions") && log.contains("picket.sqlite"), "\(log)")
    }
}
