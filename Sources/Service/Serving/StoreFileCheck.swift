import DatabaseProblems
import Foundation
import Model
import SQLite
import Store
import Synchronization

/// Checks that the files of a store are still those that its writer has open, and that nobody else has written them.
///
/// When somebody deletes or replaces the store or its write-ahead log, SQLite goes on with the open files, which are gone with the process.
/// When somebody cuts the log, SQLite continues it at its old length, and everything after the gap is ignored at the next start. When
/// somebody copies another store into the file, SQLite writes its log into that one. So nothing counts as saved before this check. It makes
/// three calls of `stat` and three small reads, which takes a few microseconds.
final class StoreFileCheck: Sendable {
    /// Reads bytes of a descriptor at an offset, like `pread`.
    typealias PositionedRead = @Sendable (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int

    private let store: OpenedFile
    private let log: OpenedFile
    private let content: DatabaseFileReader
    private let read: PositionedRead
    /// The open write-ahead log. SQLite keeps the same file as long as a connection is open, and its locks are on other files, so closing
    /// this descriptor releases none.
    let logDescriptor: Int32
    private let state: Mutex<State>

    private struct State {
        /// The size of the store at the last check. SQLite makes the file smaller only after it was rewritten.
        var storeSize: off_t = 0
        /// When the store was last written, in nanoseconds, and what it contained then; nil while the own process writes it.
        var written: Int64?
        var sample: StoreFileSample?
        /// The number of threads of the own process that write into the store itself at the moment.
        var writers = 0
        /// Whether the store was rewritten since it last became smaller.
        var mayShrink = false
        /// The log at the last check.
        var log: LogFile?
        /// Whether somebody else cut a file or overwrote the store. The content does not come back.
        var isAltered = false
        /// Whether the last check has found that the store was deleted or replaced.
        var isStoreGone = false
        /// Whether the last check has found a problem.
        var hasProblem = false
    }

    /// - Parameters:
    ///   - path: The path of a store that a connection has open for writing.
    ///   - contentBytes: The size that the store has when its log is written into it. It is smaller than the file if the log contains a
    ///     rewritten store.
    ///   - read: Reads the log. Only tests use another function than the system's.
    init(
        store path: String, contentBytes: Int, read: @escaping PositionedRead = { unsafe pread($0, $1, $2, $3) }
    ) throws(Problem) {
        do throws(SQLiteError) {
            content = try DatabaseFileReader(path: path)
        } catch {
            throw Problem(error, at: path)
        }
        self.read = read
        store = try OpenedFile(path)
        log = try OpenedFile(path + "-wal")
        logDescriptor = open(log.path, O_RDWR | O_CLOEXEC)
        guard logDescriptor >= 0 else {
            throw .fileFailed(path: log.path, reason: .verbatim(String(cString: strerror(errno))))
        }
        let found = try store.status()
        state = Mutex(
            State(
                storeSize: found.size, written: found.written, sample: StoreFileSample(content, size: Int64(found.size)),
                mayShrink: found.size > contentBytes, log: try LogFile(logDescriptor, path: log.path, read)))
    }

    deinit { close(logDescriptor) }

    /// The path of the write-ahead log.
    var logPath: String { log.path }

    /// Why nothing can be saved in the files; nil if it can.
    func problem() -> Problem? { state.withLock { problem(&$0) } }

    private func problem(_ state: inout State) -> Problem? {
        do throws(Problem) {
            state.isStoreGone = true
            let found = try store.status()
            state.isStoreGone = false
            _ = try log.status()
            if found.size < state.storeSize {
                if !state.mayShrink { state.isAltered = true }
                state.mayShrink = false
            }
            if found.size == 0 { state.isAltered = true }
            try checkWriting(found, &state)
            if let log = try LogFile(logDescriptor, path: log.path, read) {
                if let earlier = state.log,
                    try !log.stillContains(earlier, descriptor: logDescriptor, path: self.log.path, reading: read)
                {
                    state.isAltered = true
                }
                if log.isCut(since: state.log) { state.isAltered = true }
                state.log = log
            } else {
                state.log = nil
            }
            state.storeSize = found.size
            state.hasProblem = state.isAltered
            return state.isAltered ? .storeReplaced(path: store.path) : nil
        } catch {
            state.hasProblem = true
            return error
        }
    }

    /// Checks whether somebody else has written into the store, if its time says that anybody has.
    private func checkWriting(_ found: OpenedFile.Status, _ state: inout State) throws(Problem) {
        guard state.writers == 0, found.written != state.written else { return }
        guard let sample = StoreFileSample(content, size: Int64(found.size)) else {
            throw .fileFailed(path: store.path, reason: .verbatim(String(cString: strerror(EIO))))
        }
        // The time alone changes when somebody touches the file.
        if let known = state.sample, sample != known { state.isAltered = true }
        (state.written, state.sample) = (found.written, sample)
    }

    /// Checks again if the last check has found a problem.
    func standingProblem() -> Problem? { state.withLock { $0.hasProblem ? problem(&$0) : nil } }

    /// Whether somebody else cut a file or overwrote the store, so that the log must not be written into the store any more.
    var isAltered: Bool { state.withLock { $0.isAltered } }

    /// Checks again whether closing the store must leave the log as it is: a file was cut or overwritten, or the store was deleted or
    /// replaced, so that the log at its path belongs to another store or is all that is left. If only the log was deleted or replaced, the
    /// open log is still good, and writing it into the store saves its content.
    func mustKeepLog() -> Bool {
        state.withLock { state in
            _ = problem(&state)
            return state.isAltered || state.isStoreGone
        }
    }

    // MARK: - Own writing into the store

    /// Must be called before a connection of this process writes into the store itself: it checkpoints the log, or closes as the last one.
    ///
    /// - Throws: `Problem.storeReplaced` if the files at the path are not those that are open, or were written by somebody else.
    func beginWriting() throws(Problem) {
        let found = state.withLock { state in
            let found = problem(&state)
            if found == nil { state.writers += 1 }
            return found
        }
        if let found { throw found }
    }

    /// Must be called before the last connection of this process is closed, which writes the log into the store and is not announced
    /// otherwise. It does so also if only the log was deleted.
    func expectClose() { state.withLock { $0.writers += 1 } }

    /// Must be called after writing that began with `beginWriting()`.
    ///
    /// - Parameter contentBytes: See `init`; nil if it is not known.
    func endWriting(contentBytes: Int? = nil) {
        state.withLock { state in
            state.writers -= 1
            guard state.writers == 0 else { return }
            do throws(Problem) {
                let found = try store.status()
                if found.size < state.storeSize {
                    if !state.mayShrink { state.isAltered = true }
                    state.mayShrink = false
                } else if let contentBytes, found.size <= contentBytes {
                    // The rewritten store is in the file, and is not smaller.
                    state.mayShrink = false
                }
                (state.storeSize, state.written) = (found.size, found.written)
                state.sample = StoreFileSample(content, size: Int64(found.size))
            } catch {
                state.hasProblem = true
            }
        }
    }

    /// Writes the log into the store with a new connection, while another one writes.
    ///
    /// - Returns: Whether the whole log was written, as it was when this began.
    /// - Throws: `Problem.storeReplaced` if the files at the path are not those that are open, and the problems of SQLite.
    @discardableResult
    func checkpointByPath() throws(Problem) -> Bool {
        try beginWriting()
        defer { endWriting() }
        return try RegionStore.checkpointFile(at: store.path)
    }

    /// The size of the write-ahead log's file in bytes.
    var logBytes: Int {
        var found = stat()
        return fstat(logDescriptor, &found) == 0 ? Int(found.st_size) : 0
    }

    /// Must be called before the store is rewritten, which makes it smaller.
    func expectRewrite() { state.withLock { $0.mayShrink = true } }
}
