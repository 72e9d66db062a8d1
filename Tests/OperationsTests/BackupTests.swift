import Foundation
import Model
import Registrations
import SQLite
import ServiceTestSupport
import Settings
import SimulatedOS
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Operations
@testable import Places
@testable import Presence

@Suite("Backups")
struct BackupTests {
    private let bench: Workbench
    private let folder: TemporaryDirectory
    private var file: String { folder.path + "/all.backup" }
    private var other: DataDirectory { DataDirectory(path: folder.path + "/other") }

    init() throws {
        bench = try Workbench()
        folder = try TemporaryDirectory()
    }

    private func live(seed: UInt64, steps: Int = 80) throws -> LivedHistory {
        var history = LivedHistory(seed: seed)
        try bench.service.save(Device(id: "phone", platform: .ios, registry: .simulated))
        _ = try bench.service.changeSimulatedOS(of: bench.service.device(id: "phone")) { $0.now }
        for _ in 0..<steps { try history.step(bench.service) }
        return history
    }

    /// The content of a data directory, as far as queries return it.
    private func contents(_ service: ServiceWriter) throws -> [String] {
        var lines: [String] = []
        try service.forEachGeofence { lines.append($0.json.description) }
        lines += try service.devices().map(\.json.description)
        try service.forEachEvent(.init()) { lines.append($0.json.description) }
        lines += try service.deviceStatuses().map(\.json.description)
        for device in try service.store.devices() {
            try service.store.forEachFix(service.store.fixNumbers(of: device.key)) { fix, _ in lines.append("\(fix)") }
        }
        return lines
    }

    private func files(_ path: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    @Test("A backup restores everything in another directory")
    func roundTrip() throws {
        _ = try live(seed: 1)
        let backup = try bench.service.backup(to: file)
        #expect(backup.phones == 1 && backup.totals.fixes > 100)
        #expect(try files(folder.path) == ["all.backup"], "no log beside it, nothing half done")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)

        let restored = try Restoration.restore(file, into: other, clock: TestClock())
        #expect(restored.preservedPaths.isEmpty && restored.phones == 1 && restored.backupCreatedAt == TestClock().now())
        let service = try ServiceWriter(other, purpose: "test", clock: TestClock())
        #expect(try contents(service) == contents(bench.service))
        #expect(try service.checkStore().isSound)
        #expect(
            try Connection(path: other.storePath, access: .read).statement(
                "SELECT count(*) FROM sqlite_master WHERE name IN ('backup', 'phone')"
            ).firstNumber == 0)
        // The restored store continues like the original.
        var history = LivedHistory(seed: 99)
        history.time = history.time + 1_000_000
        let request = history.request()
        let start = try service.epochs().current.start
        let newest = try bench.service.newestSequence()
        #expect(start > newest)
        // The events are equal except for their numbers, which were never used before.
        let numbered = try bench.service.accept(request).events.map { event in
            var event = event
            event.sequence += start - newest
            return event.json
        }
        #expect(try service.accept(request).events.map(\.json) == numbered && !numbered.isEmpty)
        #expect(try service.checkStore().isSound)
    }

    // MARK: - Settings

    private func settings(_ flags: [String: String] = [:], _ environment: [String: String] = [:]) throws -> Settings {
        try Settings(
            flags: flags, environment: environment, dataDirectory: bench.data.path, systemFile: folder.path + "/system.conf")
    }

    @Test("A backup contains both files of settings, and names what it does not contain")
    func settingsFiles() throws {
        _ = try live(seed: 6, steps: 5)
        let own = "# mine\ntimezone = Europe/Berlin\ntls-cert = /tls/cert.pem\ntls-key = /tls/key.pem\n"
        try Data(own.utf8).write(to: URL(filePath: bench.data.path + "/picket.conf"))
        try folder.write("public-url = https://home.example\n", to: "system.conf")
        let secret = try folder.write("abc\n", to: "token")
        let settings = try settings(
            ["quiet-hours": "22:00-07:00"],
            ["PICKET_TOKEN_FILE": secret, "PICKET_KEEP_POSITIONS": "90d", "TZ": "UTC", "PICKET_SERVER": "http://a.example"])
        let backup = try bench.service.backup(to: file, settings: settings)
        #expect(
            Set(backup.omissions)
                == [
                    .init(setting: "tls-cert", source: "/tls/cert.pem"), .init(setting: "tls-key", source: "/tls/key.pem"),
                    .init(setting: "token", source: secret), .init(setting: "quiet-hours", source: "--quiet-hours"),
                    .init(setting: "keep-positions", source: "PICKET_KEEP_POSITIONS"),
                ])
        #expect(backup.json["notIncluded"]?.array?.count == 5)
        // Another machine without settings gets those of the directory, and is told those of the system.
        let restored = try Restoration.restore(file, into: other, systemFile: folder.path + "/none", clock: TestClock())
        let path = other.path + "/picket.conf"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == own)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(restored.settings.createdFile == path)
        #expect(
            restored.settings.differences
                == [.init(file: folder.path + "/none", name: "public-url", backup: "https://home.example", here: nil)])
        #expect(
            try Connection(path: other.storePath, access: .read).statement(
                "SELECT count(*) FROM sqlite_master WHERE name = 'settings_file'"
            ).firstNumber == 0)
    }

    @Test("A restore keeps existing settings, and lists those that differ without secrets")
    func differingSettings() throws {
        _ = try live(seed: 7, steps: 5)
        let own = "timezone = Europe/Berlin\nmqtt = mqtts://u:first@broker.example\npolicy = exact\nfuture = 1\n"
        try Data(own.utf8).write(to: URL(filePath: bench.data.path + "/picket.conf"))
        _ = try bench.service.backup(to: file)
        try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
        let here = "timezone = Europe/Paris # here\nmqtt = mqtts://u:second@broker.example\npolicy=exact\nlanguage = tr\n"
        let path = try folder.write(here, to: "other/picket.conf")
        let restored = try Restoration.restore(file, into: other, systemFile: folder.path + "/none", clock: TestClock())
        #expect(try String(contentsOfFile: path, encoding: .utf8) == here)
        let found = restored.settings.differences
        #expect(restored.settings.createdFile == nil && found.map(\.name) == ["future", "language", "mqtt", "timezone"])
        #expect(found.last == .init(file: path, name: "timezone", backup: "Europe/Berlin", here: "Europe/Paris"))
        #expect(found.first?.backup == "(hidden)" && found.first?.here == nil)
        let text = restored.json.description
        #expect(text.contains("Europe/Paris") && !text.contains("first") && !text.contains("second"), "\(text)")
    }

    @Test("The name of a scheduled backup is its time, and other names are none")
    func scheduledNames() {
        let time = Instant("2026-05-01T10:15:00Z")!
        #expect(BackupFolder.name(at: time) == "picket-2026-05-01T101500Z.backup")
        #expect(BackupFolder.time(of: "picket-2026-05-01T101500Z.backup") == time)
        for other in [
            "", "picket.backup", "picket-2026-05-01.backup", "picket-2026-05-01T10:15:00Z.backup",
            "picket-2026-05-01T101500Z.backup.old", ".picket-2026-05-01T101500Z.backup", "picket-2026-13-01T101500Z.backup",
            "picket-2026-05-01T1015Z.backup", "Picket-2026-05-01T101500Z.backup",
        ] { #expect(BackupFolder.time(of: other) == nil, "\(other)") }
    }

    @Test("A backup holds one moment, and finishes beside a writer that commits at every step")
    func beside() throws {
        var history = try live(seed: 2)
        try bench.grow(pages: 6000)
        let reader = try ServiceReader(bench.data)
        var steps = 0
        let before = try reader.totals()
        let backup = try reader.backup(to: file) { _, _, _ in
            steps += 1
            do { _ = try bench.service.accept(history.request()) } catch { Issue.record(error) }
        }
        #expect(steps > 10)
        #expect(backup.totals.fixes == before.fixes)
        #expect(try reader.totals().fixes > before.fixes)
        _ = try Restoration.restore(file, into: other)
        let check = try ServiceReader(other).checkStore()
        #expect(check.isSound && check.totals.fixes == before.fixes)
    }

    @Test("A backup replaces no file unless asked to, and never the store")
    func targets() throws {
        _ = try live(seed: 3, steps: 10)
        try folder.write("mine", to: "all.backup")
        #expect(problem { try bench.service.backup(to: file) }?.code == "conflict")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        #expect(problem { try bench.service.backup(to: folder.path, replacing: true) }?.code == "fileFailed")
        #expect(problem { try bench.service.backup(to: bench.data.storePath, replacing: true) }?.code == "fileFailed")
        #expect(problem { try bench.service.backup(to: folder.path + "/none/x") }?.code == "fileFailed")
        _ = try bench.service.backup(to: file, replacing: true)
        #expect(try files(folder.path) == ["all.backup"])
        #expect(problem { try ServiceReader(other).backup(to: folder.path + "/x") }?.code == "fileFailed")
    }

    @Test("A restore keeps the replaced data as a backup that can be restored in turn")
    func kept() throws {
        _ = try live(seed: 4)
        _ = try bench.service.backup(to: file)
        do {
            let service = try ServiceWriter(other, purpose: "test")
            try service.save(Device(id: "mine"))
        }
        let reader = try ServiceReader(other)
        let restored = try Restoration.restore(file, into: other, clock: TestClock())
        #expect(restored.preservedPaths == [other.path + "/before-restore-20261120T120000Z.backup"])
        // A reader that had the store open sees the new one.
        #expect(try reader.devices().map(\.id) == bench.service.devices().map(\.id))
        let again = try Restoration.restore(restored.preservedPaths[0], into: other, clock: TestClock())
        #expect(again.preservedPaths == [other.path + "/before-restore-20261120T120000Z-2.backup"])
        #expect(try ServiceReader(other).devices().map(\.id) == ["mine"])
    }

    @Test("A restore is refused during writing and for backups that are newer, damaged or foreign, and changes nothing")
    func refusals() throws {
        _ = try live(seed: 5)
        try bench.grow(pages: 300)
        _ = try bench.service.backup(to: file)
        #expect(problem { try Restoration.restore(file, into: bench.data) }?.code == "storeBusy")

        do { try ServiceWriter(other, purpose: "test").save(Device(id: "mine")) }
        let copies = ["newer", "damaged", "foreign", "text", "half", "older"].map { folder.path + "/" + $0 }
        for copy in copies { try FileManager.default.copyItem(atPath: file, toPath: copy) }
        try Connection(path: copies[0], access: .exclusive).execute("PRAGMA user_version = 99")
        var bytes = try Data(contentsOf: URL(filePath: file))
        for index in 40_960..<81_920 { bytes[index] = 0xA5 }
        try bytes.write(to: URL(filePath: copies[1]))
        try FileManager.default.removeItem(atPath: copies[2])
        try Connection(path: copies[2], access: .exclusive).execute("CREATE TABLE fix (x); PRAGMA user_version = 1")
        try folder.write("no database at all", to: "text")
        try bytes.prefix(200_000).write(to: URL(filePath: copies[4]))
        try Connection(path: copies[5], access: .exclusive).execute("PRAGMA application_id = 0")
        let expected = [
            "storeTooNew", "storeCorrupt", "unsupportedFormat", "storeCorrupt", "storeCorrupt", "migrationFailed",
        ]
        for (copy, code) in zip(copies, expected) {
            let found = problem { try Restoration.restore(copy, into: other) }
            #expect(found?.code == code, "\(copy)")
            #expect(found.map { $0.message.description.contains(copy) } == true, "it names \(copy)")
        }
        #expect(problem { try Restoration.restore(folder.path + "/nowhere", into: other) }?.code == "fileFailed")
        #expect(problem { try Restoration.restore(other.storePath, into: other) }?.code == "fileFailed")
        #expect(try ServiceReader(other).devices().map(\.id) == ["mine"])
        #expect(try files(other.path).filter { !$0.hasPrefix("picket.") } == [])
    }

    @Test("A restore over a damaged store keeps the damaged files")
    func overDamage() throws {
        _ = try live(seed: 6)
        _ = try bench.service.backup(to: file)
        try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
        try Data("garbage".utf8).write(to: URL(filePath: other.storePath))
        try Data("more".utf8).write(to: URL(filePath: other.registryFilePath))
        let restored = try Restoration.restore(file, into: other, clock: TestClock())
        #expect(
            restored.preservedPaths == ["", "-os-registry"].map { other.path + "/before-restore-20261120T120000Z\($0).sqlite" })
        #expect(try String(contentsOfFile: restored.preservedPaths[0], encoding: .utf8) == "garbage")
        #expect(try ServiceReader(other).checkStore().isSound)
    }
}

extension Workbench {
    /// Increases the size of the store's file.
    func grow(pages: Int) throws {
        try service.store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            for number in 0..<pages * 4 {
                try service.store.saveDevice(
                    Device(
                        id: "filler \(number)", name: String(repeating: "x", count: 120),
                        groups: [String(repeating: "g", count: 700)]), in: transaction)
            }
        }
    }
}
