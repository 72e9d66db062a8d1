import CClock
import Foundation

/// What a diagnosis asks the machine.
package struct MachineFacts: Sendable {
    /// The free disk space at the data directory in bytes that this process can use; nil if the system does not report it.
    package var freeBytes: Int?
    /// Whether the kernel's clock is synchronized with a time server; nil if the system does not report it.
    package var isClockSynchronized: Bool?

    package init(freeBytes: Int?, isClockSynchronized: Bool?) {
        self.freeBytes = freeBytes
        self.isClockSynchronized = isClockSynchronized
    }

    package init(of directory: DataDirectory) {
        self.init(freeBytes: directory.freeBytes, isClockSynchronized: Self.readClockState())
    }

    /// Reads the state of the kernel's clock (adjtimex(2)). With `modes` 0 the call changes nothing.
    static func readClockState() -> Bool? {
        var state = timex()
        let result = adjtimex(&state)
        return result < 0 ? nil : result != TIME_ERROR && state.status & STA_UNSYNC == 0
    }
}

extension DataDirectory {
    /// Whether the disk has less free space than a service needs to accept positions.
    package var lacksRoom: Bool { freeBytes.map { $0 < ServiceWriter.minFreeSpace } ?? false }

    /// The free disk space in bytes that this process can use; nil if the system does not report it.
    var freeBytes: Int? {
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
    var sharesDiskWithTemporaryFiles: Bool {
        let environment = ProcessInfo.processInfo.environment
        let folders = [environment["SQLITE_TMPDIR"], environment["TMPDIR"], "/var/tmp", "/usr/tmp", "/tmp", "."].compactMap { $0 }
        let folder = folders.first { access($0, W_OK | X_OK) == 0 } ?? "."
        var (mine, temporary) = (stat(), stat())
        return stat(path, &mine) == 0 && stat(folder, &temporary) == 0 && mine.st_dev == temporary.st_dev
    }
}
