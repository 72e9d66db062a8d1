import Core
import Model
import Settings

/// A backup that the service has made automatically.
package struct ScheduledBackup: Sendable {
    package var backup: Backup
    /// The time in the name of its file.
    package var time: Instant
    /// The names of the older backups that were removed.
    package var removed: [String]
}

extension Queries {
    /// What became of a scheduled backup.
    package enum ScheduledBackupResult: Sendable {
        /// The newest backup was made at this time, so none is due.
        case notDue(newest: Instant)
        case made(ScheduledBackup)
    }

    /// Makes a scheduled backup if one is due, and then removes the oldest ones.
    ///
    /// - Throws: `Problem.backupFailed` if the directory cannot be used; problems of reading the store.
    package func makeBackup(_ schedule: BackupSchedule, _ settings: Settings) throws(Problem) -> ScheduledBackupResult {
        let (folder, now) = (BackupFolder(path: schedule.folder), clock.now())
        if let newest = folder.newest(at: now), now - newest.time < schedule.interval { return .notDue(newest: newest.time) }
        do throws(Problem) {
            let file = folder.path + "/" + BackupFolder.name(at: now)
            let backup = try backup(to: file, replacing: true, settings: settings)
            let removed = try folder.removeAll(except: schedule.count, at: now)
            return .made(ScheduledBackup(backup: backup, time: now, removed: removed))
        } catch {
            switch error {
            case .storeCorrupt(directory.storePath, _), .storeReplaced, .cancelled: throw error
            case .fileFailed(_, let reason): throw .backupFailed(path: folder.path, details: reason)
            default: throw .backupFailed(path: folder.path, details: error.cause)
            }
        }
    }
}
