import Foundation
import Model
import Synchronization

/// Checks that the files of a store are still those that its writer has open.
///
/// When somebody deletes or replaces the store or its write-ahead log, SQLite goes on with the open files, which are gone with the process.
/// When somebody cuts the log, SQLite continues it at its old length, and everything after the gap is ignored at the next start. So nothing
/// counts as saved before this check. It makes two calls of `stat` and reads four bytes, which takes about two microseconds.
final class StoreFileCheck: Sendable {
    private let store: OpenedFile
    private let log: OpenedFile
    /// The open write-ahead log. SQLite keeps the same file as long as a connection is open, and its locks are on other files, so closing
    /// this descriptor releases none.
    let logDescriptor: Int32
    private let state = Mutex(State())

    private struct State {
        /// The size of the store at the last check. SQLite makes the file smaller only after it was rewritten.
        var storeSize: off_t = 0
        /// Whether the store was rewritten since it last became smaller.
        var mayShrink = false
        /// Whether a file was cut. Its content does not come back.
        var isCut = false
        /// Whether the last check has found a problem.
        var hasProblem = false
    }

    /// A file at a path.
    private struct OpenedFile {
        let path: String
        let device: dev_t
        let inode: ino_t

        init(_ path: String) throws(Problem) {
            var found = stat()
            guard stat(path, &found) == 0 else {
                throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
            }
            self.path = path
            (device, inode) = (found.st_dev, found.st_ino)
        }

        /// The size of the file, if it is still the same one.
        func size() throws(Problem) -> off_t {
            var found = stat()
            if stat(path, &found) != 0 {
                throw errno == ENOENT || errno == ENOTDIR
                    ? .storeReplaced(path: path) : .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
            }
            guard found.st_dev == device, found.st_ino == inode else { throw .storeReplaced(path: path) }
            return found.st_size
        }
    }

    /// - Parameter path: The path of a store that a connection has open for writing.
    init(store path: String) throws(Problem) {
        store = try OpenedFile(path)
        log = try OpenedFile(path + "-wal")
        logDescriptor = open(log.path, O_RDWR | O_CLOEXEC)
        guard logDescriptor >= 0 else {
            throw .fileFailed(path: log.path, reason: .verbatim(String(cString: strerror(errno))))
        }
    }

    deinit { close(logDescriptor) }

    /// The path of the write-ahead log.
    var logPath: String { log.path }

    /// Why nothing can be saved in the files; nil if it can.
    func problem() -> Problem? {
        state.withLock { state in
            do throws(Problem) {
                let size = try store.size()
                let logSize = try log.size()
                if size < state.storeSize {
                    if !state.mayShrink { state.isCut = true }
                    state.mayShrink = false
                }
                if size == 0 || logSize > 0 && !hasLogHeader() { state.isCut = true }
                state.storeSize = size
                state.hasProblem = state.isCut
                return state.isCut ? .storeReplaced(path: store.path) : nil
            } catch {
                state.hasProblem = true
                return error
            }
        }
    }

    /// Checks again if the last check has found a problem.
    func standingProblem() -> Problem? { state.withLock { $0.hasProblem } ? problem() : nil }

    /// Whether the log begins with the number that marks it (https://www.sqlite.org/fileformat.html, section 4.1). A log that was cut and
    /// then continued begins with zeros.
    private func hasLogHeader() -> Bool {
        var mark: UInt32 = 0
        return pread(logDescriptor, &mark, 4, 0) == 4 && UInt32(bigEndian: mark) & ~1 == 0x377F_0682
    }

    /// Whether a file was cut, so that the log must not be written into the store any more.
    var isCut: Bool { state.withLock { $0.isCut } }

    /// Must be called before the store is rewritten, which makes it smaller.
    func expectRewrite() { state.withLock { $0.mayShrink = true } }
}
