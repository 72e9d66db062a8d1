import Foundation

/// A file that is being written. Until it is complete, it has a hidden name beside its target, for example `.all.backup.812.picket.partial`
/// with the process's number. The file is readable by its owner only.
///
/// The process that writes the file holds a lock on it (flock(2)), which the system releases when the process ends for any
/// reason. Therefore a file with such a name and without a lock is left over from a process that has ended. The next process that
/// creates a partial file in the same folder removes it.
package final class PartialFile {
    package let path: String
    /// The open file, for writing. SQLite opens the file by `path` instead.
    package let descriptor: Int32
    private let target: String
    private var isOpen = true
    private var hasName = true

    /// Creates an empty file and removes left-over files in the folder.
    ///
    /// - Parameter target: The path of the complete file.
    /// - Throws: `SQLiteError` if the file cannot be created.
    package init(for target: String) throws(SQLiteError) {
        self.target = target
        let (folder, name) = DatabaseFile.split(target)
        PartialFile.removeLeftOvers(in: folder)
        let process = String(getpid())
        var attempt = 0
        while true {
            // A process in another container may have the same number.
            let number = attempt == 0 ? process : process + String(attempt)
            let path = "\(folder).\(name).\(number)\(PartialFile.ending)"
            attempt += 1
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST, attempt < 100 { continue }
                throw DatabaseFile.systemError()
            }
            // On a file system without locks this fails, and left-over files stay.
            _ = flock(descriptor, LOCK_EX | LOCK_NB)
            // Another process may have removed the file as a left-over before the lock was taken.
            if PartialFile.isSameFile(descriptor, path) || attempt >= 100 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        guard isOpen else { return }
        if hasName { DatabaseFile.remove(path) }
        close(descriptor)
    }

    /// Removes the name of the file. Its content is deleted when this object is released, or when the process ends.
    package func removeName() {
        DatabaseFile.remove(path)
        hasName = false
    }

    /// Moves the complete file to its target, where it replaces an existing file. The move is synced to disk when this returns. If it
    /// throws, the partial file is removed with this object.
    package func moveToTarget() throws(SQLiteError) {
        try DatabaseFile.moveFile(path, to: target)
        // The descriptor is closed now and not in `deinit`: closing it later would release the SQLite locks of a connection of this process
        // that has opened the file at its target.
        isOpen = false
        close(descriptor)
    }

    private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
        var (mine, there) = (stat(), stat())
        guard unsafe fstat(descriptor, &mine) == 0, unsafe lstat(path, &there) == 0 else { return false }
        return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
    }

    // MARK: - Left-overs

    private static let ending = ".picket.partial"

    /// The name of the partial file to which a file name belongs: its own name, or that of its log or journal. Nil if there is
    /// none.
    package static func fileName(of name: String) -> String? {
        let suffix = DatabaseFile.suffixes.first { !$0.isEmpty && name.hasSuffix($0) } ?? ""
        let file = name.dropLast(suffix.count)
        guard file.hasPrefix("."), file.hasSuffix(ending) else { return nil }
        // The name of the complete file, and the number of the process that writes the partial one.
        let rest = file.dropFirst().dropLast(ending.count)
        guard let dot = rest.lastIndex(of: "."), dot > rest.startIndex else { return nil }
        let digits = rest[rest.index(after: dot)...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), Int64(digits) ?? 0 > 0 else {
            return nil
        }
        return String(file)
    }

    /// Removes partial files whose processes have ended.
    ///
    /// - Parameter folder: Ends with a slash; empty for the current folder.
    /// - Returns: The names of the removed files.
    @discardableResult
    package static func removeLeftOvers(in folder: String) -> [String] {
        var removed: [String] = []
        // The sorted names have a file before its log and journal, which are removed once the file is gone.
        for entry in DatabaseFile.names(in: folder).sorted() where isLeftOver(entry, in: folder) {
            if unsafe unlink(folder + entry) == 0 { removed.append(entry) }
        }
        return removed
    }

    /// The names of partial files whose processes have ended; see `removeLeftOvers(in:)`.
    package static func leftOvers(in folder: String) -> [String] {
        DatabaseFile.names(in: folder).filter { isLeftOver($0, in: folder) }
    }

    private static func isLeftOver(_ entry: String, in folder: String) -> Bool {
        fileName(of: entry).map { isUnlocked(folder + $0) } ?? false
    }

    /// Whether no process holds a lock on the file, or the file does not exist. False if the file is not a regular file or cannot be
    /// opened.
    private static func isUnlocked(_ path: String) -> Bool {
        // A network file system grants an exclusive lock only on a file that is open for writing.
        let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return false }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isSameFile(descriptor, path)
    }
}
