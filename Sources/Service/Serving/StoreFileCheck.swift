import Foundation
import Model
import Store
import Synchronization

/// Checks that the files of a store are still those that its writer has open.
///
/// When somebody deletes or replaces the store or its write-ahead log, SQLite goes on with the open files, which are gone with the process.
/// When somebody cuts the log, SQLite continues it at its old length, and everything after the gap is ignored at the next start. So nothing
/// counts as saved before this check. It makes three calls of `stat` and three small reads, which takes a few microseconds.
final class StoreFileCheck: Sendable {
    private let store: OpenedFile
    private let log: OpenedFile
    /// The open write-ahead log. SQLite keeps the same file as long as a connection is open, and its locks are on other files, so closing
    /// this descriptor releases none.
    let logDescriptor: Int32
    private let state: Mutex<State>

    private struct State {
        /// The size of the store at the last check. SQLite makes the file smaller only after it was rewritten.
        var storeSize: off_t = 0
        /// Whether the store was rewritten since it last became smaller.
        var mayShrink = false
        /// The log at the last check.
        var log: LogFile?
        /// Whether a file was cut. Its content does not come back.
        var isCut = false
        /// Whether the last check has found that the store was deleted or replaced.
        var isStoreGone = false
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

    /// - Parameters:
    ///   - path: The path of a store that a connection has open for writing.
    ///   - contentBytes: The size that the store has when its log is written into it. It is smaller than the file if the log contains a
    ///     rewritten store.
    init(store path: String, contentBytes: Int) throws(Problem) {
        store = try OpenedFile(path)
        let size = try store.size()
        state = Mutex(State(storeSize: size, mayShrink: size > contentBytes))
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
                state.isStoreGone = true
                let size = try store.size()
                state.isStoreGone = false
                _ = try log.size()
                if size < state.storeSize {
                    if !state.mayShrink { state.isCut = true }
                    state.mayShrink = false
                }
                if size == 0 { state.isCut = true }
                if let log = LogFile(logDescriptor) {
                    if log.isCut(since: state.log) || state.log.map({ !log.stillContains($0, logDescriptor) }) ?? false {
                        state.isCut = true
                    }
                    state.log = log
                } else {
                    state.log = nil
                }
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

    /// Whether a file was cut, so that the log must not be written into the store any more.
    var isCut: Bool { state.withLock { $0.isCut } }

    /// Checks again whether closing the store must leave the log as it is: a file was cut, or the store was deleted or replaced, so that the
    /// log at its path belongs to another store or is all that is left. If only the log was deleted or replaced, the open log is still
    /// good, and writing it into the store saves its content.
    func mustKeepLog() -> Bool {
        _ = problem()
        return state.withLock { $0.isCut || $0.isStoreGone }
    }

    /// Writes the log into the store with a new connection, while another one writes.
    ///
    /// - Throws: `Problem.storeReplaced` if the files at the path are not those that are open, and the problems of SQLite.
    func checkpointByPath() throws(Problem) {
        if let problem = problem() { throw problem }
        try RegionStore.checkpointFile(at: store.path)
    }

    /// Must be called before the store is rewritten, which makes it smaller.
    func expectRewrite() { state.withLock { $0.mayShrink = true } }
}
