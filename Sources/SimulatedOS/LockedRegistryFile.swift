import Foundation
import Model

/// The registry file for use by any thread: it is opened on first use, and used by one thread at a time.
///
/// `@unchecked Sendable`: `opened` is accessed only while `lock` is locked.
final class LockedRegistryFile: @unchecked Sendable {
    let path: String
    private let patience: Int32
    private let lock = NSLock()
    private var opened: RegistryFile?
    private let willChange: (@Sendable (String) -> Void)?

    /// - Parameters:
    ///   - patience: Milliseconds to wait for another process that writes to the file.
    ///   - willChange: Called with the id of the device of each phone that is about to be saved or removed, while no other reader has
    ///     access.
    init(path: String, patience: Int32, willChange: (@Sendable (String) -> Void)? = nil) {
        self.path = path
        self.willChange = willChange
        self.patience = patience
    }

    /// Calls `body` with the open file while the lock is held.
    ///
    /// - Throws: `Problem.storeReplaced` if the file was deleted, moved or replaced since it was opened.
    func use<Result>(_ body: (RegistryFile) throws(Problem) -> Result) throws(Problem) -> Result {
        lock.lock()
        defer { lock.unlock() }
        let file: RegistryFile
        if let opened {
            file = opened
            try file.checkFile()
        } else {
            file = try RegistryFile(path: path, patience: patience)
            file.willChange = willChange
            opened = file
        }
        let result = try body(file)
        try file.checkFile()
        return result
    }

    /// Whether there is a file. A file that was deleted while it is open does not count as missing.
    var exists: Bool { access(path, F_OK) == 0 || lock.withLock { opened != nil } }

    /// The simulated operating system of a device at a moment. Neither changes nor creates the file.
    func phone(of device: Device, at now: Instant) throws(Problem) -> SimulatedOS {
        guard exists else {
            var os = RegistryFile.newPhone(of: device, at: now)
            os.advance(to: now)
            return os
        }
        return try use { file throws(Problem) in try file.phone(of: device, at: now) }
    }
}
