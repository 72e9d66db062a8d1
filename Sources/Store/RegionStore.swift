import DatabaseProblems
import Model
import SQLite

/// What the app saved: geofences, devices, fixes, states and events, in one SQLite file.
///
/// A store belongs to one thread at a time. What it throws is always a `Problem`.
package final class RegionStore {
    /// The newest schema version that this code knows.
    package static var newestVersion: Int { Schema.migrations.newest }

    let connection: Connection
    let path: String
    /// Where the store is kept as it was before it was brought up to date; nil when it was not.
    package let copyBeforeUpdate: String?
    /// Whether the fixes that `fix_order` does not have yet are in order aside; see `withOrder(of:_:)`.
    var isOrderedAside = false

    /// How often this store has removed fixes.
    package internal(set) var fixRemovals = 0
    /// The number of the newest entry of the input log, as the transaction that is open knows it.
    var knownNewestInput: Int64?
    /// The events that are in no index yet.
    var indexing = EventIndexing()
    /// `device.ids_after` of the devices that had events, as far as it was asked for.
    var idsAfter: [DeviceKey: Int64] = [:]
    /// Writes the state of a device, or of all, where they are written behind the fixes; nil where nobody does that.
    package var settleStates: ((DeviceKey?) throws(Problem) -> Void)?

    /// Opens a store to write, makes it when it is not there, and brings it up to date.
    package init(writing path: String) throws(Problem) {
        self.path = path
        connection = try RegionStore.open(path, .write)
        do {
            copyBeforeUpdate = try Schema.migrations.run(on: connection, keepingCopy: true)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Opens a store to read, beside whoever writes.
    package init(reading path: String) throws(Problem) {
        self.path = path
        connection = try RegionStore.open(path, .read)
        copyBeforeUpdate = nil
        do {
            try Schema.migrations.check(connection)
        } catch {
            throw Problem(error, at: path)
        }
    }

    private static func open(_ path: String, _ access: Connection.Access) throws(Problem) -> Connection {
        do {
            return try Connection(path: path, access: access)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// The version of its schema; 0 when it has none yet.
    package func version() throws(Problem) -> Int { try attempt { () throws(SQLiteError) in try connection.version() } }

    // MARK: - Transactions

    /// Runs `body` in one transaction: all of it is on disk when this returns, or none of it when this throws.
    package func transaction<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        let waiting = indexing.waiting.count
        indexing.hasWritten = false
        knownNewestInput = nil
        defer { knownNewestInput = nil }
        do {
            return try connection.transaction(failure: { Problem($0, at: path) }, body)
        } catch {
            idsAfter.removeAll()
            indexing.undo(waiting: waiting)
            throw error
        }
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { connection.isInTransaction }

    /// Runs `body` on one state of the store, whatever others write meanwhile. States that wait are written before, in a transaction of
    /// their own.
    package func snapshot<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        if !isInTransaction { try settle() }
        defer { knownNewestInput = nil }
        return try connection.snapshot(failure: { Problem($0, at: path) }, body)
    }

    /// A number that grows with each row that this store has changed itself.
    package var changeCount: Int64 { connection.allChangedRows }

    /// A number that changes when another process has written something.
    package func changeCounter() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in try connection.dataVersion() }
    }

    /// The same for a body that may throw problems of its own.
    func attemptAny<Result>(_ body: () throws -> Result) throws(Problem) -> Result {
        do {
            return try body()
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Runs `body` and gives SQLite's failures the words of a problem.
    func attempt<Result>(_ body: () throws(SQLiteError) -> Result) throws(Problem) -> Result {
        do {
            return try body()
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Goes to the next row of a statement and reads it; nil when there is none.
    func next<Whole: Row>(_ type: Whole.Type, of statement: Statement) throws(Problem) -> Whole? {
        try attempt { () throws(SQLiteError) in try statement.next(Whole.self) }
    }

    /// Goes to the next row of a statement and reads its columns; nil when there is none.
    func next<each Value: ColumnValue>(
        _ types: repeat (each Value).Type, of statement: Statement
    ) throws(Problem) -> (repeat each Value)? {
        do {
            return try statement.next(repeat (each Value).self)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Brings the tables of states up to date. To be called before anything is read from them.
    ///
    /// - Parameter device: The only device that is read; nil for any.
    func settle(_ device: DeviceKey? = nil) throws(Problem) { try settleStates?(device) }

    // MARK: - Problems

    /// The store holds something that it cannot have written itself.
    package func damaged(_ details: String) -> Problem { .storeCorrupt(path: path, details: details) }

    // MARK: - Settings

    func setting(_ name: String) throws(SQLiteError) -> Int64 {
        let statement = try connection.statement("SELECT value FROM setting WHERE name = ?")
        statement.bind(1, name)
        return try statement.value(Int64.self) ?? 0
    }

    /// A setting that is text; nil when there is none.
    func text(ofSetting name: String) throws(Problem) -> String? {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement("SELECT value FROM setting WHERE name = ?")
            statement.bind(1, name)
            return try statement.value(String.self)
        }
    }

    /// Writes when it was tried whether the store can be written.
    package func noteWriting(at now: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in try set("writing_tried_at", now.milliseconds) }
    }

    func set(_ name: String, _ value: Int64) throws(SQLiteError) {
        let statement = try connection.statement("INSERT OR REPLACE INTO setting VALUES (?, ?)")
        statement.bind(1, name)
        statement.bind(2, value)
        try statement.run()
    }
}

extension RegionStore {
    /// Prepares for many small transactions by one writer that syncs the write-ahead log itself: a commit leaves that to it, and
    /// somebody else brings the log into the file. (Until then it is as safe in the log.)
    package func prepareToServe() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try connection.execute("PRAGMA synchronous = NORMAL")
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            // KiB. With the usual 2 MB, pages of indexes are read again for nearly each event.
            try connection.execute("PRAGMA cache_size = -32768")
        }
    }

    /// Brings what is in the write-ahead log into the file, as far as nobody reads an earlier state. For the one who writes.
    package func takeUpLogBeside() throws(Problem) { try attempt { () throws(SQLiteError) in try connection.takeUpLogBeside() } }

    /// The same by a connection of its own, while another one writes.
    package static func takeUpLog(of path: String) throws(Problem) {
        let connection = try open(path, .write)
        do {
            try connection.takeUpLogBeside()
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// How many pages were written to the log so far.
    package var writtenPages: Int { connection.writtenPages }

    /// Brings all that is in the write-ahead log into the file, synced, so that nothing depends on the log any more.
    ///
    /// - Returns: False when somebody who reads keeps a part of it.
    package func emptyLog() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in
            try connection.execute("PRAGMA synchronous = FULL")
            let isDone = try connection.takeUpLog()
            try connection.execute("PRAGMA synchronous = NORMAL")
            return isDone
        }
    }

    /// Lets the file grow to so many pages of 4 KiB and no further, as a quota. SQLite takes the present size for anything less.
    package func limitSize(pages: Int) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.freshStatement("PRAGMA max_page_count = \(max(1, pages))")
            _ = try statement.hasRow()
        }
    }
}
