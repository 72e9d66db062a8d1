import Foundation
import Model
import Settings

/// The directory that everything is kept in.
public struct DataDirectory: Hashable, Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// `$PICKET_DATA`, else `picket` in `$XDG_DATA_HOME` (XDG Base Directory Specification: `~/.local/share` when not set).
    public static func standard(_ environment: [String: String]) -> DataDirectory {
        if let path = environment["PICKET_DATA"], !path.isEmpty { return DataDirectory(path: path) }
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return DataDirectory(path: base + "/picket") }
        return DataDirectory(path: (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/picket")
    }

    /// The region store.
    public var store: String { path + "/picket.sqlite" }

    /// The simulated operating systems of phones, which outlive the app as real ones do.
    public var registry: String { path + "/os-registry.sqlite" }

    /// Whether there is a store. A directory that may not be looked into is no directory without a store.
    public func hasStore() throws(Problem) -> Bool { try has(store) }

    /// Whether there are simulated phones.
    func hasRegistry() throws(Problem) -> Bool { try has(registry) }

    private func has(_ file: String) throws(Problem) -> Bool {
        if access(file, F_OK) == 0 { return true }
        guard errno == ENOENT else { throw .fileFailed(path: path, reason: String(cString: strerror(errno))) }
        return false
    }

    /// Makes the directory, readable for its owner only, if it is not there.
    func make() throws(Problem) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .fileFailed(path: path, reason: "the directory cannot be made (\(error.systemReason))")
        }
    }
}

/// The right to write to a data directory: one process has it at a time, as long as this lives. The system takes it back when
/// the process ends, however it ends.
public final class DirectoryLock {
    private let descriptor: Int32
    /// What was put in order in the directory.
    public let care: DirectoryCare

    /// Milliseconds to wait for another process: commands that only write a line are done by then.
    public static let patience = 1000

    /// Makes the directory when it is not there, and puts it in order.
    ///
    /// - Parameters:
    ///   - purpose: What the process does, for others that find the directory in use.
    ///   - patience: Milliseconds to wait for another process.
    public init(
        _ directory: DataDirectory, purpose: String, patience: Int = DirectoryLock.patience
    ) throws(Problem) {
        try directory.make()
        let path = directory.path + "/picket.lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: String(cString: strerror(errno))) }
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
            guard reason == EWOULDBLOCK else { throw .fileFailed(path: path, reason: String(cString: strerror(reason))) }
            var holder = [UInt8](repeating: 0, count: 200)
            let count = pread(descriptor, &holder, holder.count, 0)
            let text = String(decoding: holder.prefix(max(0, count)), as: UTF8.self)
            throw .storeBusy(path: directory.path, holder: text.isEmpty ? "another process" : text)
        }
        let holder = "'picket \(purpose)' (process \(getpid()))"
        ftruncate(descriptor, 0)
        _ = holder.withCString { pwrite(descriptor, $0, strlen($0), 0) }
        care = directory.putInOrder()
        self.descriptor = descriptor
    }

    deinit {
        // A program that is being started has a copy of the descriptor for a moment, and would keep the lock that long.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
