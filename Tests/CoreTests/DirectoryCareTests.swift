import Foundation
import Model
import Registrations
import SQLite
import TestSupport
import Testing

@testable import Core
@testable import Places

@Suite("Data directories")
struct DirectoryCareTests {
    private let folder: TemporaryDirectory
    private var data: DataDirectory { DataDirectory(path: folder.path + "/data") }

    init() throws { folder = try TemporaryDirectory() }

    private func mode(_ path: String) -> mode_t {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_mode & 0o7777 : 0
    }

    private func modes() throws -> [String: mode_t] {
        Dictionary(
            uniqueKeysWithValues: try FileManager.default.contentsOfDirectory(atPath: data.path).map {
                ($0, mode(data.path + "/" + $0))
            })
    }

    /// Creates a store with simulated phones, and a copy of it.
    private func fill() throws {
        let service = try ServiceWriter(data, purpose: "test")
        try service.save(Device(id: "phone", platform: .ios, registry: .simulated))
        _ = try service.changeSimulatedOS(of: service.device(id: "phone")) { $0.now }
        try ServiceFile(url: "http://x", token: "secret", process: getpid()).write(to: data)
    }

    @Test("A new directory and all its files are for the owner only, regardless of the umask")
    func made() throws {
        let picket = Program(data: data.path)
        let commands = [
            "device add phone --platform ios", "registry show", "backup '\(data.path)/mine.backup'",
            "restore '\(data.path)/mine.backup'", "token create anna --role admin",
        ]
        let script =
            "umask 000; " + commands.map { "'\(Program.path)' --data '\(data.path)' \($0) || exit 1" }.joined(separator: "; ")
        let process = try TestProcess("/bin/sh", ["-c", script], output: .null)
        #expect(process.terminationStatus == 0)
        #expect(mode(data.path) == 0o700)
        let reader = try ServiceReader(data)
        let modes = try modes()
        #expect(modes.count >= 5 && modes.values.allSatisfy { $0 == 0o600 }, "\(modes)")
        withExtendedLifetime((reader, picket)) {}
    }

    @Test("An open directory and Picket's files in it are closed to others once")
    func opened() throws {
        try fill()
        for name in ["before-restore-20260502T100000Z.sqlite", "before-restore-20260501T100000Z.backup"] {
            try Data().write(to: URL(filePath: data.path + "/" + name))
        }
        for name in try modes().keys { chmod(data.path + "/" + name, 0o644) }
        chmod(data.path, 0o755)
        // SQLite gives the log the mode of its database, even if the log is created later.
        do {
            let service = try ServiceWriter(data, purpose: "test")
            let care = try #require(service.care)
            #expect(
                care.restrictedFiles.contains("picket.sqlite")
                    && care.restrictedFiles.contains("before-restore-20260502T100000Z.sqlite"))
            #expect(care.isDirectoryRestricted && care.opennessReason == nil && care.failed.isEmpty && !care.hadNoStore)
            try service.save(Device(id: "other"))
            let modes = try modes()
            #expect(modes.count >= 6 && modes.values.allSatisfy { $0 == 0o600 }, "\(modes)")
            #expect(mode(data.path) == 0o700)
        }
        let again = try ServiceWriter(data, purpose: "test").care
        #expect(again == DirectoryCare(), "there is nothing to tell the second time")
    }

    @Test("A directory with other files keeps its mode, and only Picket's files are closed")
    func shared() throws {
        try FileManager.default.createDirectory(atPath: data.path, withIntermediateDirectories: false)
        chmod(data.path, 0o755)
        let secret = data.path + "/cert.pem"
        try Data().write(to: URL(filePath: secret))
        chmod(secret, 0o644)
        let care = try #require(try ServiceWriter(data, purpose: "test").care)
        #expect(care.hadNoStore && care.opennessReason == .shared(with: "cert.pem") && !care.isDirectoryRestricted)
        #expect(mode(data.path) == 0o755 && mode(secret) == 0o644)
        #expect(mode(data.storePath) == 0o600)
        chmod(data.storePath, 0o640)
        #expect(try ServiceWriter(data, purpose: "test").care?.restrictedFiles == ["picket.sqlite"])
    }

    @Test("A directory that is meant to be shared keeps its mode", arguments: [0o1777, 0o1755] as [mode_t])
    func common(mode wide: mode_t) throws {
        try FileManager.default.createDirectory(atPath: data.path, withIntermediateDirectories: false)
        chmod(data.path, wide)
        #expect(try ServiceWriter(data, purpose: "test").care?.opennessReason == .common)
        #expect(mode(data.path) == wide && mode(data.storePath) == 0o600)
    }

    @Test("A directory with only the settings in it counts as Picket's own")
    func settings() throws {
        try FileManager.default.createDirectory(atPath: data.path, withIntermediateDirectories: false)
        chmod(data.path, 0o750)
        try Data().write(to: URL(filePath: data.path + "/picket.conf"))
        #expect(try ServiceWriter(data, purpose: "test").care?.isDirectoryRestricted == true)
        #expect(mode(data.path) == 0o700)
    }

    @Test("Files elsewhere keep their mode, even behind links")
    func links() throws {
        try fill()
        let other = try folder.write("root's", to: "other")
        chmod(other, 0o644)
        symlink(other, data.path + "/before-restore-x.backup")
        link(other, data.path + "/before-restore-y.backup")
        let care = try #require(try ServiceWriter(data, purpose: "test").care)
        #expect(care.restrictedFiles.isEmpty && mode(other) == 0o644)
    }

    @Test("Partial files of killed processes are removed, and no others")
    func leftOvers() throws {
        try fill()
        // The partial file of a backup into the directory that is still running.
        let live = try PartialFile(for: data.path + "/mine.backup")
        for name in [
            "restoring.partial", "restoring.partial-journal", ".mine.2147483646.picket.partial", "x.partial", ".x.7.partial",
        ] {
            try Data().write(to: URL(filePath: data.path + "/" + name))
        }
        let care = try #require(try ServiceWriter(data, purpose: "test").care)
        #expect(
            care.removed == [
                "restoring.partial", "restoring.partial-journal", ".mine.2147483646.picket.partial",
            ])
        let names = try modes().keys
        #expect(names.contains("x.partial") && names.contains(".x.7.partial"))
        #expect(access(live.path, F_OK) == 0)
    }

    @Test(
        "Picket's files are recognized by name",
        arguments: [
            ("picket.sqlite", true), ("picket.sqlite-wal", true), ("os-registry.sqlite-shm", true), ("picket.lock", true),
            ("service.json", true),
            ("before-restore-x.sqlite-wal", true), ("before-restore-notes.txt", false),
            (".before-restore-x.backup.7.partial", false),
            (".mine.7.partial", false), (".mine.7.picket.partial", true), ("picket.sqlite2", false), ("picket.conf", false),
            ("picket.lock-wal", false),
        ])
    func names(name: String, isOwn: Bool) { #expect(StoreFileName.isOwn(name) == isOwn) }
}
