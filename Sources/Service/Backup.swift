import DatabaseProblems
import Foundation
import Model
import SQLite
import SimulatedOS
import Store

/// A backup: one file with the region store and, in a table of its own, the simulated phones.
///
/// The file is a SQLite database like the store itself, so SQLite's tools can open it.
package struct Backup: Sendable {
    /// The path of the file.
    package var path: String
    /// The size of the file in bytes.
    package var bytes: Int
    package var totals: Queries.Totals
    /// The number of simulated phones.
    package var phones: Int

    /// The stages of a backup or a restore, in order.
    package enum Stage: String, Sendable {
        case copying, unpacking, keeping, replacing
    }
}

extension Backup {
    /// Writes a store and its simulated phones into one file, and replaces an existing file.
    static func write(
        _ store: RegionStore, phones directory: DataDirectory, to file: String, at now: Instant, progress: (Int, Int) -> Void
    ) throws(Problem) -> Backup {
        let partial: PartialFile
        do {
            partial = try PartialFile(for: file)
        } catch {
            throw Problem(error, at: file)
        }
        let totals = try store.snapshot { () throws(Problem) in
            let totals = try Queries.Totals(store)
            try store.copy(to: partial.path, named: file, at: now, progress: progress)
            return totals
        }
        let hasPhones = try directory.hasRegistryFile()
        let phones = try RegistryFile.copyPhones(from: hasPhones ? directory.registryFilePath : nil, toNew: partial.path)
        do {
            try partial.moveToTarget()
        } catch {
            throw Problem(error, at: file)
        }
        return Backup(path: file, bytes: DataDirectory.size(file), totals: totals, phones: phones)
    }
}

extension Queries {
    /// Writes a backup of the current state without blocking the writer. The file appears only when it is complete and on disk, and only
    /// its owner can read it.
    ///
    /// The simulated phones are read a moment after the store, because they change independently of it.
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing file may be replaced.
    ///   - progress: Receives the stage, the number of pages copied, and the total number of pages.
    /// - Throws: `Problem.conflict` if the file exists and may not be replaced; `Problem.fileFailed` if there is no store or the file
    ///   cannot be written.
    package func backup(
        to file: String, replacing: Bool = false, progress: (Backup.Stage, Int, Int) -> Void = { _, _, _ in }
    ) throws(Problem) -> Backup {
        guard hasStore else { throw .fileFailed(path: directory.storePath, reason: .noStoreYet) }
        if let flaw = problem(withTarget: file, replacing: replacing) { throw flaw }
        return try Backup.write(store, phones: directory, to: file, at: clock.now()) { progress(.copying, $0, $1) }
    }

    private func problem(withTarget file: String, replacing: Bool) -> Problem? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR {
            return .fileFailed(path: file, reason: .directoryNotFile(file))
        }
        for own in [directory.storePath, directory.registryFilePath] where DataDirectory.isSameFile(own, file) {
            return .fileFailed(path: file, reason: .storeItself)
        }
        return replacing
            ? nil : .conflict(kind: .file, id: file, reason: .alreadyExistsForce)
    }
}

extension Problem {
    /// Whether the problem means that a file cannot be read as a store, regardless of who tries.
    var isOfUnreadable: Bool {
        switch self {
        case .storeCorrupt, .storeTooNew, .storeFailed, .migrationFailed: true
        default: false
        }
    }
}

extension DataDirectory {
    /// The size of the store and the registry file with their write-ahead logs, in bytes.
    package var size: Int {
        [storePath, registryFilePath].flatMap { [$0, $0 + "-wal"] }.reduce(0) { $0 + DataDirectory.size($1) }
    }

    /// The size of a file in bytes; 0 if it does not exist.
    package static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether two paths refer to the same file.
    static func isSameFile(_ a: String, _ b: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}

extension Backup {
    package var json: JSONValue {
        .compact([
            ("backup", .string(path)),
            ("bytes", JSONValue(bytes)),
            ("geofences", JSONValue(totals.geofences)),
            ("devices", JSONValue(totals.devices)),
            ("fixes", JSONValue(totals.fixes)),
            ("events", JSONValue(totals.events)),
            ("phones", JSONValue(phones)),
            ("store", totals.identity?.json),
        ])
    }
}
