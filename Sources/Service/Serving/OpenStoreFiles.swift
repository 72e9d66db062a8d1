import DatabaseProblems
import Foundation
import Model
import SQLite
import Store
import Synchronization

/// The files of a store that its writer has open. Can be used from any thread.
///
/// When the store or its write-ahead log is deleted or replaced, SQLite continues with the open files, which are lost when the process ends.
/// So nothing counts as saved before a check of the files, which takes a few microseconds.
final class OpenStoreFiles: Sendable {
    private let path: String
    /// A connection that reads nothing. It compares the file that it has opened with the one at the path.
    private let connection: Mutex<Connection>
    /// The open write-ahead log. SQLite keeps the same file as long as a connection is open, and its locks are on other files, so closing
    /// this descriptor releases none.
    let logDescriptor: Int32

    /// - Parameter path: The path of a store that a connection has open for writing.
    init(_ path: String) throws(Problem) {
        self.path = path
        do throws(SQLiteError) {
            connection = Mutex(try Connection(path: path, access: .read))
        } catch {
            throw Problem(error, at: path)
        }
        logDescriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
        guard logDescriptor >= 0 else {
            throw .fileFailed(path: path + "-wal", reason: .verbatim(String(cString: strerror(errno))))
        }
    }

    deinit { close(logDescriptor) }

    /// The path of the write-ahead log.
    var logPath: String { path + "-wal" }

    /// The size of the write-ahead log's file in bytes.
    var logBytes: Int {
        var found = stat()
        return fstat(logDescriptor, &found) == 0 ? Int(found.st_size) : 0
    }

    /// The problem that a file was deleted, moved or replaced; nil if both are still at their paths.
    func problem() -> Problem? {
        if connection.withLock({ $0.hasMoved }) { return .storeReplaced(path: path) }
        // SQLite compares the store's file alone.
        var (opened, found) = (stat(), stat())
        let isLogInPlace =
            fstat(logDescriptor, &opened) == 0 && stat(logPath, &found) == 0
            && opened.st_ino == found.st_ino && opened.st_dev == found.st_dev
        return isLogInPlace ? nil : .storeReplaced(path: logPath)
    }

    /// Writes the log into the store with a new connection, while another one writes.
    ///
    /// - Returns: Whether the whole log was written, as it was when this began.
    /// - Throws: `Problem.storeReplaced` if the files at the path are not those that are open, and the problems of SQLite.
    @discardableResult
    func checkpointByPath() throws(Problem) -> Bool {
        if let problem = problem() { throw problem }
        return try PicketStore.checkpointFile(at: path)
    }
}
