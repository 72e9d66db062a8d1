import Foundation
import Model

/// Finds whose transaction keeps the write-ahead log of a store from starting again.
package enum LogHolder {
    /// The bytes of the shared-memory file that readers of the log lock (https://www.sqlite.org/walformat.html, "WAL Locks").
    private static let readLocks = 123...127

    /// The process that has a transaction open: another one than this, if there is one.
    ///
    /// The locks of this process are read from its open files, because the list of the locks of all processes can lack some while it changes.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - locks: The locks of all processes, as in proc_locks(5).
    ///   - name: Returns the name of a process; nil if it is hidden, as from a systemd service with ProtectProc=invisible.
    package static func find(
        ofStore path: String, locks: String? = LogHolder.text(of: "/proc/locks"),
        name: (pid_t) -> String? = { LogHolder.text(of: "/proc/\($0)/comm")?.trimmingCharacters(in: .whitespacesAndNewlines) }
    ) -> ProblemSubject {
        var file = stat()
        guard stat(path + "-shm", &file) == 0 else { return .anotherProgram }
        if let other = processes(in: locks ?? "", locking: file).filter({ $0 != getpid() }).min() {
            if let name = name(other), !name.isEmpty { return .process(name, Int(other)) }
            // The process exists.
            if kill(other, 0) == 0 || errno == EPERM { return .process("", Int(other)) }
        }
        return holds(file) ? .longQuery : .anotherProgram
    }

    /// Whether this process holds a lock of a reader on a file: a line `lock:` in proc_pid_fdinfo(5), followed by a line of proc_locks(5).
    private static func holds(_ file: stat) -> Bool {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.contains { descriptor in
            var other = stat()
            guard stat("/proc/self/fd/\(descriptor)", &other) == 0, other.st_ino == file.st_ino, other.st_dev == file.st_dev,
                let lines = text(of: "/proc/self/fdinfo/\(descriptor)")?.split(separator: "\n")
            else { return false }
            let locks = lines.filter { $0.hasPrefix("lock:") }.map { $0.dropFirst(5) }.joined(separator: "\n")
            return !processes(in: locks, locking: file).isEmpty
        }
    }

    /// The processes that hold a lock of a reader on a file. A line is for example `1: POSIX  ADVISORY  READ  4711 00:2d:1234 124 124`.
    private static func processes(in locks: String, locking file: stat) -> [pid_t] {
        locks.split(separator: "\n").compactMap { line in
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard fields.count == 8, fields[1] == "POSIX", fields[3] == "READ", let process = pid_t(fields[4]), process > 0,
                fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(file.st_ino), let byte = Int(fields[6])
            else { return nil }
            return readLocks.contains(byte) ? process : nil
        }
    }

    /// The content of a file of the system; nil if it cannot be read.
    static func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
