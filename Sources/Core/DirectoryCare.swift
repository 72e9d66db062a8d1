import Foundation
import Model
import SQLite

/// The maintenance that was done in a data directory when a process began to write to it.
package struct DirectoryCare: Hashable, Sendable {
    /// The names of Picket's files that other users could access, and that are restricted to their owner now.
    package var restrictedFiles: [String] = []
    /// Whether other users could access the directory, and no longer can.
    package var isDirectoryRestricted = false
    /// Why other users can still access the directory; nil if they cannot.
    package var opennessReason: OpennessReason?
    /// The names of files that other users can still access, because their mode could not be changed.
    package var failed: [String] = []
    /// The names of incomplete files of a killed process that were removed.
    package var removed: [String] = []
    /// The update of the store's schema; nil if it was that of this version.
    package var update: StoreUpdate?
    /// Whether the directory contained no store.
    package var hadNoStore = false

    package init() {}

    /// Why other users keep access to a directory.
    package enum OpennessReason: Hashable, Sendable {
        /// The directory contains a file that is not Picket's.
        case shared(with: String)
        /// The directory is meant for several users: it is at the top of the file system, or has the sticky bit like `/tmp`.
        case common
        /// Its mode could not be changed.
        case refused(reason: String)
    }
}

extension DataDirectory {
    /// The path of the file in which a backup is prepared before it replaces the store.
    package var restoring: String { path + "/restoring.partial" }

    /// Removes incomplete files of killed processes, and restricts Picket's files to their owner.
    ///
    /// The directory itself is restricted only if everything in it belongs to Picket and nothing indicates that it is meant for several
    /// users. Must be called while no other process can write to the directory.
    func performMaintenance() -> DirectoryCare {
        var care = DirectoryCare()
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return care }
        defer { close(folder) }
        care.removed = removeLeftOvers()
        let names = DatabaseFile.names(in: path + "/").sorted()
        care.hadNoStore = !names.contains("picket.sqlite")
        for name in names where StoreFileName.isOwn(name) {
            switch Self.restrictToOwner(name, in: folder) {
            case .nothingToDo: break
            case .done: care.restrictedFiles.append(name)
            case .failed: care.failed.append(name)
            }
        }
        restrictDirectory(folder, names, &care)
        return care
    }

    private enum Outcome { case nothingToDo, done, failed }

    /// Restricts a regular file without further hard links to its owner.
    private static func restrictToOwner(_ name: String, in folder: Int32) -> Outcome {
        guard let mode = openMode(name, in: folder) else { return .nothingToDo }
        return fchmodat(folder, name, mode & 0o600, AT_SYMLINK_NOFOLLOW) == 0 ? .done : .failed
    }

    /// Whether other users have rights on a regular file without further hard links.
    package static func isOpenToOthers(_ name: String, in folder: Int32) -> Bool { openMode(name, in: folder) != nil }

    /// The mode of a regular file without further hard links on which other users have rights; nil for any other file.
    private static func openMode(_ name: String, in folder: Int32) -> mode_t? {
        var found = stat()
        guard fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1,
            found.st_mode & 0o077 != 0
        else { return nil }
        return found.st_mode
    }

    /// Restricts the directory to its owner, or records why it stays open.
    private func restrictDirectory(_ folder: Int32, _ names: [String], _ care: inout DirectoryCare) {
        var found = stat()
        guard fstat(folder, &found) == 0, found.st_mode & 0o077 != 0 else { return }
        let isAtTop = realpath(path, nil).map { full in
            defer { free(full) }
            return String(cString: full).dropFirst().contains("/") == false
        }
        if found.st_mode & S_ISVTX != 0 || isAtTop ?? true {
            care.opennessReason = .common
        } else if let foreign = names.first(where: { !StoreFileName.isOwn($0) && !StoreFileName.isAllowedBeside($0) }) {
            care.opennessReason = .shared(with: foreign)
        } else if fchmod(folder, found.st_mode & 0o7700) == 0 {
            care.isDirectoryRestricted = true
        } else {
            care.opennessReason = .refused(reason: String(cString: strerror(errno)))
        }
    }

    /// - Returns: The names of the removed files.
    private func removeLeftOvers() -> [String] {
        var removed: [String] = []
        // Only the process that holds the lock creates this file.
        for suffix in DatabaseFile.suffixes where unlink(restoring + suffix) == 0 {
            removed.append((restoring + suffix).components(separatedBy: "/").last ?? "")
        }
        return removed + PartialFile.removeLeftOvers(in: path + "/").sorted()
    }

    /// The names of incomplete files of killed processes. Those of a restore are not included.
    package var leftOvers: [String] { PartialFile.leftOvers(in: path + "/").sorted() }

    /// Whether a file in the directory is a SQLite database, such as a backup ("Database File Format", section 1.3). A file in use, also
    /// under another name, does not count: closing a descriptor of it would release SQLite's locks. Neither does anything that is not a
    /// regular file: opening a pipe would wait for a writer.
    package func isDatabase(_ name: String) -> Bool {
        guard let file = file(name), !filesInUse().contains(file) else { return false }
        return FileHandle(forReadingAtPath: path + "/" + name)?.readData(ofLength: 16) == Data("SQLite format 3\0".utf8)
    }
}

extension DataDirectory {
    /// A file of a file system, which can have several names.
    package struct FileNumber: Hashable {
        let device: dev_t
        let inode: ino_t
    }

    /// The number of a regular file in the directory, after following links; nil if there is none with that name.
    package func file(_ name: String) -> FileNumber? {
        var found = stat()
        guard stat(path + "/" + name, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileNumber(device: found.st_dev, inode: found.st_ino)
    }

    /// The store and the registry file, and the files that SQLite keeps beside them.
    package func filesInUse() -> Set<FileNumber> { Set(StoreFileName.inUse.compactMap(file)) }
}

/// The names of the files that Picket creates in a data directory.
package enum StoreFileName {
    /// Whether Picket creates files with this name.
    package static func isOwn(_ name: String) -> Bool {
        if PartialFile.fileName(of: name) != nil { return true }
        var main = name
        for suffix in DatabaseFile.suffixes where !suffix.isEmpty && name.hasSuffix(suffix) {
            main = String(name.dropLast(suffix.count))
        }
        if ["picket.sqlite", "os-registry.sqlite", "restoring.partial"].contains(main) || isCopy(main) { return true }
        return ["picket.lock", "service.json", "service.json.new"].contains(name)
    }

    /// Whether the name is that of the store or the registry file, or of a file that SQLite keeps beside them.
    package static func isInUse(_ name: String) -> Bool { inUse.contains(name) }

    /// The names of the store and the registry file, and of the files that SQLite keeps beside them.
    static let inUse = ["picket.sqlite", "os-registry.sqlite"].flatMap { file in DatabaseFile.suffixes.map { file + $0 } }

    /// What Picket makes a copy of the store before.
    package enum CopyOccasion: String, CaseIterable { case restore, update }

    /// The name of a copy, without its extension, for example `before-restore-20260501T101500Z`.
    package static func copyName(before occasion: CopyOccasion, at time: Instant) -> String {
        prefix(occasion) + time.description.prefix(19).filter { $0.isNumber || $0 == "T" } + "Z"
    }

    private static func prefix(_ occasion: CopyOccasion) -> String { "before-\(occasion.rawValue)-" }

    /// Whether the name is that of a copy; see `copyName(before:at:)`.
    package static func isCopy(_ name: String) -> Bool {
        CopyOccasion.allCases.contains { name.hasPrefix(prefix($0)) } && (name.hasSuffix(".backup") || name.hasSuffix(".sqlite"))
    }

    /// Whether a file may be in the directory without belonging to Picket's data: the settings, a folder of backups, the marker and the
    /// sample data of a demo, and `lost+found`.
    static func isAllowedBeside(_ name: String) -> Bool {
        ["picket.conf", "backups", "demo", "sample", "lost+found"].contains(name)
    }
}
