import Core
import DatabaseProblems
import Foundation
import Model
import Presence
import SQLite
import Settings
import SimulatedOS
import Store

/// The result of a restored backup.
package struct Restoration: Sendable {
    /// When the backup was created; nil for a store that was copied in another way.
    package var backupCreatedAt: Instant?
    package var totals: Queries.Totals
    /// The epoch that the restore started; see `StoreEpoch`.
    package var epoch: StoreEpoch
    /// The number of restored phones; nil if the backup contains no phones, in which case the existing phones stay.
    package var phones: Int?
    /// What was done with the files of settings in the backup.
    package var settings: RestoredSettings
    /// The paths of the files that preserve the previous content; empty if there was none.
    package var preservedPaths: [String]
    /// The maintenance that was done in the directory.
    package var care: DirectoryCare

    /// Replaces the content of a data directory with a backup.
    ///
    /// The backup is checked and migrated in a file beside the store, and then replaces the store in one transaction. The previous content
    /// is preserved in the directory as another backup, or as the original files if they are too damaged to be read.
    ///
    /// A `picket.conf` in the backup is written if the directory has none. An existing one stays.
    ///
    /// - Parameter systemFile: The path of the system's `picket.conf`, which is compared with that in the backup.
    /// - Throws: `Problem.storeBusy` if another process writes to the directory; `storeTooNew`, `storeCorrupt` and `unsupportedFormat` if
    ///   the backup cannot be used. The store is then unchanged.
    package static func restore(
        _ file: String, into directory: DataDirectory, systemFile: String = Settings.usualSystemFile,
        clock: any WallClock = SystemClock(),
        progress: (Backup.Stage, Int, Int) -> Void = { _, _, _ in }
    ) throws(Problem) -> Restoration {
        guard access(file, R_OK) == 0 else { throw .fileFailed(path: file, reason: .verbatim(String(cString: strerror(errno)))) }
        for own in [directory.storePath, directory.registryFilePath] where DataDirectory.isSameFile(own, file) {
            throw .fileFailed(path: file, reason: Phrase("it is the store itself, not a backup"))
        }
        let lock = try DirectoryLock(directory, purpose: "restore")
        defer { withExtendedLifetime(lock) {} }
        // Only the holder of the lock creates this file.
        let ready = directory.restoring
        defer { DatabaseFile.remove(ready) }
        let createdAt = try PicketStore.unpack(file, to: ready) { progress(.unpacking, $0, $1) }
        try RegistryFile.dropPhones(from: ready)
        try BackupSettings.drop(from: ready)
        let settings = try BackupSettings(inBackup: file)
        let (kept, lineage) = try preserve(directory, clock.now(), progress)
        try PicketStore.beginEpoch(of: ready, inPlaceOf: lineage, at: clock.now())
        try replace(directory.storePath, by: ready) { progress(.replacing, $0, $1) }
        let phones = try RegistryFile(path: directory.registryFilePath).restorePhones(from: file)
        let restoredSettings = try RestoredSettings.restore(settings, into: directory, systemFile: systemFile)
        let restored = try ServiceReader(directory)
        return Restoration(
            backupCreatedAt: createdAt, totals: try restored.totals(), epoch: try restored.epochs().current, phones: phones,
            settings: restoredSettings, preservedPaths: kept, care: lock.care)
    }

    /// Replaces the content of the store at `path` with that of another store in one transaction. Readers see the old content or
    /// the new one, even after a crash.
    private static func replace(_ path: String, by other: String, progress: (Int, Int) -> Void) throws(Problem) {
        try Problem.catching(at: path) {
            let source = try Connection(path: other, access: .read)
            let target = try Connection(path: path, access: .write)
            try source.copy(over: target, progress: progress)
            try target.checkpointAndTruncate()
        }
    }

    /// Preserves the content of a directory in a file beside it.
    ///
    /// - Returns: The paths of the preserved files, and the numbering of the store's events as far as it can be read.
    private static func preserve(
        _ directory: DataDirectory, _ now: Instant, _ progress: (Backup.Stage, Int, Int) -> Void
    ) throws(Problem) -> (kept: [String], lineage: PicketStore.EventNumbering?) {
        let base = "\(directory.path)/\(StoreFileName.copyName(before: .restore, at: now))"
        var name = base
        var number = 2
        while access(name + ".backup", F_OK) == 0 || access(name + ".sqlite", F_OK) == 0 {
            name = "\(base)-\(number)"
            number += 1
        }
        guard try directory.hasStore() else { return ([], nil) }
        do {
            let store = try PicketStore(reading: directory.storePath)
            if try store.schemaVersion() == 0 { return ([], nil) }
            let settings = try BackupSettings(in: directory.path)
            let backup = try Backup.write(store, phones: directory, settings, to: name + ".backup", at: now) {
                progress(.keeping, $0, $1)
            }
            return ([backup.path], try store.eventNumbering())
        } catch {
            // An unreadable store is preserved as it is.
            guard error.isOfUnreadable else { throw error }
            var kept: [String] = []
            for (file, name) in [
                (directory.storePath, name + ".sqlite"), (directory.registryFilePath, name + "-os-registry.sqlite"),
            ]
            where access(file, F_OK) == 0 {
                try Problem.catching(at: file) { try DatabaseFile.move(file, to: name) }
                kept.append(name)
            }
            return (kept, nil)
        }
    }
}

extension Restoration {
    package var json: JSONValue {
        .compact([
            ("madeAt", backupCreatedAt.map { JSONValue($0) }),
            ("geofences", JSONValue(totals.geofences)),
            ("devices", JSONValue(totals.devices)),
            ("fixes", JSONValue(totals.fixes)),
            ("events", JSONValue(totals.events)),
            ("phones", phones.map { JSONValue($0) }),
            ("settings", settings.json),
            ("kept", .array(preservedPaths.map(JSONValue.string))),
            ("store", totals.identity?.json),
            ("resumeAfter", JSONValue(Int(epoch.branch))),
        ])
    }
}
