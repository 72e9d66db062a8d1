import Foundation

// The sizes of files, and the free space beside them.

extension DataDirectory {
    /// The size of the store and the registry file with their write-ahead logs, in bytes.
    package var size: Int {
        [storePath, registryFilePath].flatMap { [$0, $0 + "-wal"] }.reduce(0) { $0 + DataDirectory.size($1) }
    }

    /// The size of the store's write-ahead log in bytes.
    package var logBytes: Int { DataDirectory.size(storePath + "-wal") }

    /// The size of a file in bytes; 0 if it does not exist.
    package static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether two paths refer to the same file.
    package static func isSameFile(_ a: String, _ b: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}

extension DataDirectory {
    /// Whether the disk has less free space than a service needs to accept positions.
    package var lacksRoom: Bool { freeBytes.map { $0 < ServiceWriter.minFreeSpace } ?? false }

    /// The free disk space in bytes that this process can use; nil if the system does not report it.
    package var freeBytes: Int? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Self.freeBytes(status, isRoot: geteuid() == 0) : nil
    }

    /// The free space in bytes of a file system; nil if the file system does not report its size.
    ///
    /// - Parameter isRoot: Whether the space that is reserved for root counts as free.
    static func freeBytes(_ status: statvfs, isRoot: Bool) -> Int? {
        guard status.f_blocks > 0 else { return nil }
        let blocks = isRoot ? status.f_bfree : status.f_bavail
        let (bytes, overflows) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : Int(clamping: bytes)
    }

    /// Whether SQLite's temporary files are on the same disk as the directory (https://www.sqlite.org/tempfiles.html, section 5).
    package var sharesDiskWithTemporaryFiles: Bool {
        let environment = ProcessInfo.processInfo.environment
        let folders = [environment["SQLITE_TMPDIR"], environment["TMPDIR"], "/var/tmp", "/usr/tmp", "/tmp", "."].compactMap { $0 }
        let folder = folders.first { access($0, W_OK | X_OK) == 0 } ?? "."
        var (mine, temporary) = (stat(), stat())
        return stat(path, &mine) == 0 && stat(folder, &temporary) == 0 && mine.st_dev == temporary.st_dev
    }
}
