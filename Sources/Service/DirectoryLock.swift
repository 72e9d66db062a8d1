import Foundation
import Model
import Settings

/// The exclusive right to write to a data directory. One process holds the lock at a time, as long as the instance exists. The operating
/// system releases the lock when the process ends in any way.
package final class DirectoryLock {
    private let descriptor: Int32
    /// The maintenance that was done in the directory.
    package let care: DirectoryCare

    /// The default number of milliseconds to wait for another process. Short commands are finished by then.
    package static let patience = 1000

    /// Locks the directory. Creates it if it does not exist, and does its maintenance.
    ///
    /// - Parameters:
    ///   - purpose: The command that the process runs, shown to other processes that find the directory locked.
    ///   - patience: Milliseconds to wait for another process.
    /// - Throws: `Problem.storeBusy` with the holder if another process holds the lock, otherwise `Problem.fileFailed`.
    package init(
        _ directory: DataDirectory, purpose: String, patience: Int = DirectoryLock.patience
    ) throws(Problem) {
        try directory.createIfMissing()
        let path = directory.path + "/picket.lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        var waited = 0
        var reason: Int32 = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            reason = errno
            guard reason == EWOULDBLOCK, waited < patience else { break }
            reason = 0
            usleep(20_000)
            waited += 20
        }
        guard reason == 0 else {
            defer { close(descriptor) }
            guard reason == EWOULDBLOCK else {
                throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(reason))))
            }
            var holder = [UInt8](repeating: 0, count: 200)
            let count = pread(descriptor, &holder, holder.count, 0)
            let text = String(decoding: holder.prefix(max(0, count)), as: UTF8.self)
            throw .storeBusy(path: directory.path, holder: Self.holder(text))
        }
        let holder = "\(getpid()) picket \(purpose)"
        ftruncate(descriptor, 0)
        _ = holder.withCString { pwrite(descriptor, $0, strlen($0), 0) }
        care = directory.performMaintenance()
        self.descriptor = descriptor
    }

    /// Whether another process holds the lock of a directory. Changes nothing.
    package static func isHeld(_ directory: DataDirectory) -> Bool {
        let descriptor = open(directory.path + "/picket.lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    deinit {
        // A child process that is being started has a copy of the descriptor for a moment. Without an explicit unlock it would keep the
        // lock that long.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The process that the content of a lock file names: its number, a space, and its command.
    private static func holder(_ text: String) -> ProblemSubject {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]) else { return .anotherProgram }
        return .process(String(parts[1]), number)
    }
}
