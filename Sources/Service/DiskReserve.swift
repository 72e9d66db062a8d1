import Foundation

/// A file in a data directory that keeps room for the start of a service on a full disk. The service gives it up then, so that
/// it can open the store, answer queries, and tell what is wrong.
package struct DiskReserve: Sendable {
    static let fileName = "picket.reserve"
    /// In bytes. Less than the room below which positions are refused (`ServiceWriter.lackOfRoom`), so that they do not use up what is given up.
    private static let size = 3 << 18

    private let directory: DataDirectory
    private var path: String { directory.path + "/" + Self.fileName }

    package init(in directory: DataDirectory) { self.directory = directory }

    /// Creates the file unless it exists, when the disk has at least 16 times its size of free space.
    ///
    /// - Returns: Whether the file exists.
    @discardableResult
    package func make() -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard let free = directory.freeBytes, free >= 16 * Self.size else { return false }
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        if posix_fallocate(file, 0, off_t(Self.size)) == 0 { return true }
        unlink(path)
        return false
    }

    /// Removes the file if the disk has less free space than it takes.
    func releaseIfFull() {
        if let free = directory.freeBytes, free < Self.size { unlink(path) }
    }
}
