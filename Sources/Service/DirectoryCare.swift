import Foundation
import Model
import SQLite

/// What was put in order in a data directory when a process began to write to it.
public struct DirectoryCare: Hashable, Sendable {
    /// Files of Picket's that others could use, and that are for their owner alone now; by name.
    public var tightened: [String] = []
    /// Whether others could look into the directory, and cannot any more.
    public var isDirectoryTightened = false
    /// Why others still can; nil when they cannot.
    public var openness: Openness?
    /// Files that are still open to others, because their mode could not be changed; by name.
    public var failed: [String] = []
    /// Files that a process had left which was killed while it made them; they are gone. By name.
    public var removed: [String] = []
    /// Whether there was no store in the directory.
    public var isFirst = false

    /// Why a directory is left open to others.
    public enum Openness: Hashable, Sendable {
        /// It has a file in it that is not Picket's.
        case shared(with: String)
        /// It is made for many: at the top of the file system, or with the sticky bit, as `/tmp`.
        case common
        /// Its mode could not be changed.
        case refused(reason: String)
    }
}

extension DataDirectory {
    /// Where a backup is made ready to take the store's place.
    var restoring: String { path + "/restoring.partial" }

    /// Removes what killed processes have left half done, and takes from others what they may do with Picket's files.
    ///
    /// The directory itself is closed to others only where everything in it is Picket's, and where nothing says that it is made for
    /// others, too. To be called while nobody else may write to the directory.
    func putInOrder() -> DirectoryCare {
        var care = DirectoryCare()
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return care }
        defer { close(folder) }
        care.removed = removeLeftOvers()
        let names = DatabaseFile.names(in: path + "/").sorted()
        care.isFirst = !names.contains("picket.sqlite")
        for name in names where StoreFileName.isOwn(name) {
            switch Self.tighten(name, in: folder) {
            case .nothingToDo: break
            case .done: care.tightened.append(name)
            case .failed: care.failed.append(name)
            }
        }
        closeDirectory(folder, names, &care)
        return care
    }

    private enum Outcome { case nothingToDo, done, failed }

    /// Takes from others what they may do with a plain file that has no other name.
    private static func tighten(_ name: String, in folder: Int32) -> Outcome {
        var found = stat()
        guard fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1,
            found.st_mode & 0o077 != 0
        else { return .nothingToDo }
        return fchmodat(folder, name, found.st_mode & 0o600, AT_SYMLINK_NOFOLLOW) == 0 ? .done : .failed
    }

    private func closeDirectory(_ folder: Int32, _ names: [String], _ care: inout DirectoryCare) {
        var found = stat()
        guard fstat(folder, &found) == 0, found.st_mode & 0o077 != 0 else { return }
        let isAtTop = realpath(path, nil).map { full in
            defer { free(full) }
            return String(cString: full).dropFirst().contains("/") == false
        }
        if found.st_mode & S_ISVTX != 0 || isAtTop ?? true {
            care.openness = .common
        } else if let foreign = names.first(where: { !StoreFileName.isOwn($0) && !StoreFileName.belongsBeside($0) }) {
            care.openness = .shared(with: foreign)
        } else if fchmod(folder, found.st_mode & 0o7700) == 0 {
            care.isDirectoryTightened = true
        } else {
            care.openness = .refused(reason: String(cString: strerror(errno)))
        }
    }

    /// - Returns: The names of those that are gone.
    private func removeLeftOvers() -> [String] {
        var removed: [String] = []
        // Only who may write to the directory makes it.
        for suffix in DatabaseFile.suffixes where unlink(restoring + suffix) == 0 {
            removed.append((restoring + suffix).components(separatedBy: "/").last ?? "")
        }
        return removed
            + PartialFile.removeLeftOvers(in: path + "/") { $0.isOurs || StoreFileName.isOwn($0.target) }.sorted()
    }
}

/// The names of the files that Picket makes in a data directory.
enum StoreFileName {
    /// Whether Picket makes a file of that name.
    static func isOwn(_ name: String) -> Bool {
        if let partial = PartialFile.Name(name) { return partial.isOurs || isOwn(partial.target) }
        var main = name
        for suffix in DatabaseFile.suffixes where !suffix.isEmpty && name.hasSuffix(suffix) {
            main = String(name.dropLast(suffix.count))
        }
        if ["picket.sqlite", "os-registry.sqlite", "restoring.partial"].contains(main) || isCopy(main) { return true }
        return ["picket.lock", "service.json", "service.json.new"].contains(name)
    }

    /// Copies that Picket keeps: of before an update, as `picket.sqlite.v2.bak`, and of before a restore.
    static func isCopy(_ name: String) -> Bool {
        if name.hasPrefix("before-restore-") { return name.hasSuffix(".backup") || name.hasSuffix(".sqlite") }
        for store in ["picket.sqlite.v", "os-registry.sqlite.v"] where name.hasPrefix(store) && name.hasSuffix(".bak") {
            let version = name.dropFirst(store.count).dropLast(".bak".count)
            return !version.isEmpty && version.allSatisfy { $0.isASCII && $0.isNumber }
        }
        return false
    }

    /// Whether a file says nothing about whose directory it is: the settings, the mark of a demo, and what a file system has at its top.
    static func belongsBeside(_ name: String) -> Bool { ["picket.conf", "demo", "lost+found"].contains(name) }
}
