import Core
import Foundation
import Model
import SQLite
import Settings

extension Doctor {
    /// Copies of the store are reported after this many days.
    private static let oldCopyAge = 30
    /// Backups are reported after this many days.
    private static let oldBackupAge = 7

    /// Checks what the machine reports about itself.
    func checkMachine() -> [DoctorFinding] {
        machine.isClockSynchronized == false ? [.clockNotSynchronized] : []
    }

    /// Checks the files in the data directory, without opening the store.
    func checkFiles() -> [DoctorFinding] {
        let folder = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return [] }
        defer { close(folder) }
        var findings: [DoctorFinding] = []
        if access(directory.path, W_OK) != 0 {
            findings.append(.notWritable(path: directory.path, reason: String(cString: strerror(errno))))
        }
        var owner = stat()
        let hasOwner = fstat(folder, &owner) == 0
        let own = DatabaseFile.names(in: directory.path + "/").sorted().filter(StoreFileName.isOwn)
        let foreign = own.filter { name in
            var file = stat()
            return hasOwner && fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0 && file.st_uid != owner.st_uid
        }
        if !foreign.isEmpty { findings.append(.foreignOwner(files: foreign)) }
        let open = own.filter { DataDirectory.isOpenToOthers($0, in: folder) }
        if !open.isEmpty { findings.append(.openToOthers(files: open)) }
        let left = directory.leftOvers
        if !left.isEmpty { findings.append(.leftOvers(files: left)) }
        let copies = own.filter { StoreFileName.isCopy($0) && age(of: directory.path + "/" + $0) ?? 0 >= Self.oldCopyAge }
        if !copies.isEmpty {
            let bytes = copies.reduce(0) { $0 + DataDirectory.size(directory.path + "/" + $1) }
            findings.append(.oldCopies(files: copies, bytes: bytes))
        }
        return findings
    }

    /// The newest backup in a folder is older than a week, or there is none; nil if there is a newer one.
    package func checkBackups(in folder: String) -> DoctorFinding? {
        let backups = DatabaseFile.names(in: folder + "/").filter { name in
            !StoreFileName.isOwn(name) && name.hasSuffix(".backup") && DataDirectory(path: folder).isDatabase(name)
        }
        let ages = backups.compactMap { name in age(of: folder + "/" + name).map { (age: $0, name: name) } }
        guard let newest = ages.min(by: { $0 < $1 }) else { return .noBackup }
        return newest.age >= Self.oldBackupAge ? .oldBackup(file: newest.name, days: newest.age) : nil
    }

    /// The newest scheduled backup is older than twice the interval, or there is none; nil if there is a newer one.
    func checkBackups(_ schedule: BackupSchedule) -> DoctorFinding? {
        let newest = BackupFolder(path: schedule.folder).newest(at: now)
        if let newest, now - newest.time <= 2 * schedule.interval { return nil }
        return .lateBackup(folder: schedule.folder, newest: newest?.time, interval: schedule.interval)
    }

    /// The whole days since a file was written; nil if it cannot be read.
    private func age(of path: String) -> Int? { writtenAt(path).map { Int((now - $0) / 86_400) } }

    /// When a file was last written; nil if it cannot be read.
    func writtenAt(_ path: String) -> Instant? {
        var file = stat()
        return stat(path, &file) == 0 ? Instant(milliseconds: Int64(file.st_mtim.tv_sec) * 1000) : nil
    }
}
