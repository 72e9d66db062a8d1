import Foundation
import Geodesy
import Model
import SQLite
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Service
@testable import Store

@Suite("Files of a store in use")
struct StoreFileTests {
    private let folder: TemporaryDirectory
    private let directory: DataDirectory
    private let clock = Workbench.Clock()

    init() throws {
        folder = try TemporaryDirectory()
        directory = DataDirectory(path: folder.path + "/data")
    }

    /// What a person may do to the files of a running service.
    enum Accident: String, CaseIterable, Sendable {
        case deleteStore, deleteLog, replaceStore, replaceLog, emptyStore, cutStore, emptyLog, cutLog
        /// Like `cp` of an earlier copy, which keeps the file's number.
        case overwriteStore, overwriteStoreWithLonger

        func happen(to directory: DataDirectory) throws {
            let store = directory.storePath
            let log = store + "-wal"
            switch self {
            case .deleteStore: #expect(unlink(store) == 0)
            case .deleteLog: #expect(unlink(log) == 0)
            case .replaceStore, .replaceLog:
                let path = self == .replaceStore ? store : log
                try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
                #expect(rename(path + ".copy", path) == 0)
            case .emptyStore: #expect(truncate(store, 0) == 0)
            case .cutStore: #expect(truncate(store, 8192) == 0)
            case .emptyLog: #expect(truncate(log, 0) == 0)
            case .cutLog: #expect(truncate(log, off_t(DataDirectory.size(log) / 2)) == 0)
            case .overwriteStore, .overwriteStoreWithLonger:
                var content = try Data(contentsOf: URL(filePath: Accident.copy(of: directory)))
                let length = DataDirectory.size(store) + (self == .overwriteStore ? 0 : 8192)
                if content.count < length { content.append(Data(count: length - content.count)) }
                try Self.overwrite(store, with: content)
            }
        }

        /// The path of a copy of the store that was made earlier.
        static func copy(of directory: DataDirectory) -> String { directory.path + "/earlier.copy" }

        /// Writes into a file without replacing it, until its time of modification has changed.
        static func overwrite(_ path: String, with content: Data) throws {
            let file = open(path, O_WRONLY | O_CLOEXEC)
            // The descriptor stays open: closing it would release the locks of SQLite.
            func written() -> timespec {
                var found = stat()
                fstat(file, &found)
                return found.st_mtim
            }
            let before = written()
            repeat {
                #expect(content.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) } == content.count)
            } while written().tv_nsec == before.tv_nsec
        }
    }

    private func writer(_ durability: Durability) throws -> Writer {
        try Writer(directory, purpose: "test", durability: durability, clock: clock)
    }

    /// Stores one position.
    private func accept(_ writer: Writer, _ number: Int) async -> Problem? {
        var batch = FixBatch()
        let fix = Fix(time: clock.now() + Double(number - 1000), coordinate: Coordinate(latitude: 52.5, longitude: 13.4))
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "a"), line: 1))
        let result = await withCheckedContinuation { continuation in
            #expect(writer.submit(batch, policy: .exact) { continuation.resume(returning: $0) })
        }
        switch result {
        case .success: return nil
        case .failure(let problem): return problem
        }
    }

    @Test(
        "Nothing is acknowledged after a file was deleted, replaced or cut", arguments: Accident.allCases,
        [Durability.full, .normal])
    func accidents(_ accident: Accident, _ durability: Durability) async throws {
        let writer = try writer(durability)
        for number in 0..<5 { #expect(await accept(writer, number) == nil) }
        try FileManager.default.copyItem(atPath: directory.storePath, toPath: Accident.copy(of: directory))
        try await writer.perform { service throws(Problem) in _ = try service.store.checkpointAndTruncate() }
        for number in 5..<10 { #expect(await accept(writer, number) == nil) }
        try accident.happen(to: directory)
        for number in 10..<13 { #expect(await accept(writer, number)?.code == "storeReplaced") }
        await #expect(throws: Problem.self) { try await writer.perform { _ in } }
        writer.stop()
        let check = accident == .emptyLog || accident == .cutLog ? try ServiceReader(directory).checkStore() : nil
        if let check {
            #expect(check.flaws.first.map(\.kind) == [.lost], "what was cut from the log is not written into the store")
        }
        if accident == .emptyLog {
            #expect(check?.totals.fixes == 5 && check?.flaws.first.first?.details.hasPrefix("5 ") == true)
        }
        if accident == .deleteStore {
            #expect(DataDirectory.size(directory.storePath + "-wal") > 0, "the log is all that is left")
        }
    }

    @Test("The log of a store whose log file was deleted is not checkpointed with another connection, and nothing is lost")
    func erasingWithoutLog() async throws {
        let writer = try writer(.full)
        for number in 0..<10 { #expect(await accept(writer, number) == nil) }
        try Accident.deleteLog.happen(to: directory)
        do {
            try await writer.prepareErasure()
            Issue.record("The erasure is prepared without a log.")
        } catch {
            #expect(error.code == "storeReplaced")
        }
        writer.stop()
        let check = try ServiceReader(directory).checkStore()
        #expect(check.isSound && check.totals.fixes == 10)
    }

    @Test("A file that is put back is used again, and nothing acknowledged is lost")
    func putBack() async throws {
        let writer = try writer(.full)
        #expect(await accept(writer, 0) == nil)
        #expect(rename(directory.storePath, directory.storePath + ".away") == 0)
        #expect(await accept(writer, 1)?.code == "storeReplaced")
        #expect(rename(directory.storePath + ".away", directory.storePath) == 0)
        #expect(await accept(writer, 2) == nil)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("A rewritten store, which becomes smaller, is still the store")
    func rewriting() async throws {
        let writer = try writer(.full)
        for number in 0..<300 { #expect(await accept(writer, number) == nil) }
        try await writer.perform { service throws(Problem) in _ = try service.store.checkpointAndTruncate() }
        #expect(await accept(writer, 300) == nil)
        let before = DataDirectory.size(directory.storePath)
        let erased = try await writer.perform { service throws(Problem) in try service.eraseDevice(id: "a") }
        #expect(erased.isGone && DataDirectory.size(directory.storePath) < before)
        #expect(await accept(writer, 301) == nil)
        writer.stop()
    }

    @Test("A store that was rewritten before the start, and becomes smaller only later, is still the store")
    func rewrittenBefore() async throws {
        let reader: Connection
        do {
            let writer = try writer(.full)
            for number in 0..<300 { #expect(await accept(writer, number) == nil) }
            writer.stop()
            let service = try ServiceWriter(directory, purpose: "test", clock: clock)
            #expect(try service.eraseDevice(id: "a", rewriting: false).isGone)
            reader = try Connection(path: directory.storePath, access: .read, busyTimeout: 0)
            try reader.execute("BEGIN; SELECT count(*) FROM event")
            try service.store.connection.execute("PRAGMA busy_timeout = 50")
            #expect(try !service.rewrite(), "the reader keeps the log")
        }
        let before = DataDirectory.size(directory.storePath)
        let writer = try writer(.full)
        #expect(await accept(writer, 300) == nil)
        try reader.execute("COMMIT")
        try await writer.perform { service throws(Problem) in
            let isDone = try service.store.checkpointAndTruncate()
            #expect(isDone)
        }
        #expect(DataDirectory.size(directory.storePath) < before)
        for number in 301..<303 { #expect(await accept(writer, number) == nil) }
        writer.stop()
    }

    @Test("A store that is only touched is still the store")
    func touched() async throws {
        let writer = try writer(.full)
        #expect(await accept(writer, 0) == nil)
        #expect(utimensat(AT_FDCWD, directory.storePath, nil, 0) == 0)
        for number in 1..<3 { #expect(await accept(writer, number) == nil) }
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    /// A store with some positions in its log, and the check of its files.
    private func makeCheck(
        read: @escaping StoreFileCheck.PositionedRead = { pread($0, $1, $2, $3) }
    ) throws -> (service: ServiceWriter, check: StoreFileCheck) {
        let service = try ServiceWriter(directory, purpose: "test", clock: clock)
        _ = try service.save((0..<50).map { Device(id: "d\($0)") })
        let check = try StoreFileCheck(store: directory.storePath, contentBytes: try service.store.contentBytes(), read: read)
        return (service, check)
    }

    @Test("A log that was cut before the first check is a problem")
    func cutBeforeCheck() throws {
        let (service, check) = try makeCheck()
        try Accident.cutLog.happen(to: directory)
        #expect(check.problem()?.code == "storeReplaced")
        service.store.keepLogOnClose()
    }

    @Test("A failed read of the log is a problem only until it can be read again")
    func failedRead() throws {
        let fails = Mutex(false)
        let (service, check) = try makeCheck { descriptor, buffer, count, offset in
            guard fails.withLock({ $0 }) else { return pread(descriptor, buffer, count, offset) }
            errno = EIO
            return -1
        }
        #expect(check.problem() == nil)
        fails.withLock { $0 = true }
        #expect(check.problem()?.code == "fileFailed" && !check.isAltered)
        fails.withLock { $0 = false }
        #expect(check.standingProblem() == nil && !check.mustKeepLog())
        withExtendedLifetime(service) {}
    }

    @Test("A rewrite that did not make the store smaller lets nobody else cut it")
    func unchangedRewrite() throws {
        let (service, check) = try makeCheck()
        check.expectRewrite()
        try check.beginWriting()
        _ = try service.store.checkpointAndTruncate()
        check.endWriting(contentBytes: try service.store.contentBytes())
        #expect(check.problem() == nil)
        try Accident.cutStore.happen(to: directory)
        #expect(check.problem()?.code == "storeReplaced")
        service.store.keepLogOnClose()
    }

    @Test(
        "A command does not report success for what went into a store that is gone",
        arguments: [Accident.deleteStore, .replaceStore])
    func command(_ accident: Accident) throws {
        let service = try ServiceWriter(directory, purpose: "test", clock: clock)
        var batch = FixBatch()
        batch.rows.append(
            .init(
                fix: Fix(time: clock.now(), coordinate: Coordinate(latitude: 1, longitude: 2)),
                device: batch.number(ofDevice: "a"),
                line: 1))
        #expect(try service.accept(batch).counts.accepted == 1)
        try accident.happen(to: directory)
        batch.rows[0].fix.time = clock.now() + 1
        #expect(problem { try service.accept(batch) }?.code == "storeReplaced")
        #expect(problem { try service.save(Device(id: "b")) }?.code == "storeReplaced")
    }

    @Test(
        "Simulated phones are not shown to a file that is gone, and the problem names it",
        arguments: [Accident.deleteStore, .replaceStore, .emptyStore])
    func registryFile(_ accident: Accident) async throws {
        let writer = try writer(.full)
        let device = Device(id: "a", platform: .ios, registry: .simulated)
        _ = try await writer.perform { service throws(Problem) in try service.save(device) }
        #expect(await accept(writer, 0) == nil)
        _ = try writer.phones.phone(of: device, at: clock.now())
        let path = directory.registryFilePath
        switch accident {
        case .deleteStore: #expect(unlink(path) == 0)
        case .replaceStore:
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            #expect(rename(path + ".copy", path) == 0)
        default: #expect(truncate(path, 0) == 0)
        }
        #expect(await accept(writer, 1) == nil, "positions are stored regardless")
        let found = problem { try writer.phones.phone(of: device, at: clock.now()) }
        #expect(found == .storeReplaced(path: path))
        writer.stop()
    }

    @Test("A deleted lock file lets no second writer in")
    func lockFile() throws {
        let lock = try DirectoryLock(directory, purpose: "serve")
        #expect(unlink(directory.path + "/picket.lock") == 0)
        #expect(DirectoryLock.isHeld(directory))
        let found = problem { try DirectoryLock(directory, purpose: "serve", patience: 0) }
        #expect(found?.code == "storeBusy")
        withExtendedLifetime(lock) {}
    }
}
