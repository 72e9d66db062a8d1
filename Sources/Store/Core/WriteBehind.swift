import Model
import SQLite

/// A table that is derived from another one, and written later than it. The raw value names the setting with the number up to which the
/// table has everything.
package enum DerivedTable: String, CaseIterable {
    /// The states of devices, up to a number of the input log.
    case states = "states_saved"
    /// The indexes of events (`EventIndex`), up to a number of an event.
    case eventIndexes = "events_indexed"
    /// The order of fixes by device and time (`FixOrderPass`), up to a number of the input log.
    case fixOrder = "fixes_ordered"

    /// The table that is written after this one.
    package var next: DerivedTable {
        switch self {
        case .states: .eventIndexes
        case .eventIndexes: .fixOrder
        case .fixOrder: .states
        }
    }
}

/// The rows that a derived table lacks, from the oldest to the newest, and the batch of them that is being written.
///
/// Writing each row together with what it is derived from would change a page of the file for nearly each row. A batch changes a page
/// once. Rows that a crash loses are read or computed again.
package struct WriteBehind<Row> {
    /// The minimum time for which rows wait.
    private let patience: Duration
    /// The maximum number of rows in a batch. Writing is due when this number waits.
    private let mostInBatch: Int
    /// The rows of no batch.
    private(set) var waiting: [Row] = []
    /// The rows of the batch that is being written.
    package private(set) var batch: [Row] = []
    /// When the batch is written, the table has everything up to this number.
    package private(set) var batchEnd: Int64 = 0
    /// The number of rows of the batch that `nextRow` has returned.
    private var taken = 0
    /// The rows of the batches that the open transaction has written.
    private var uncommitted: [Row] = []
    /// The number of rows of all batches that were written.
    private var writtenCount = 0
    /// When the first of the waiting rows was added.
    private(set) var since: ContinuousClock.Instant?

    package init(patience: Duration, mostInBatch: Int = .max) {
        self.patience = patience
        self.mostInBatch = mostInBatch
    }

    package var isEmpty: Bool { waiting.isEmpty && batch.isEmpty }

    /// The number of rows that no committed batch contains.
    var count: Int { uncommitted.count + batch.count + waiting.count }

    /// Whether rows should be written now.
    package var isDue: Bool {
        !batch.isEmpty || waiting.count >= mostInBatch || since.map { ContinuousClock.now - $0 >= patience } ?? false
    }

    /// A value for `hasReached(_:)`, which then returns whether all rows that wait now are written.
    package var goal: Int { writtenCount + count }

    package func hasReached(_ goal: Int) -> Bool { count == 0 || writtenCount >= goal }

    package mutating func add(_ row: Row) {
        waiting.append(row)
        if since == nil { since = .now }
    }

    /// The waiting rows that `fillBatch` adds to the batch.
    var nextBatch: ArraySlice<Row> { waiting.prefix(mostInBatch) }

    /// Adds waiting rows to the batch.
    ///
    /// - Parameter number: When the batch is written, the table has everything up to this number.
    package mutating func fillBatch(upTo number: Int64) {
        batchEnd = number
        let count = nextBatch.count
        if batch.isEmpty, count == waiting.count {
            swap(&batch, &waiting)
        } else {
            batch += waiting.prefix(count)
            waiting.removeFirst(count)
        }
        if waiting.isEmpty { since = nil }
    }

    /// Whether `nextRow` has returned all rows of the batch.
    package var isBatchTaken: Bool { taken == batch.count }

    /// The next row of the batch; nil after the last one.
    package mutating func nextRow() -> Row? {
        guard !isBatchTaken else { return nil }
        defer { taken += 1 }
        return batch[taken]
    }

    /// Ends the batch, which the open transaction has written.
    package mutating func endBatch() {
        uncommitted += batch
        batch.removeAll(keepingCapacity: true)
        taken = 0
    }

    package mutating func transactionCommitted() {
        if uncommitted.isEmpty { return }
        writtenCount += uncommitted.count
        uncommitted.removeAll()
    }

    /// Lets the rows wait again that the failed transaction has written or was to write.
    package mutating func transactionFailed() {
        waiting = uncommitted + batch + waiting
        uncommitted.removeAll()
        batch.removeAll()
        taken = 0
        if !waiting.isEmpty, since == nil { since = .now }
    }

    /// Removes the newest of the waiting rows.
    mutating func removeLast() -> Row? {
        defer { if waiting.isEmpty { since = nil } }
        return waiting.popLast()
    }

    package mutating func removeAll(where isGone: (Row) -> Bool) {
        waiting.removeAll(where: isGone)
        batch.removeAll(where: isGone)
        // Otherwise writing would stay due although nothing waits.
        if waiting.isEmpty { since = nil }
    }
}

extension PicketStore {
    /// The number up to which a derived table has everything.
    package func completeUpTo(_ table: DerivedTable) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in try setting(table) }
    }

    func setting(_ table: DerivedTable) throws(SQLiteError) -> Int64 { try setting(table.rawValue) }

    /// Records that a derived table has everything up to a number.
    package func setComplete(
        _ table: DerivedTable, upTo number: Int64, in transaction: borrowing Transaction
    ) throws(Problem) {
        try attempt { () throws(SQLiteError) in try saveSetting(table.rawValue, number, in: transaction) }
    }
}
