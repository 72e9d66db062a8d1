import Foundation
import Model

/// Finds whose transaction keeps the write-ahead log of a store from starting again.
package enum LogHolder {
    /// The bytes of the shared-memory file that readers of the log lock (https://www.sqlite.org/walformat.html, "WAL Locks").
    private static let readLocks = 123...127

    /// The process that has a transaction open: another one than this, if there is one.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - locks: The locks of all processes, as in proc_locks(5).
    package static func find(ofStore path: String, locks: String? = LogHolder.text(of: "/proc/locks")) -> ProblemSubject {
        var found = stat()
        guard let locks, stat(path + "-shm", &found) == 0 else { return .anotherProgram }
        let processes = processes(in: locks, lockingFile: UInt64(found.st_ino))
        guard let other = processes.filter({ $0 != getpid() }).min() else {
            return processes.isEmpty ? .anotherProgram : .longQuery
        }
        guard let name = text(of: "/proc/\(other)/comm")?.trimmingCharacters(in: .whitespacesAndNewlines), !name.isEmpty else {
            return .anotherProgram
        }
        return .process(name, Int(other))
    }

    /// The processes that hold a lock of a reader on a file. A line is for example `1: POSIX  ADVISORY  READ  4711 00:2d:1234 124 124`.
    private static func processes(in locks: String, lockingFile inode: UInt64) -> [pid_t] {
        locks.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 8, fields[1] == "POSIX", fields[3] == "READ", let process = pid_t(fields[4]), process > 0,
                fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode, let byte = Int(fields[6])
            else { return nil }
            return readLocks.contains(byte) ? process : nil
        }
    }

    /// The content of a file of the system; nil if it cannot be read.
    package static func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
