import Foundation
import Geodesy
import Model
import Settings
import TestSupport
import Testing

@testable import Service

@Suite("Acknowledged inputs that are lost")
struct LostInputTests {
    private let folder: TemporaryDirectory
    private let directory: DataDirectory
    private let clock = Workbench.Clock()

    init() throws {
        folder = try TemporaryDirectory()
        directory = DataDirectory(path: folder.path + "/data")
    }

    /// What may happen to the log of a service that was killed.
    enum Damage: String, CaseIterable, Sendable {
        case none, early, late, header, cut, deleted

        func happen(to log: String) throws {
            if self == .deleted {
                #expect(unlink(log) == 0)
                return
            }
            let file = try #require(FileHandle(forUpdatingAtPath: log))
            defer { file.closeFile() }
            let size = Int(try file.seekToEnd())
            let offset: Int
            switch self {
            case .none, .deleted: return
            case .cut: return try file.truncate(atOffset: UInt64(size / 2))
            case .header: offset = 0
            case .early: offset = 5000
            case .late: offset = size - 5000
            }
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: Data(repeating: 0x5A, count: 64))
        }
    }

    private func accept(_ writer: Writer, _ number: Int) async throws {
        var batch = FixBatch()
        let fix = Fix(time: clock.now() + Double(number - 1000), coordinate: Coordinate(latitude: 52.5, longitude: 13.4))
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "a"), line: 1))
        _ = try await withCheckedContinuation { continuation in
            #expect(writer.submit(batch, policy: .exact) { continuation.resume(returning: $0) })
        }.get()
    }

    private func loss(in directory: DataDirectory) throws -> Int? {
        let problems = try ServiceReader(directory).problems(withDismissed: true, after: nil, limit: 10).items
        guard case .inputsLost(_, let count, _)? = problems.first(where: { $0.source == "job/log" })?.problem else { return nil }
        return count
    }

    @Test(
        "Damage in the log of a killed service is a problem with the number of lost positions", arguments: Damage.allCases,
        [Durability.full, .normal])
    func damage(_ damage: Damage, _ durability: Durability) async throws {
        let other = DataDirectory(path: folder.path + "/other")
        do {
            let writer = try Writer(directory, purpose: "test", durability: durability, clock: clock)
            for number in 0..<5 { try await accept(writer, number) }
            try await writer.perform { service throws(Problem) in _ = try service.store.checkpointAndTruncate() }
            for number in 5..<25 { try await accept(writer, number) }
            // A copy of the files in use is what a killed process leaves.
            try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
            writer.stop()
        }
        // The index of the log is made anew after a restart of the machine.
        try FileManager.default.removeItem(atPath: other.storePath + "-shm")
        try damage.happen(to: other.storePath + "-wal")

        let before = try ServiceReader(other).checkStore()
        let lost = 25 - before.totals.fixes
        #expect((lost == 0) == (damage == .none))
        #expect(before.flaws.first.map(\.kind) == (lost > 0 ? [.lost] : []))
        for _ in 1...2 {
            let writer = try Writer(other, purpose: "test", durability: durability, clock: clock)
            #expect(try loss(in: other) == (lost > 0 ? lost : nil))
            try await accept(writer, 100)
            writer.stop()
        }
        let after = try ServiceReader(other).checkStore()
        #expect(after.isSound == (lost == 0) && after.flaws.first.allSatisfy { $0.details.hasPrefix("\(lost) ") })
        let service = try ServiceWriter(other, purpose: "test", clock: clock)
        if let id = try service.problems(withDismissed: true, after: nil, limit: 10).items.first?.id {
            _ = try service.dismiss(problem: String(id))
        }
        #expect(try service.checkStore().isSound, "a dismissed loss is no flaw")
        clock.set(clock.now() + 2 * 86_400)
        #expect(try service.checkStore().isSound && loss(in: other) == nil, "a dismissal of a loss does not end")
    }

    @Test("When the log of a new store is deleted, everything is reported as lost")
    func new() async throws {
        let other = DataDirectory(path: folder.path + "/other")
        let writer = try Writer(directory, purpose: "test", clock: clock)
        for number in 0..<5 { try await accept(writer, number) }
        try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
        writer.stop()
        for suffix in ["-wal", "-shm"] { #expect(unlink(other.storePath + suffix) == 0) }
        for _ in 1...2 {
            try Writer(other, purpose: "test", clock: clock).stop()
            // The policy of the new device is an input as well.
            #expect(try [5, 6].contains(loss(in: other)))
        }
        #expect(try ServiceReader(other).checkStore().flaws.first.map(\.kind) == [.lost])
    }

    /// The acknowledged inputs and edits that are reported as lost.
    private func losses(in directory: DataDirectory) throws -> [Int]? {
        let problems = try ServiceReader(directory).problems(withDismissed: true, after: nil, limit: 10).items
        guard case .inputsLost(_, let count, let edits)? = problems.first(where: { $0.source == "job/log" })?.problem else {
            return nil
        }
        return [count, edits]
    }

    @Test("A lost edit that is no input, such as a revoked token, is reported", arguments: [Durability.full, .normal])
    func edit(durability: Durability) async throws {
        let other = DataDirectory(path: folder.path + "/other")
        let writer = try Writer(directory, purpose: "test", durability: durability, clock: clock)
        try await accept(writer, 0)
        let token = try await writer.perform { service throws(Problem) in
            try service.createToken(name: "phone", role: .ingest).token
        }
        writer.stop()
        // The second run has edits alone.
        let second = try Writer(directory, purpose: "test", durability: durability, clock: clock)
        try await second.perform { service throws(Problem) in _ = try service.store.checkpointAndTruncate() }
        try await second.perform { service throws(Problem) in _ = try service.revokeToken(id: token.id) }
        try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
        second.stop()
        for suffix in ["-wal", "-shm"] { #expect(unlink(other.storePath + suffix) == 0) }
        #expect(try ServiceReader(other).checkStore().flaws.first.map(\.kind) == [.lost])
        try Writer(other, purpose: "test", clock: clock).stop()
        #expect(try losses(in: other) == [0, 1])
        let problem = Problem.inputsLost(path: "p", count: 0, edits: 1)
        #expect(Language.english.catalog.message(problem).contains("token"))
        #expect(Language.turkish.catalog.message(problem).contains("belirteç"))
        #expect(try ServiceReader(other).accessList().hasToken(id: token.id), "the token is valid again")
    }

    @Test("A loss is counted once, also after a crash between its report and the new record")
    func once() async throws {
        let other = DataDirectory(path: folder.path + "/other")
        let writer = try Writer(directory, purpose: "test", clock: clock)
        try await accept(writer, 0)
        try await writer.perform { service throws(Problem) in _ = try service.store.checkpointAndTruncate() }
        for number in 1..<8 { try await accept(writer, number) }
        try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
        writer.stop()
        for suffix in ["-wal", "-shm"] { #expect(unlink(other.storePath + suffix) == 0) }
        let file = URL(filePath: other.path + "/" + AcknowledgmentRecord.fileName)
        let record = try Data(contentsOf: file)
        for _ in 1...3 {
            try Writer(other, purpose: "test", clock: clock).stop()
            #expect(try loss(in: other) == 7)
            try record.write(to: file)
            #expect(try ServiceReader(other).checkStore().flaws.first.allSatisfy { $0.details.hasPrefix("7 ") })
        }
    }

    @Test("Removed positions and a restored backup are no loss")
    func removed() async throws {
        let writer = try Writer(directory, purpose: "test", clock: clock)
        for number in 0..<5 { try await accept(writer, number) }
        let file = folder.path + "/all.backup"
        _ = try await writer.perform { service throws(Problem) in try service.backup(to: file) }
        for number in 5..<9 { try await accept(writer, number) }
        _ = try await writer.perform { service throws(Problem) in try service.eraseDevice(id: "a") }
        writer.stop()
        try Writer(directory, purpose: "test", clock: clock).stop()
        #expect(try loss(in: directory) == nil)
        _ = try Restoration.restore(file, into: directory)
        try Writer(directory, purpose: "test", clock: clock).stop()
        #expect(try loss(in: directory) == nil)
    }

    @Test("An emptied store is damage, and its log is left as it is")
    func emptied() async throws {
        let other = DataDirectory(path: folder.path + "/other")
        let writer = try Writer(directory, purpose: "test", clock: clock)
        try await accept(writer, 0)
        try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
        writer.stop()
        #expect(truncate(other.storePath, 0) == 0)
        #expect(problem { try ServiceWriter(other, purpose: "test") }?.code == "storeCorrupt")
        #expect(DataDirectory.size(other.storePath + "-wal") > 0)
    }

    @Test("A log without its store is damage and left as it is, and a directory without both is empty")
    func missing() async throws {
        let other = DataDirectory(path: folder.path + "/other")
        let writer = try Writer(directory, purpose: "test", clock: clock)
        try await accept(writer, 0)
        try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
        writer.stop()
        #expect(unlink(other.storePath) == 0)
        #expect(problem { try ServiceWriter(other, purpose: "test") }?.code == "storeCorrupt")
        #expect(DataDirectory.size(other.storePath + "-wal") > 0)
        #expect(try !other.hasStore())
        #expect(unlink(other.storePath + "-wal") == 0)
        #expect(try ServiceWriter(other, purpose: "test").devices().isEmpty)
    }

    @Test("The less room there is, the earlier the log is written into the store")
    func checkpoints() {
        #expect(LogCheckpoint.interval(free: nil) == 16_384 && LogCheckpoint.interval(free: 1 << 40) == 16_384)
        #expect(LogCheckpoint.interval(free: 24 << 20) == 768)
        #expect(LogCheckpoint.interval(free: 0) == 64)
    }
}
