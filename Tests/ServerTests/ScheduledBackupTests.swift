import Core
import Foundation
import Model
import Operations
import Presence
import Service
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Scheduled backups", .timeLimit(.minutes(60)))
struct ScheduledBackupTests {
    private let folder: TemporaryDirectory
    private var backups: String { folder.path + "/backups" }

    init() throws {
        folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
    }

    private func bench(_ flags: [String: String] = [:]) throws -> ServerBench {
        try ServerBench(logLevel: .info, flags: ["backup-to": backups].merging(flags) { $1 })
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: backups).sorted() }

    /// Begins a backup if one is due, and waits for it. The service's own housekeeping may have begun it.
    private func tick(_ bench: ServerBench) async throws {
        let scheduled = bench.server.api.scheduledBackups
        for _ in 0..<2 {
            while scheduled.isRunning.load(ordering: .acquiring) { await Task.yield() }
            scheduled.tick()
        }
        while scheduled.isRunning.load(ordering: .acquiring) { await Task.yield() }
        // The problem journal.
        for _ in 0..<2 { try await bench.server.api.store.writer.perform { _ in } }
    }

    private func problem(_ bench: ServerBench) async throws -> JSONValue? {
        let problems = try await bench.json("/v1/problems?all=true")["problems"]?.array
        return problems?.first { $0["source"]?.string == "job/backup" }?["problem"]
    }

    @Test("A backup is made at the start and after each interval, and the oldest ones are removed, but no other file")
    func schedule() async throws {
        try folder.write("mine", to: "backups/picket-mine.backup")
        try folder.write("mine", to: "backups/picket-2026-02-31T000000Z.backup")
        let bench = try bench(["backup-every": "12h", "backup-keep": "2"])
        let kept = ["picket-2026-02-31T000000Z.backup", "picket-mine.backup"]
        try await tick(bench)
        #expect(try files() == (kept + ["picket-2026-11-20T120000Z.backup"]).sorted())
        let path = backups + "/picket-2026-11-20T120000Z.backup"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let start = bench.clock.now()
        bench.clock.set(start + 43_199)
        try await tick(bench)
        #expect(try files().count == 3)
        for hours in [12.0, 24] {
            bench.clock.set(start + hours * 3600)
            try await tick(bench)
        }
        #expect(
            try files() == (kept + ["picket-2026-11-21T000000Z.backup", "picket-2026-11-21T120000Z.backup"]).sorted())
        let lines = try bench.log.split(separator: "\n").filter { $0.contains("A scheduled backup was made") }
        #expect(lines.count == 3 && lines[2].contains("removed=1"), "\(lines)")
        let metrics = bench.server.api.diagnostics.metrics.rendered(at: start)
        #expect(metrics.contains("picket_backup_last_timestamp_seconds \((start + 86_400).milliseconds / 1000)"), "\(metrics)")
        #expect(try await problem(bench) == nil)
        let other = DataDirectory(path: folder.path + "/other")
        let restored = try Restoration.restore(
            backups + "/picket-2026-11-21T120000Z.backup", into: other, systemFile: "/none", clock: bench.clock)
        #expect(restored.backupCreatedAt == start + 86_400)
    }

    @Test("A service that starts again continues the schedule, and ignores backups from the future")
    func restart() async throws {
        try folder.write("", to: "backups/picket-2026-11-20T100000Z.backup")
        try folder.write("", to: "backups/picket-2031-01-01T000000Z.backup")
        let bench = try bench()
        try await tick(bench)
        #expect(try files().count == 2, "the newest one is two hours old")
        let metrics = bench.server.api.diagnostics.metrics.rendered(at: bench.clock.now())
        #expect(metrics.contains("picket_backup_last_timestamp_seconds"))
        bench.clock.set(Instant("2026-11-21T10:00:00Z")!)
        try await tick(bench)
        #expect(try files().contains("picket-2026-11-21T100000Z.backup"))
    }

    @Test("A missing directory is a problem, is tried again after ten minutes, and ends with the next success")
    func failure() async throws {
        try FileManager.default.removeItem(atPath: backups)
        let bench = try bench()
        try await tick(bench)
        let found = try #require(try await problem(bench))
        #expect(found["code"] == "backupFailed" && found["message"]?.string?.contains(backups) == true, "\(found)")
        #expect(found["message"]?.string?.contains("backup-to") == true)
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        let start = bench.clock.now()
        bench.clock.set(start + 599)
        try await tick(bench)
        #expect(try files().isEmpty)
        bench.clock.set(start + 600)
        try await tick(bench)
        #expect(try files() == ["picket-2026-11-20T121000Z.backup"])
        #expect(try await problem(bench) == nil)
    }

    @Test("The command gets the path of the backup; after a failure it is run again with the same backup")
    func command() async throws {
        let (copies, program) = (folder.path + "/copies", folder.path + "/copy")
        try folder.write("#!/bin/sh\nif ! [ -d '\(copies)' ]; then echo no disk; exit 3; fi\ncp \"$1\" '\(copies)'\n", to: "copy")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let bench = try bench(["backup-command": program])
        try await tick(bench)
        let found = try #require(try await problem(bench))
        #expect(found["code"] == "backupFailed" && found["message"]?.string?.contains("no disk") == true, "\(found)")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
        bench.clock.set(bench.clock.now() + 600)
        try await tick(bench)
        let name = "picket-2026-11-20T120000Z.backup"
        #expect(try files() == [name], "no second backup is made")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [name])
        #expect(FileManager.default.contentsEqual(atPath: copies + "/" + name, andPath: backups + "/" + name))
        #expect(try await problem(bench) == nil)
    }

    @Test("While a command keeps failing, new backups are still made when they are due")
    func failingCommand() async throws {
        let bench = try bench(["backup-command": folder.path + "/none", "backup-every": "1h"])
        let start = bench.clock.now()
        for minutes in stride(from: 0.0, through: 70, by: 10) {
            bench.clock.set(start + minutes * 60)
            try await tick(bench)
        }
        #expect(try files() == ["picket-2026-11-20T120000Z.backup", "picket-2026-11-20T130000Z.backup"])
        #expect(try await problem(bench)?["code"] == "backupFailed")
    }
}
