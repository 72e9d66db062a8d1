import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Files of a store in use")
struct StoreFileTests {
    private let folder: TemporaryDirectory
    private let directory: DataDirectory
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryDirectory()
        directory = DataDirectory(path: folder.path + "/data")
    }

    /// What a person may do to the files of a running service.
    enum Accident: String, CaseIterable, Sendable {
        case deleteStore, deleteLog, replaceStore, replaceLog

        func happen(to store: String) throws {
            let log = store + "-wal"
            switch self {
            case .deleteStore: #expect(unlink(store) == 0)
            case .deleteLog: #expect(unlink(log) == 0)
            case .replaceStore, .replaceLog:
                let path = self == .replaceStore ? store : log
                try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
                #expect(rename(path + ".copy", path) == 0)
            }
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
        "Nothing is acknowledged after a file was deleted or replaced", arguments: Accident.allCases,
        [Durability.full, .normal])
    func accidents(_ accident: Accident, _ durability: Durability) async throws {
        let writer = try writer(durability)
        for number in 0..<5 { #expect(await accept(writer, number) == nil) }
        try await writer.perform { service throws(Problem) in _ = try service.store.checkpointAndTruncate() }
        for number in 5..<10 { #expect(await accept(writer, number) == nil) }
        try accident.happen(to: directory.storePath)
        for number in 10..<13 { #expect(await accept(writer, number)?.code == "storeReplaced") }
        await #expect(throws: Problem.self) { try await writer.perform { _ in } }
        writer.stop()
        if accident == .deleteStore {
            #expect(DataDirectory.size(directory.storePath + "-wal") > 0, "the log is all that is left")
        }
    }

    @Test("The log of a store whose log file was deleted is not checkpointed with another connection, and nothing is lost")
    func erasingWithoutLog() async throws {
        let writer = try writer(.full)
        for number in 0..<10 { #expect(await accept(writer, number) == nil) }
        try Accident.deleteLog.happen(to: directory.storePath)
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
        try accident.happen(to: directory.storePath)
        batch.rows[0].fix.time = clock.now() + 1
        #expect(problem { try service.accept(batch) }?.code == "storeReplaced")
        #expect(problem { try service.save(Device(id: "b")) }?.code == "storeReplaced")
    }

    @Test(
        "Simulated phones are not shown to a file that is gone, and the problem names it",
        arguments: [Accident.deleteStore, .replaceStore])
    func registryFile(_ accident: Accident) async throws {
        let writer = try writer(.full)
        let device = Device(id: "a", platform: .ios, registry: .simulated)
        _ = try await writer.perform { service throws(Problem) in try service.save(device) }
        #expect(await accept(writer, 0) == nil)
        _ = try writer.phones.phone(of: device, at: clock.now())
        let path = directory.registryFilePath
        try accident.happen(to: path)
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
