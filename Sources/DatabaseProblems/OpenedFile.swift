import Model

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file at a path, by its device and its number. Another file at the same path has another number.
package struct OpenedFile: Sendable {
    package struct Status: Sendable {
        package var size: off_t
        /// When the content was last written, in nanoseconds since 1970 (`st_mtim`).
        package var written: Int64
    }

    package let path: String
    private let device: dev_t
    private let inode: ino_t

    /// - Throws: `Problem.fileFailed` if there is no accessible file at the path.
    package init(_ path: String) throws(Problem) {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { throw Self.failure(path) }
        self.path = path
        (device, inode) = (found.st_dev, found.st_ino)
    }

    /// The status of the file.
    ///
    /// - Throws: `Problem.storeReplaced` if it is not at its path any more.
    package func status() throws(Problem) -> Status {
        var found = stat()
        if unsafe stat(path, &found) != 0 {
            throw errno == ENOENT || errno == ENOTDIR ? .storeReplaced(path: path) : Self.failure(path)
        }
        guard found.st_dev == device, found.st_ino == inode else { throw .storeReplaced(path: path) }
        return Status(size: found.st_size, written: Int64(found.st_mtim.tv_sec) * 1_000_000_000 + Int64(found.st_mtim.tv_nsec))
    }

    private static func failure(_ path: String) -> Problem {
        .fileFailed(path: path, reason: .verbatim(unsafe String(cString: strerror(errno))))
    }
}
