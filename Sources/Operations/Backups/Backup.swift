import Core
import Foundation
import Model
import Presence
import SQLite
import Settings
import SimulatedOS
import Store

/// A backup: one file with the store and, in their own tables, the simulated phones and the files of settings.
///
/// The file is a SQLite database like the store itself, so SQLite's tools can open it.
package struct Backup: Sendable {
    /// The path of the file.
    package var path: String
    /// The size of the file in bytes.
    package var bytes: Int
    package var totals: Queries.Totals
    /// The number of simulated phones.
    var phones: Int
    /// What the settings use and the file does not contain.
    package var omissions: [BackupSettings.Omission]

    package init(path: String, bytes: Int, totals: Queries.Totals, phones: Int, omissions: [BackupSettings.Omission]) {
        (self.path, self.bytes, self.totals, self.phones) = (path, bytes, totals, phones)
        self.omissions = omissions
    }

    /// The stages of a backup or a restore, in order.
    package enum Stage: String, Sendable {
        case copying, unpacking, keeping, replacing
    }
}

extension Backup {
    /// Writes a store, its simulated phones and settings into one file, and replaces an existing file.
    static func write(
        _ store: PicketStore, phones directory: DataDirectory, _ settings: BackupSettings, to file: String, at now: Instant,
        progress: (Int, Int) -> Void
    ) throws(Problem) -> Backup {
        let partial = try PartialFile.create(for: file)
        let backup = try write(store, phones: directory, settings, into: partial, named: file, at: now, progress: progress)
        try partial.finish(file)
        return backup
    }

    /// Writes a store, its simulated phones and settings into an empty file.
    ///
    /// - Parameter name: The name of the file for people.
    fileprivate static func write(
        _ store: PicketStore, phones directory: DataDirectory, _ settings: BackupSettings, into partial: PartialFile,
        named name: String, at now: Instant, progress: (Int, Int) -> Void
    ) throws(Problem) -> Backup {
        let totals = try store.snapshot { () throws(Problem) in
            let totals = try Queries.Totals(store)
            try store.copy(to: partial.path, named: name, at: now, progress: progress)
            return totals
        }
        let hasPhones = try directory.hasRegistryFile()
        let phones = try RegistryFile.copyPhones(from: hasPhones ? directory.registryFilePath : nil, toNew: partial.path)
        try settings.write(toNew: partial.path)
        return Backup(
            path: name, bytes: DataDirectory.size(partial.path), totals: totals, phones: phones, omissions: settings.omissions)
    }

    /// The reason why a backup cannot be written to a file; nil if it can.
    ///
    /// - Parameter replacing: Whether an existing file may be replaced.
    package static func problem(withTarget file: String, replacing: Bool) -> Problem? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR {
            return .fileFailed(
                path: file, reason: Phrase("it is a directory; name a file in it, for example \(file)/picket.backup"))
        }
        return replacing
            ? nil
            : .conflict(kind: .file, id: file, reason: Phrase("already exists. Choose another name, or replace it with --force"))
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
    ///   - settings: The settings in use; nil if they are not known. Then the backup contains only the file of the data directory.
    ///   - progress: Receives the stage, the number of pages copied, and the total number of pages.
    /// - Throws: `Problem.conflict` if the file exists and may not be replaced; `Problem.fileFailed` if there is no store or the file
    ///   cannot be written.
    package func backup(
        to file: String, replacing: Bool = false, settings: Settings? = nil,
        progress: (Backup.Stage, Int, Int) -> Void = { _, _, _ in }
    ) throws(Problem) -> Backup {
        guard hasStore else { throw .fileFailed(path: directory.storePath, reason: .noStoreYet) }
        for own in [directory.storePath, directory.registryFilePath] where DataDirectory.isSameFile(own, file) {
            throw .fileFailed(path: file, reason: Phrase("it is the store itself; write the backup to another file"))
        }
        if let flaw = Backup.problem(withTarget: file, replacing: replacing) { throw flaw }
        let files = if let settings { try BackupSettings(of: settings) } else { try BackupSettings(in: directory.path) }
        return try Backup.write(store, phones: directory, files, to: file, at: clock.now()) { progress(.copying, $0, $1) }
    }

    /// Writes a backup of the current state into an unnamed file in the data directory, which disappears when it is closed.
    ///
    /// - Parameter settings: The settings in use.
    /// - Throws: `Problem.fileFailed` if there is no store or the file cannot be written.
    func backup(_ settings: Settings) throws(Problem) -> (backup: Backup, file: TemporaryFile) {
        guard hasStore else { throw .fileFailed(path: directory.storePath, reason: .noStoreYet) }
        let partial = try PartialFile.create(for: directory.path + "/download.backup")
        let backup = try Backup.write(
            store, phones: directory, BackupSettings(of: settings), into: partial, named: "picket.backup", at: clock.now(),
            progress: { _, _ in })
        return (backup, TemporaryFile(partial))
    }
}

extension Problem {
    /// Whether the problem means that a file cannot be read as a store, regardless of who tries.
    var isOfUnreadable: Bool {
        switch self {
        case .storeCorrupt, .storeTooNew, .storeFailed, .diskFailed, .migrationFailed: true
        default: false
        }
    }
}

extension Backup {
    package var json: JSONValue { .object([.init("backup", .string(path))] + (contents.members ?? [])) }

    /// What is in the file, and what is not.
    var contents: JSONValue {
        .compact([
            ("bytes", JSONValue(bytes)),
            ("geofences", JSONValue(totals.geofences)),
            ("devices", JSONValue(totals.devices)),
            ("fixes", JSONValue(totals.fixes)),
            ("events", JSONValue(totals.events)),
            ("phones", JSONValue(phones)),
            ("store", totals.identity?.json),
            (
                "notIncluded",
                .array(omissions.map { .object([.init("setting", .string($0.setting)), .init("source", .string($0.source))]) })
            ),
        ])
    }
}
