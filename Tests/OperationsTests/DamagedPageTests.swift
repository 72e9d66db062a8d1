import Foundation
import Model
import Registrations
import SQLite
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Operations
@testable import Places
@testable import Presence
@testable import Store

@Suite("Damaged pages")
struct DamagedPageTests {
    private let bench: Workbench
    private let folder: TemporaryDirectory
    private var backup: String { folder.path + "/all.backup" }

    init() throws {
        bench = try Workbench()
        folder = try TemporaryDirectory()
    }

    private func live(seed: UInt64) throws {
        var history = LivedHistory(seed: seed)
        try bench.service.save(Device(id: "phone", platform: .ios, registry: .simulated))
        _ = try bench.service.changeSimulatedOS(of: bench.service.device(id: "phone")) { $0.now }
        for _ in 0..<60 { try history.step(bench.service) }
        _ = try bench.service.backup(to: backup)
    }

    /// Random bits of the pages that belong to a table or an index.
    private func bits(of path: String, _ count: Int, seed: UInt64) throws -> [(offset: Int, bit: Int)] {
        let connection = try Connection(path: path, access: .read)
        defer { withExtendedLifetime(connection) {} }
        let pages: [Int] = try connection.uncachedStatement("SELECT pageno FROM dbstat").values()
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in
            let page = pages.randomElement(using: &random)!
            return ((page - 1) * 4096 + Int.random(in: 0..<4096, using: &random), Int.random(in: 0..<8, using: &random))
        }
    }

    private func flip(_ flipped: (offset: Int, bit: Int), in path: String, of whole: Data) throws {
        var bytes = whole
        bytes[flipped.offset] ^= 1 << UInt8(flipped.bit)
        try bytes.write(to: URL(filePath: path))
    }

    @Test("A restore refuses a backup with one flipped bit, wherever it is")
    func restore() throws {
        let seed = UInt64.random(in: 0 ... .max)
        try live(seed: 11)
        let whole = try Data(contentsOf: URL(filePath: backup))
        let other = DataDirectory(path: folder.path + "/other")
        for flipped in try bits(of: backup, 60, seed: seed) {
            try flip(flipped, in: backup, of: whole)
            let found = problem { try Restoration.restore(backup, into: other) }
            #expect(found != nil, "bit \(flipped.bit) of byte \(flipped.offset), seed \(seed)")
            #expect(!FileManager.default.fileExists(atPath: other.storePath))
        }
        try whole.write(to: URL(filePath: backup))
        _ = try Restoration.restore(backup, into: other)
    }

    @Test("A check finds one flipped bit of a store or of the simulated phones, wherever it is")
    func check() throws {
        let seed = UInt64.random(in: 0 ... .max)
        try live(seed: 12)
        let data = DataDirectory(path: folder.path + "/data")
        _ = try Restoration.restore(backup, into: data)
        let sound = try ServiceReader(data).checkStore()
        #expect(sound.isSound && sound.pagesWithoutChecksum == 0 && sound.phones == 1, "\(sound)")
        for (path, count) in [(data.storePath, 60), (data.registryFilePath, 20)] {
            let whole = try Data(contentsOf: URL(filePath: path))
            for flipped in try bits(of: path, count, seed: seed) {
                try flip(flipped, in: path, of: whole)
                let check: StoreCheck
                do {
                    check = try ServiceReader(data).checkStore()
                } catch {
                    check = try #require(Queries.failedCheck(error), "\(error)")
                }
                #expect(
                    check.flaws.first.contains { [.checksum, .damaged, .phone].contains($0.kind) },
                    "bit \(flipped.bit) of byte \(flipped.offset) of \(path), seed \(seed)")
            }
            try whole.write(to: URL(filePath: path))
        }
    }

    @Test("A check names the page and its table; reading it says that the store is damaged, and a backup is refused")
    func named() throws {
        try live(seed: 13)
        let data = DataDirectory(path: folder.path + "/data")
        _ = try Restoration.restore(backup, into: data)
        let page: Int = try #require(
            try Connection(path: data.storePath, access: .read)
                .value(of: "SELECT min(pageno) FROM dbstat WHERE name = 'fix' AND pagetype = 'leaf'"))
        let whole = try Data(contentsOf: URL(filePath: data.storePath))
        try flip((page * 4096 - 100, 3), in: data.storePath, of: whole)
        let reader = try ServiceReader(data)
        #expect(
            try reader.checkStore().flaws.first.first == StoreFlaw(.checksum, "page \(page) (fix) differs from what was written"))
        let damage = Problem.storeCorrupt(path: data.storePath, details: "page \(page): checksum mismatch")
        #expect(
            problem {
                for device in try reader.store.devices() {
                    try reader.store.forEachFix(reader.store.fixNumbers(of: device.key)) { _, _ in }
                }
                return ()
            } == damage)
        #expect(problem { try reader.backup(to: folder.path + "/second.backup") } == damage)
        #expect(try reader.devices().count == bench.service.devices().count, "the rest can be read")
        // The damaged store is kept when a backup replaces it.
        let restored = try Restoration.restore(backup, into: data)
        #expect(restored.preservedPaths.first?.hasSuffix(".sqlite") == true)
        #expect(try ServiceReader(data).checkStore().isSound)
    }

    @Test("A restore of a backup without checksums creates a store with checksums")
    func older() throws {
        try PlainDatabase(backup).run("CREATE TABLE first (x); DROP TABLE first")
        do {
            let old = try Connection(path: backup, access: .exclusive)
            try Schema.migrations.run(on: old)
            for number in 1...2000 {
                try old.execute(
                    "INSERT INTO device (id, name, registry, auto_repair, silent_after) VALUES ('d\(number)', 'D', 'none', 0, 21600)"
                )
            }
        }
        #expect(try !Connection(path: backup, access: .read).keepsChecksums)
        // The doctor says it of a store.
        let old = DataDirectory(path: folder.path + "/old")
        try FileManager.default.createDirectory(atPath: old.path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: backup, toPath: old.storePath)
        func remarks(_ data: DataDirectory) -> [String] {
            let settings = Result { () throws(Problem) in
                try Settings(flags: [:], environment: [:], dataDirectory: data.path, systemFile: "/none")
            }
            let machine = MachineFacts(freeBytes: 1 << 40, isClockSynchronized: true)
            var doctor = Doctor(of: data, settings: settings, machine: machine, at: Instant("2026-11-20T12:00:00Z")!) { _ in [] }
            doctor.examine(Result { () throws(Problem) in try ServiceReader(data) })
            return doctor.findings.map(\.code).filter { $0 == "withoutChecksums" }
        }
        #expect(remarks(old) == ["withoutChecksums"])
        let data = DataDirectory(path: folder.path + "/data")
        _ = try Restoration.restore(backup, into: data)
        let check = try ServiceReader(data).checkStore()
        #expect(check.isSound && check.pagesWithoutChecksum == 0, "\(check)")
        #expect(try ServiceReader(data).devices().count == 2000)
        #expect(remarks(data).isEmpty)
    }
}
