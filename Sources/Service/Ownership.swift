import Foundation
import Model
import Settings

extension DataDirectory {
    /// Gives what root has made in the directory to the directory's owner, so that a service under a user of its own can go on with it.
    /// (SQLite does the same with its logs.) Nothing is done for others than root, and in root's own directories.
    ///
    /// Only plain files that have no other name: else the owner could have root give away a file from elsewhere.
    ///
    /// - Throws: `.fileFailed` for a file that could not be given.
    public func giveBack() throws(Problem) {
        guard geteuid() == 0 else { return }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A command that needed no data directory made nothing in it.
        guard folder >= 0 else { return }
        defer { close(folder) }
        var owner = stat()
        guard fstat(folder, &owner) == 0, owner.st_uid != 0 else { return }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
        for name in names { try Self.give(name, in: folder, path, to: owner) }
    }

    private static func give(_ name: String, in folder: Int32, _ path: String, to owner: stat) throws(Problem) {
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        // A link, or one that is gone.
        guard file >= 0 else { return }
        defer { close(file) }
        var found = stat()
        guard fstat(file, &found) == 0, found.st_uid == 0, found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1 else { return }
        guard fchown(file, owner.st_uid, owner.st_gid) == 0 else {
            throw .fileFailed(
                path: "\(path)/\(name)",
                reason: "it is root's and cannot be given to the owner of the directory (\(String(cString: strerror(errno))))")
        }
    }
}
