import Model
import SQLite

/// An index of events: a table that is written after the events, in batches that are sorted by the table's key.
package enum EventIndex: String, CaseIterable {
    case byDevice = "event_by_device"
    case byGeofence = "event_by_geofence"
    case byTime = "event_by_time"
    /// Exit events by the time of the visit's enter.
    case exitByEnter = "exit_by_enter"
    /// Exit events by device and time.
    case exitByDevice = "exit_by_device"

    /// The columns of the table, which are its primary key. The last one is the event's sequence number.
    var columns: [String] {
        switch self {
        case .byDevice: ["device", "sequence"]
        case .byGeofence: ["geofence", "sequence"]
        case .byTime: ["occurred_at", "sequence"]
        case .exitByEnter: ["entered_at", "sequence"]
        case .exitByDevice: ["device", "occurred_at", "sequence"]
        }
    }

    /// The SQL condition for the events in this index.
    var condition: String {
        switch self {
        case .byDevice, .byTime: "true"
        case .byGeofence: "geofence IS NOT NULL"
        case .exitByEnter: "type = 'exit' AND entered_at IS NOT NULL"
        case .exitByDevice: "type = 'exit'"
        }
    }

    /// The row of an event in this index; nil if the index does not contain the event.
    func row(of event: IndexedEvent) -> Row? {
        switch self {
        case .byDevice: Row(first: event.device, second: 0, sequence: event.sequence)
        case .byGeofence: event.geofence.map { Row(first: Int64($0), second: 0, sequence: event.sequence) }
        case .byTime: Row(first: event.occurredAt, second: 0, sequence: event.sequence)
        case .exitByEnter: event.isExit ? event.enteredAt.map { Row(first: $0, second: 0, sequence: event.sequence) } : nil
        case .exitByDevice: event.isExit ? Row(first: event.device, second: event.occurredAt, sequence: event.sequence) : nil
        }
    }

    /// A row: its first column, its second column if there are three, and the event's sequence number.
    struct Row: Comparable {
        var first: Int64
        var second: Int64
        var sequence: Int64

        static func < (a: Row, b: Row) -> Bool { (a.first, a.second, a.sequence) < (b.first, b.second, b.sequence) }
    }
}

/// The columns of an event that the indexes contain.
package struct IndexedEvent {
    var sequence: Int64
    var device: Int64
    var geofence: Int32?
    var occurredAt: Int64
    var enteredAt: Int64?
    var isExit: Bool
    /// The position of the device's previous event, as counted by `EventIndexing`; nil for the first.
    var previous: Int?
}

extension IndexedEvent: SQLite.Row {
    package static let columns = "sequence, device, geofence, occurred_at, entered_at, type = 'exit'"

    package init(_ row: inout ColumnReader) {
        self.init(
            sequence: row.next(), device: row.next(), geofence: row.next(FenceKey?.self)?.value, occurredAt: row.next(),
            enteredAt: row.next(), isExit: row.next())
    }
}

/// The events that are not in the indexes yet, in the order of their sequence numbers.
struct EventIndexing {
    private(set) var behind = WriteBehind<IndexedEvent>(patience: .seconds(30), mostInBatch: 50_000)
    /// The indexes to which the batch is not written yet, from the back; the sorted rows for the last one; and how many are written.
    private var indexes: [EventIndex] = []
    private var rows: [EventIndex.Row] = []
    private var position = 0
    /// The position of each device's last event, by device key. Positions count on over all batches.
    private var lastPositions: [Int64: Int] = [:]
    /// The position of the first event of the batch.
    private var firstPosition = 0
    /// The number of events in no index, and the position of the first of them, when the open transaction began.
    private var before = (count: 0, firstPosition: 0)
    /// Whether the open transaction has written rows of an index.
    private var hasWritten = false

    mutating func add(_ event: IndexedEvent) {
        var event = event
        let position = firstPosition + behind.batch.count + behind.waiting.count
        event.previous = lastPositions.updateValue(position, forKey: event.device)
        behind.add(event)
    }

    mutating func beginBatch() {
        guard behind.batch.isEmpty, let last = behind.nextBatch.last else { return }
        behind.fillBatch(upTo: last.sequence)
        indexes = EventIndex.allCases.reversed()
        rows = []
        position = 0
    }

    /// The next rows to write, in the order of their index; nil if the batch is written.
    mutating func nextRows(atMost limit: Int) -> (index: EventIndex, rows: ArraySlice<EventIndex.Row>)? {
        hasWritten = true
        while position == rows.count {
            guard let index = indexes.last else { return nil }
            if position > 0 || !rows.isEmpty {
                indexes.removeLast()
                rows = []
                position = 0
                continue
            }
            rows = behind.batch.compactMap(index.row(of:)).sorted()
            if rows.isEmpty { indexes.removeLast() }
        }
        guard let index = indexes.last else { return nil }
        let end = min(rows.count, position + limit)
        defer { position = end }
        return (index, rows[position..<end])
    }

    /// The sequence numbers of the device's events at a moment, among the events that may not be in the indexes yet.
    func sequences(of device: Int64, at moment: Int64) -> [Int64] {
        var found: [Int64] = []
        var next = lastPositions[device]
        while let place = next, place >= firstPosition {
            let index = place - firstPosition
            let event = index < behind.batch.count ? behind.batch[index] : behind.waiting[index - behind.batch.count]
            if event.occurredAt == moment { found.append(event.sequence) }
            next = event.previous
        }
        return found
    }

    mutating func endBatch() {
        firstPosition += behind.batch.count
        behind.endBatch()
    }

    mutating func transactionBegins() {
        before = (behind.count, firstPosition)
        hasWritten = false
    }

    mutating func transactionCommitted() {
        behind.transactionCommitted()
        if behind.isEmpty { lastPositions.removeAll(keepingCapacity: true) }
    }

    /// Removes the events of the failed transaction.
    mutating func transactionFailed() {
        if hasWritten { behind.transactionFailed() }
        firstPosition = before.firstPosition
        while behind.count > before.count, let event = behind.removeLast() { lastPositions[event.device] = event.previous }
    }
}

extension PicketStore {
    /// The events that are not in the indexes yet.
    package var eventsBehind: WriteBehind<IndexedEvent> { indexing.behind }

    /// The number of rows written at once, which takes a few milliseconds.
    package static let indexRowsAtOnce = 4000

    /// Writes waiting events to the indexes.
    ///
    /// - Parameter limit: The maximum number of rows to write; the rest is left for the next call.
    package func indexEvents(atMost limit: Int = .max, in transaction: borrowing Transaction) throws(Problem) {
        var left = limit
        while left > 0, !indexing.behind.isEmpty {
            indexing.beginBatch()
            while left > 0, let (index, rows) = indexing.nextRows(atMost: min(left, Self.indexRowsAtOnce)) {
                try attempt { () throws(SQLiteError) in try insert(rows, of: index, into: index.rawValue, in: transaction) }
                left -= rows.count
            }
            guard left > 0 else { return }
            try setComplete(.eventIndexes, upTo: indexing.behind.batchEnd, in: transaction)
            indexing.endBatch()
        }
    }

    /// Inserts rows of an index into a table with its columns. Existing rows are skipped.
    private func insert(
        _ rows: some Sequence<EventIndex.Row>, of index: EventIndex, into table: String, in transaction: borrowing Transaction
    ) throws(SQLiteError) {
        let columns = index.columns
        let places = columns.map { _ in "?" }.joined(separator: ",")
        let statement = try statement("INSERT OR IGNORE INTO \(table) VALUES (\(places))", in: transaction)
        for row in rows {
            statement.bind(1, row.first)
            if columns.count == 3 { statement.bind(2, row.second) }
            statement.bind(Int32(columns.count), row.sequence)
            try statement.run()
        }
    }

    /// Writes all waiting events to the indexes. This must be called before an index is read.
    package func indexAllEvents() throws(Problem) {
        guard !indexing.behind.isEmpty else { return }
        // A query in the open transaction has to see what this connection will write.
        if isInTransaction { return try indexEvents(in: Transaction()) }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in try indexEvents(in: transaction) }
    }

    /// Reads the events that an earlier writer has not written to the indexes.
    package func readUnindexedEvents() throws(Problem) {
        let events = try unindexedEvents()
        for event in events { indexing.add(event) }
    }

    private func unindexedEvents() throws(Problem) -> [IndexedEvent] {
        try attempt { () throws(SQLiteError) in
            let row = try uncachedStatement(
                "SELECT \(IndexedEvent.columns) FROM event WHERE sequence > ? ORDER BY sequence")
            row.bind(1, try setting(.eventIndexes))
            return try row.all()
        }
    }

    /// Makes the rows that a writer has not written to the indexes yet visible to this connection, as of now. It creates temporary views,
    /// which SQLite finds before the tables of the same names.
    ///
    /// - Complexity: O(events that are in no index).
    package func createUnindexedEventViews() throws(Problem) {
        let events = try unindexedEvents()
        if events.isEmpty { return try dropUnindexedEventViews() }
        try attempt { () throws(SQLiteError) in
            for index in EventIndex.allCases {
                let (name, columns) = (index.rawValue, index.columns.joined(separator: ", "))
                // Only with the types of the main table does SQLite read both tables in order, without a copy of all rows.
                let typed = index.columns.map { "\($0) INTEGER NOT NULL" }.joined(separator: ", ")
                try connection.execute(
                    """
                    DROP VIEW IF EXISTS temp.\(name);
                    DROP TABLE IF EXISTS temp.new_\(name);
                    CREATE TEMP TABLE new_\(name) (\(typed), PRIMARY KEY (\(columns))) WITHOUT ROWID;
                    CREATE TEMP VIEW \(name) AS
                    SELECT \(columns) FROM main.\(name) WHERE sequence < \(events[0].sequence)
                    UNION ALL SELECT \(columns) FROM temp.new_\(name);
                    """)
                // Temporary tables are not part of the store, so no transaction is open.
                try insert(events.compactMap(index.row(of:)), of: index, into: "temp.new_\(name)", in: Transaction())
            }
        }
    }

    /// Removes the views that `createUnindexedEventViews` has created.
    package func dropUnindexedEventViews() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            for index in EventIndex.allCases { try connection.execute("DROP VIEW IF EXISTS temp.\(index.rawValue)") }
        }
    }

    /// Checks that each index contains every event that it should contain, and no other.
    func findIndexFlaws(_ flaws: inout StoreFlaws) throws(Problem) {
        try indexAllEvents()
        for index in EventIndex.allCases {
            let columns = index.columns.joined(separator: ", ")
            let name = index.rawValue
            let rows = "SELECT \(columns) FROM event WHERE \(index.condition)"
            let missing = try count("SELECT count(*) FROM (\(rows) EXCEPT SELECT \(columns) FROM \(name))")
            if missing > 0 { flaws.add(.order, "\(missing.counted("event is", "events are")) missing from \(name)") }
            let stray = try count("SELECT count(*) FROM (SELECT \(columns) FROM \(name) EXCEPT \(rows))")
            if stray > 0 { flaws.add(.order, "\(stray.counted("entry", "entries")) of \(name) without such an event") }
        }
    }
}
