import CSQLite
import Foundation
import Synchronization

/// Makes SQLite's reads or writes of one file fail with `EIO` in this process, until this object is released.
///
/// SQLite lets its system calls be replaced (`xSetSystemCall` of `sqlite3_vfs`). They are replaced once for all tests, and stay
/// replaced: they fail for the chosen files only.
package final class FileFault: Sendable {
    package enum Operation: Sendable { case read, write }

    private struct Target: Hashable {
        let operation: Operation
        let device: dev_t
        let inode: ino_t
    }

    private typealias ReadCall = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
    private typealias WriteCall = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int

    private static let targets = Mutex<Set<Target>>([])
    private static let isInstalled: Bool = {
        guard let system = sqlite3_vfs_find("unix"), let replace = system.pointee.xSetSystemCall,
            let present = system.pointee.xGetSystemCall
        else { return false }
        let read: ReadCall = { FileFault.isHit(.read, $0) ? FileFault.fail() : pread($0, $1, $2, $3) }
        let write: WriteCall = { FileFault.isHit(.write, $0) ? FileFault.fail() : pwrite($0, $1, $2, $3) }
        var hasRead = false
        var hasWrite = false
        for (names, call) in [
            (["pread", "pread64"], unsafeBitCast(read, to: sqlite3_syscall_ptr.self)),
            (["pwrite", "pwrite64"], unsafeBitCast(write, to: sqlite3_syscall_ptr.self)),
        ] {
            for name in names where present(system, name) != nil && replace(system, name, call) == SQLITE_OK {
                if name.hasPrefix("pread") { hasRead = true } else { hasWrite = true }
            }
        }
        return hasRead && hasWrite
    }()

    package struct NotPossible: Error {}

    private let target: Target

    /// - Throws: `NotPossible` if the file does not exist, or if this SQLite reads and writes in another way.
    package init(_ operation: Operation, of path: String) throws {
        var found = stat()
        guard Self.isInstalled, stat(path, &found) == 0 else { throw NotPossible() }
        let target = Target(operation: operation, device: found.st_dev, inode: found.st_ino)
        self.target = target
        Self.targets.withLock { _ = $0.insert(target) }
    }

    deinit { Self.targets.withLock { [target] in _ = $0.remove(target) } }

    private static func isHit(_ operation: Operation, _ descriptor: Int32) -> Bool {
        targets.withLock { targets in
            var found = stat()
            guard !targets.isEmpty, fstat(descriptor, &found) == 0 else { return false }
            return targets.contains(Target(operation: operation, device: found.st_dev, inode: found.st_ino))
        }
    }

    private static func fail() -> Int {
        errno = EIO
        return -1
    }
}
