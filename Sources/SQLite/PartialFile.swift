#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is being made. Until it is complete it has a name of its own beside its place, hidden: `.all.backup.812.picket.partial`,
/// with the number of the process. It is readable for its owner only.
///
/// Whoever makes it holds a lock on it (flock(2)), which the system takes back when the process ends, however it ends. So a file of that
/// form without a lock is a left-over, and the next who makes a file in the same folder removes it.
package final class PartialFile {
    package let path: String
    /// To write to it. SQLite opens it by its path.
    package let descriptor: Int32
    private let target: String
    private var isOpen = true

    /// Makes the file, empty, and removes left-overs beside it.
    ///
    /// - Parameter target: The path that it will have.
    package init(for target: String) throws(SQLiteError) {
        self.target = target
        let (folder, name) = DatabaseFile.split(target)
        PartialFile.removeLeftOvers(in: folder) { $0.target == name || $0.isOurs }
        let process = String(getpid())
        var attempt = 0
        while true {
            // Another process may have the same number in a container of its own.
            let number = attempt == 0 ? process : process + String(attempt)
            let path = "\(folder).\(name).\(number)\(Name.ending)"
            attempt += 1
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST, attempt < 100 { continue }
                throw DatabaseFile.systemError()
            }
            // Where a file system knows no locks there is none, and left-overs stay.
            _ = flock(descriptor, LOCK_EX | LOCK_NB)
            // Another process may have taken it for a left-over before the lock.
            if PartialFile.isSame(descriptor, path) || attempt >= 100 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        guard isOpen else { return }
        DatabaseFile.remove(path)
        close(descriptor)
    }

    /// Gives the complete file its place, in the place of what is there: on disk when this returns. When it throws, the file goes with
    /// this.
    package func place() throws(SQLiteError) {
        try DatabaseFile.place(path, at: target)
        // Not later: to close it takes SQLite's locks from whoever opens the file in its place.
        isOpen = false
        close(descriptor)
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var (mine, there) = (stat(), stat())
        guard unsafe fstat(descriptor, &mine) == 0, unsafe lstat(path, &there) == 0 else { return false }
        return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
    }

    // MARK: - Left-overs

    /// What the name of a partial file says.
    package struct Name {
        /// The name that the file was to have.
        package var target: String
        /// The name of the file itself, also in the name of its log.
        package var main: String
        /// The number of the process that makes it.
        package var process: Int32
        /// Whether its maker holds a lock on it. An earlier version did not, and named files `.all.backup.812.partial`.
        package var isOurs: Bool

        static let ending = ".picket.partial"
        private static let formerEnding = ".partial"

        /// - Parameter name: Of a file, or of the log or journal of one.
        package init?(_ name: String) {
            var rest = name[...]
            for suffix in DatabaseFile.suffixes where !suffix.isEmpty && rest.hasSuffix(suffix) {
                rest = rest.dropLast(suffix.count)
                break
            }
            main = String(rest)
            isOurs = rest.hasSuffix(Name.ending)
            guard rest.hasPrefix("."), isOurs || rest.hasSuffix(Name.formerEnding) else { return nil }
            rest = rest.dropFirst().dropLast((isOurs ? Name.ending : Name.formerEnding).count)
            guard let dot = rest.lastIndex(of: "."), dot > rest.startIndex else { return nil }
            let digits = rest[rest.index(after: dot)...]
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int64(digits), number > 0
            else { return nil }
            process = Int32(truncatingIfNeeded: number)
            target = String(rest[..<dot])
        }
    }

    /// Removes partial files whose makers have ended.
    ///
    /// - Parameters:
    ///   - folder: Ending in a slash; empty for the current one.
    ///   - isWanted: Which of those that the folder has.
    /// - Returns: The names of those that are gone.
    @discardableResult
    package static func removeLeftOvers(in folder: String, where isWanted: (Name) -> Bool) -> [String] {
        var removed: [String] = []
        // A file comes before its log, which goes when the file is gone.
        for entry in DatabaseFile.names(in: folder).sorted() {
            guard let name = Name(entry), isWanted(name),
                name.isOurs ? isUnlocked(folder + name.main) : hasEnded(name.process)
            else { continue }
            if unsafe unlink(folder + entry) == 0 { removed.append(entry) }
        }
        return removed
    }

    /// Whether nobody holds a lock on a plain file, or there is none. False when that cannot be told.
    private static func isUnlocked(_ path: String) -> Bool {
        // To write, or a network file system gives no lock.
        let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return false }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isSame(descriptor, path)
    }

    private static func hasEnded(_ process: Int32) -> Bool {
        // 0 and less mean other things to kill(2).
        process > 0 && kill(process, 0) != 0 && errno == ESRCH
    }
}
