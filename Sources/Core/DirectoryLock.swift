import Foundation
import Model

/// The exclusive right to write to a data directory. One process holds the lock at a time, as long as the instance exists. The operating
/// system releases the lock when the process ends in any way.
///
/// The directory itself is locked, because a lock file can be deleted, and another process would then lock a new one. The file
/// `picket.lock` is locked as well: it names the holder, and network file systems do not lock directories.
package final class DirectoryLock {
    /// The open directory and the open lock file.
    private let descriptors: [Int32]
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
        let folder = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .fileFailed(path: directory.path, reason: .verbatim(String(cString: strerror(errno)))) }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let reason = errno
            close(folder)
            throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(reason))))
        }
        var waited = 0
        var reason = Self.lock(folder, file)
        while reason == EWOULDBLOCK, waited < patience {
            usleep(20_000)
            waited += 20
            reason = Self.lock(folder, file)
        }
        guard reason == 0 else {
            defer {
                close(file)
                close(folder)
            }
            guard reason == EWOULDBLOCK else {
                throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(reason))))
            }
            var holder = [UInt8](repeating: 0, count: 200)
            let count = pread(file, &holder, holder.count, 0)
            let text = String(decoding: holder.prefix(max(0, count)), as: UTF8.self)
            throw .storeBusy(path: directory.path, holder: Self.holder(text))
        }
        let holder = "\(getpid()) picket \(purpose)"
        ftruncate(file, 0)
        _ = holder.withCString { pwrite(file, $0, strlen($0), 0) }
        care = directory.performMaintenance()
        descriptors = [file, folder]
    }

    /// Locks the directory and the lock file, or neither.
    ///
    /// - Returns: The reason why one of them cannot be locked; 0 if both are locked.
    private static func lock(_ folder: Int32, _ file: Int32) -> Int32 {
        // A network file system grants an exclusive lock only on a file that is open for writing, which a directory cannot be.
        if flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return EWOULDBLOCK }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return 0 }
        let reason = errno
        flock(folder, LOCK_UN)
        return reason
    }

    /// Whether another process holds the lock of a directory. Changes nothing.
    package static func isHeld(_ directory: DataDirectory) -> Bool {
        isHeld(directory.path) || isHeld(directory.path + "/picket.lock")
    }

    private static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    deinit {
        // A child process that is being started has a copy of the descriptor for a moment. Without an explicit unlock it would keep the
        // lock that long.
        for descriptor in descriptors {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// The process that the content of a lock file names: its number, a space, and its command.
    private static func holder(_ text: String) -> ProblemSubject {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]) else { return .anotherProgram }
        return .process(String(parts[1]), number)
    }
}
