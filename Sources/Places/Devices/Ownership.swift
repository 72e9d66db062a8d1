import Core
import Foundation
import Model
import Settings

extension DataDirectory {
    /// Changes the owner of files that root has created in the directory to the directory's owner, so that a service with another user can
    /// use them. (SQLite does the same with its logs.) Does nothing if the process is not root's, or if root owns the directory.
    ///
    /// Only regular files without further hard links are changed. Otherwise the owner could make root give away a file outside of the
    /// directory.
    ///
    /// - Throws: `.fileFailed` if the owner of a file could not be changed.
    package func giveBack() throws(Problem) {
        guard geteuid() == 0 else { return }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // If the directory does not exist, the command has created nothing in it.
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
        for name in names { try Self.changeOwner(of: name, in: folder, path, to: owner) }
    }

    private static func changeOwner(of name: String, in folder: Int32, _ path: String, to owner: stat) throws(Problem) {
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        // The file is a symbolic link, or was removed.
        guard file >= 0 else { return }
        defer { close(file) }
        var found = stat()
        guard fstat(file, &found) == 0, found.st_uid == 0, found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1 else { return }
        guard fchown(file, owner.st_uid, owner.st_gid) == 0 else {
            throw .fileFailed(
                path: "\(path)/\(name)",
                reason: Phrase(
                    """
                    it belongs to root, and its ownership cannot be changed to the owner of the directory \
                    (\(String(cString: strerror(errno))))
                    """))
        }
    }
}
