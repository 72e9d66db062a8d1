import DatabaseProblems
import Model
import SQLite

/// The data of Picket in one SQLite file: geofences, devices, fixes, states and events.
///
/// A store must be used by one thread at a time. All its methods throw `Problem` only.
package final class PicketStore {
    /// The schema version of this code.
    package static var newestVersion: Int { Schema.migrations.newest }

    let connection: Connection
    let path: String
    /// Whether the fixes that `fix_order` does not contain yet are in a temporary table in order; see `withTemporaryOrder(of:_:)`.
    var hasTemporaryOrder = false

    /// How often this store has begun to remove fixes.
    package internal(set) var fixRemovals = 0
    /// The number of the newest entry of the input log, cached during the open transaction.
    var cachedNewestInput: Int64?
    /// Finds the fixes that are not in order by device and time yet.
    var unorderedIndex = UnorderedFixIndex()
    /// The maximum number of fixes that a search adds to `unorderedIndex`. Reading 4,000 takes about two milliseconds.
    var mostFixesToIndex: Int64 = 4000
    /// The number of the first fix that the open transaction has appended; nil for none.
    var firstAppendedFix: Int64?
    /// Whether so many fixes are not in order that they fill a pass.
    package var isOrderDue = false
    /// Whether `contains(_:of:isValid:)` has failed because too many fixes are not in order; see `takeOrderRequest()`.
    var isOrderRequested = false
    /// How many blocks of `unorderedIndex` the open transaction has searched, and how many it may search. A hundred thousand take about five
    /// milliseconds.
    var blockSearches = 0
    var mostBlockSearches = Int.max
    /// The limits of the parts in which long lists are read. Only tests change them.
    package var pieceLimit = PieceLimit()
    /// The events that are not in the indexes yet.
    var indexing = EventIndexing()
    /// The cached values of `device.ids_after` of devices with new events. They must be removed when a device is erased.
    package var idsAfter: [DeviceKey: Int64] = [:]
    /// The devices that this connection sees now; nil for all. See `withDevices(of:_:)`.
    package internal(set) var visibility: VisibleDevices?
    /// Called within a transaction with each device whose state, journal or app's report is saved, which its health depends on.
    package var healthChanged: ((DeviceKey) -> Void)?
    /// Set where states are written later than the fixes; nil elsewhere.
    package weak var pendingStateWriter: (any PendingStateWriter)?

    /// Opens a store for writing. A missing file is created, and an older schema is updated.
    ///
    /// - Parameter beforeUpdate: Called with the store and its version before an older schema is updated. If it throws, the store stays as
    ///   it is.
    package init(
        writing path: String, beforeUpdate: (PicketStore, Int) throws(Problem) -> Void = { _, _ in }
    ) throws(Problem) {
        self.path = path
        connection = try PicketStore.open(path, .write)
        let version = try Problem.catching(at: path) { try Schema.migrations.check(connection) }
        if version == Self.newestVersion { return }
        if version > 0 { try beforeUpdate(self, version) }
        try Problem.catching(at: path) { try Schema.migrations.run(on: connection) }
    }

    /// Opens a store for reading, while another process or connection may write.
    package init(reading path: String) throws(Problem) {
        self.path = path
        connection = try PicketStore.open(path, .read)
        _ = try Problem.catching(at: path) { try Schema.migrations.check(connection) }
    }

    private static func open(_ path: String, _ access: Connection.Access) throws(Problem) -> Connection {
        try Problem.catching(at: path) { try Connection(path: path, access: access) }
    }

    /// The version of the schema; 0 if the file has none yet.
    package func schemaVersion() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in try connection.schemaVersion() }
    }

    // MARK: - Transactions

    /// Runs `body` in one transaction. When this returns, all changes are committed; when it throws, none are.
    package func transaction<Result>(
        _ body: (borrowing Transaction) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        indexing.transactionBegins()
        firstAppendedFix = nil
        cachedNewestInput = nil
        blockSearches = 0
        defer { cachedNewestInput = nil }
        do {
            let result = try connection.transaction(failure: { Problem($0, at: path) }) { () throws(Problem) in
                try body(Transaction())
            }
            indexing.transactionCommitted()
            return result
        } catch {
            idsAfter.removeAll()
            indexing.transactionFailed()
            // The numbers of these fixes are used again.
            if let firstAppendedFix { unorderedIndex.removeFixes(from: firstAppendedFix) }
            throw error
        }
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { connection.isInTransaction }

    /// Runs `body` on one state of the store, even if other connections write meanwhile. Pending states are written before, in a
    /// separate transaction.
    package func snapshot<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        if !isInTransaction { try writePendingStates() }
        return try inReadTransaction(body)
    }

    /// A number that grows with each row that this store itself changes.
    package var changeCount: Int64 { connection.allChangedRows }

    /// A number that changes when another connection has committed a change.
    package func externalChangeCounter() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in try connection.dataVersion() }
    }

    /// Runs `body` and converts an SQLite error to a `Problem`.
    package func attempt<Result>(_ body: () throws(SQLiteError) -> Result) throws(Problem) -> Result {
        do {
            return try body()
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Advances a statement to its next row and reads it; nil if there is none.
    package func next<Whole: Row>(_ type: Whole.Type, of statement: Statement) throws(Problem) -> Whole? {
        try attempt { () throws(SQLiteError) in try statement.next(Whole.self) }
    }

    /// Advances a statement to its next row and reads its columns as a tuple; nil if there is none.
    package func next<each Value: ColumnValue>(
        _ types: repeat (each Value).Type, of statement: Statement
    ) throws(Problem) -> (repeat each Value)? {
        do {
            return try statement.next(repeat (each Value).self)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Writes pending states to their tables. This must be called before these tables are read.
    ///
    /// - Parameter device: The only device whose state is read; nil for any.
    package func writePendingStates(of device: DeviceKey? = nil) throws(Problem) {
        guard let writer = pendingStateWriter else { return }
        // A query in the open transaction has to see what this connection will write.
        if isInTransaction { try writer.writeState(of: device, in: Transaction()) } else { try writer.writeState(of: device) }
    }

    /// From now on, reading fails with `Problem.cancelled` while `isWanted` returns true; see `Connection.interrupt(when:)`.
    package func interrupt(when isWanted: (@Sendable () -> Bool)?) { connection.interrupt(when: isWanted) }

    /// For long work between two readings.
    ///
    /// - Throws: `Problem.cancelled` while the work is to be canceled; see `interrupt(when:)`.
    package func checkInterruption() throws(Problem) { if connection.isInterrupted { throw .cancelled } }

    // MARK: - Problems

    /// The problem that the store contains data which Picket cannot have written.
    package func damaged(_ details: String) -> Problem { .storeCorrupt(path: path, details: details) }

    // MARK: - Settings

    /// An integer setting; 0 if it is missing.
    package func setting(_ name: String) throws(SQLiteError) -> Int64 {
        let statement = try statement("SELECT value FROM setting WHERE name = ?")
        statement.bind(1, name)
        return try statement.value(Int64.self) ?? 0
    }

    /// A text setting; nil if it is missing.
    package func text(ofSetting name: String) throws(Problem) -> String? {
        try firstValue("SELECT value FROM setting WHERE name = ?", name, as: String.self)
    }

    /// Saves an integer setting.
    package func saveSetting(_ name: String, _ value: Int64, in transaction: borrowing Transaction) throws(SQLiteError) {
        let statement = try statement("INSERT OR REPLACE INTO setting VALUES (?, ?)", in: transaction)
        statement.bind(1, name)
        statement.bind(2, value)
        try statement.run()
    }

    /// Saves a text setting.
    package func saveSetting(_ name: String, text: String, in transaction: borrowing Transaction) throws(SQLiteError) {
        try statement("INSERT OR REPLACE INTO setting VALUES (?, ?)", name, text, in: transaction).run()
    }
}

extension PicketStore {
    /// Prepares for many small transactions of a writer that syncs the write-ahead log itself: commits do not sync, and the log is not
    /// checkpointed automatically. Until the log is checkpointed, the data is safe in the synced log.
    package func configureForService() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try connection.execute("PRAGMA synchronous = NORMAL")
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            // In KiB. With the default of 2 MB, index pages would be read again for nearly every event.
            try connection.execute("PRAGMA cache_size = -32768")
        }
        mostBlockSearches = 100_000
    }

    /// Writes the log into the file, except for pages that a reader of an earlier state needs. This is for the writing connection.
    package func checkpointPassively() throws(Problem) {
        try writingFile { () throws(SQLiteError) in _ = try connection.checkpointPassively() }
    }

    /// Writes the rest of the log into the file, so that the next transaction starts the log again from its beginning. Its file keeps its
    /// size. This is for the writing connection.
    ///
    /// - Parameter patience: Milliseconds to wait for readers that use the log.
    /// - Returns: False if a reader prevents that.
    package func restartLog(patience: Int32) throws(Problem) -> Bool {
        try writingFile { () throws(SQLiteError) in try connection.checkpointAndRestart(patience: patience) }
    }

    /// Writes the rest of the log into the file, and shortens the log's file by as much as takes a few milliseconds. This is for
    /// the writing connection.
    ///
    /// - Parameter patience: Milliseconds to wait for readers that use the log.
    package func truncateLogStep(patience: Int32) throws(Problem) -> LogTruncation {
        try writingFile { () throws(SQLiteError) in try connection.truncateLog(step: Self.truncatedBytes, patience: patience) }
    }

    /// The bytes by which a step shortens the log.
    private static let truncatedBytes = 4 << 20

    /// Whether the file of the store was deleted, moved or replaced.
    package var hasMoved: Bool { connection.hasMoved }

    /// Runs `body`, which writes the log into the file, unless the file has moved. In that case, the log may contain all that is
    /// left of the store.
    ///
    /// - Throws: `Problem.storeReplaced` if the file has moved.
    private func writingFile<Result>(_ body: () throws(SQLiteError) -> Result) throws(Problem) -> Result {
        if hasMoved { throw .storeReplaced(path: path) }
        return try attempt(body)
    }

    /// The number of pages in the log that take little time to write into the file.
    private static let fewPages = 256
    /// The maximum number of times in a row that the log is written into the file, because another connection may add pages as
    /// fast as this writes them.
    private static let mostCheckpoints = 6

    /// Writes the log into the file like `checkpointPassively()`, with a new connection, while another one writes. Must not be called when
    /// the files at the path are no longer those that the other connection has open: the log of one store would be written into another.
    ///
    /// While that takes its time, the other connection adds pages. They are written as well, until only a few are left: the other connection
    /// has to write those itself before the log can start again, and nothing else meanwhile.
    ///
    /// - Returns: Whether the log was written up to the last few pages.
    @discardableResult
    package static func checkpointFile(at path: String) throws(Problem) -> Bool {
        let connection = try open(path, .writeExisting)
        return try Problem.catching(at: path) {
            var known = 0
            for _ in 0..<mostCheckpoints {
                guard let pages = try connection.checkpointPassively() else { return false }
                if pages - known <= fewPages { break }
                known = pages
            }
            return true
        }
    }

    /// The size in bytes of the file after the log is written into it.
    package func contentBytes() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let pages = try connection.value(of: "PRAGMA page_count", as: Int.self) ?? 0
            return pages * (try connection.value(of: "PRAGMA page_size", as: Int.self) ?? 0)
        }
    }

    /// The bytes of the file without free pages.
    package func usedBytes() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let pages = try connection.value(of: "PRAGMA page_count", as: Int.self) ?? 0
            let free = try connection.value(of: "PRAGMA freelist_count", as: Int.self) ?? 0
            return (pages - free) * (try connection.value(of: "PRAGMA page_size", as: Int.self) ?? 0)
        }
    }

    /// Rewrites the file without free pages and without remains of deleted data (`VACUUM`), which temporarily needs as much disk space
    /// again, and truncates the log as `truncateLog(patience:)` does.
    package func rewriteFile(patience: Int32?) throws(Problem) -> Bool {
        try writingFile { () throws(SQLiteError) in try connection.rewriteFile() }
        return try truncateLog(patience: patience)
    }

    /// Checkpoints and truncates the log.
    ///
    /// - Parameter patience: Milliseconds to wait for readers of an earlier state; nil for the busy timeout of the connection.
    /// - Returns: False if a reader of an earlier state keeps the log from being truncated.
    package func truncateLog(patience: Int32?) throws(Problem) -> Bool {
        try writingFile { () throws(SQLiteError) in try connection.checkpointAndTruncate(patience: patience) }
    }

    /// Whether the file may have remains of removed data; see `Connection.mayHaveRemains()`.
    package func mayHaveRemains() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try connection.mayHaveRemains() }
    }

    /// The number of pages written to the log so far.
    package var writtenPages: Int { connection.writtenPages }

    /// Writes the whole log into the file, syncs the file and truncates the log.
    ///
    /// - Returns: False if a reader of an earlier state prevents that.
    package func checkpointAndTruncate() throws(Problem) -> Bool {
        try writingFile { () throws(SQLiteError) in
            try connection.execute("PRAGMA synchronous = FULL")
            let isDone = try connection.checkpointAndTruncate()
            try connection.execute("PRAGMA synchronous = NORMAL")
            return isDone
        }
    }

    /// Limits the size of the file to a number of pages of 4 KiB, as a quota. A smaller number than the current one means the
    /// current size.
    func limitSize(pages: Int) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.uncachedStatement("PRAGMA max_page_count = \(max(1, pages))")
            _ = try statement.hasRow()
        }
    }
}
