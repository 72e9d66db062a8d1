import CClock
import Foundation

/// What a diagnosis asks the machine.
package struct MachineFacts: Sendable {
    /// The free disk space at the data directory in bytes, for users other than root; nil if the system does not report it.
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
    private static func readClockState() -> Bool? {
        var state = timex()
        let result = adjtimex(&state)
        return result < 0 ? nil : result != TIME_ERROR && state.status & STA_UNSYNC == 0
    }
}

extension DataDirectory {
    /// The free disk space in bytes for users other than root; nil if the system does not report it.
    var freeBytes: Int? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : nil
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
