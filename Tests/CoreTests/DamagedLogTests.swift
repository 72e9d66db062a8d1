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

@Suite("Damage in the log of a killed service")
struct DamagedLogTests {
    private let folder: TemporaryDirectory
    private let directory: DataDirectory
    private let clock = TestClock()

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
            // Derived data that follows the last positions may be in the log as well.
            case .late: offset = size * 5 / 8
            }
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: Data(repeating: 0x5A, count: 64))
        }
    }

    private func accept(_ writer: Writer, _ number: Int) async throws {
        var batch = FixBatch()
        let fix = Fix(time: clock.now() + Double(number - 1000), coordinate: Coordinate(latitude: 52.5, longitude: 13.4))
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "a"), line: 1))
        _ = try await writer.store(batch)
    }

    /// What a killed service leaves after one position.
    private func killed() async throws -> DataDirectory {
        let other = DataDirectory(path: folder.path + "/other")
        let writer = try Writer(directory, purpose: "test", clock: clock)
        try await accept(writer, 0)
        // A copy of the files in use is what a killed process leaves.
        try FileManager.default.copyItem(atPath: directory.path, toPath: other.path)
        writer.stop()
        return other
    }

    @Test(
        "The store continues with what was in the log before the damage", arguments: Damage.allCases,
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
        // The index of the log is created again after a restart of the machine.
        try FileManager.default.removeItem(atPath: other.storePath + "-shm")
        try damage.happen(to: other.storePath + "-wal")

        let writer = try Writer(other, purpose: "test", durability: durability, clock: clock)
        try await accept(writer, 100)
        writer.stop()
        let check = try ServiceReader(other).checkStore()
        #expect(check.isSound && (6...26).contains(check.totals.fixes))
        #expect((check.totals.fixes == 26) == (damage == .none))
    }

    @Test("An emptied store is damage, and its log is left as it is")
    func emptied() async throws {
        let other = try await killed()
        #expect(truncate(other.storePath, 0) == 0)
        #expect(problem { try ServiceWriter(other, purpose: "test") }?.code == "storeCorrupt")
        #expect(DataDirectory.size(other.storePath + "-wal") > 0)
    }

    @Test("A log without its store is damage and left as it is, and a directory without both is empty")
    func missing() async throws {
        let other = try await killed()
        #expect(unlink(other.storePath) == 0)
        #expect(problem { try ServiceWriter(other, purpose: "test") }?.code == "storeCorrupt")
        #expect(DataDirectory.size(other.storePath + "-wal") > 0)
        #expect(try !other.hasStore())
        #expect(unlink(other.storePath + "-wal") == 0)
        #expect(try ServiceWriter(other, purpose: "test").devices().isEmpty)
    }
}
