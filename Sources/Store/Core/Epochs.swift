import DatabaseProblems
import Model
import SQLite

extension PicketStore {
    /// The epochs of the store; see `StoreEpochs`.
    package func epochs() throws(Problem) -> StoreEpochs {
        let all = try attempt { () throws(SQLiteError) in try connection.epochs() }
        guard let epochs = StoreEpochs(all) else { throw Self.missingParent(path) }
        return epochs
    }

    fileprivate static func missingParent(_ path: String) -> Problem {
        .storeCorrupt(path: path, details: "an epoch's parent is missing")
    }

    /// The event numbering of a store, for a store that replaces it.
    package struct EventNumbering: Sendable {
        /// The epochs, oldest first.
        var epochs: [StoreEpoch]
        /// The newest sequence number of an event.
        var newest: Int64
    }

    /// The event numbering of this store.
    package func eventNumbering() throws(Problem) -> EventNumbering {
        try attempt { () throws(SQLiteError) in
            EventNumbering(epochs: try connection.epochs(), newest: try connection.newestSequence())
        }
    }

    /// Begins a new epoch. The sequence number of the next event is greater than any that an earlier epoch may have used.
    ///
    /// - Parameters:
    ///   - path: A store with the newest schema that no other process uses yet.
    ///   - other: The numbering of the store that is replaced; nil if there is none or it is unknown.
    package static func beginEpoch(of path: String, inPlaceOf other: EventNumbering?, at now: Instant) throws(Problem) {
        try Problem.catching(at: path) {
            let connection = try Connection(path: path, access: .exclusive)
            try connection.transaction(failure: { $0 as any Error }) {
                try connection.beginEpoch(inPlaceOf: other, at: now)
                // A service that used the store elsewhere may have left this setting.
                try connection.execute("DELETE FROM setting WHERE name = '\(Self.unsyncedSetting)'")
            }
        }
    }
}

extension StoreEpoch: Row {
    package static let columns = "id, parent, branch, start"

    package init(_ row: inout ColumnReader) {
        self.init(
            id: row.next(), parent: row.next(), branch: row.next(), start: row.next())
    }
}

extension Connection {
    /// The newest sequence number that was used or skipped.
    func newestSequence() throws(SQLiteError) -> Int64 {
        try value(
            of: "SELECT max((SELECT ifnull(max(sequence), 0) FROM event), (SELECT ifnull(max(start), 0) FROM generation))") ?? 0
    }

    fileprivate func epochs() throws(SQLiteError) -> [StoreEpoch] {
        try statement("SELECT \(StoreEpoch.columns) FROM generation ORDER BY number").all()
    }

    /// Begins a new epoch. This must be called in a transaction.
    func beginEpoch(inPlaceOf other: PicketStore.EventNumbering?, at now: Instant) throws {
        let own = try epochs()
        guard let epochs = StoreEpochs(own) else { throw PicketStore.missingParent(path) }
        let next = epochs.next(
            try newEpochID(), newest: try newestSequence(), inPlaceOf: other.map { ($0.epochs, $0.newest) }, at: now)
        for epoch in next.dropFirst(own.count) {
            try insert(epoch, beganAt: epoch.id == next.last?.id ? now : nil)
        }
    }

    private func newEpochID() throws(SQLiteError) -> String {
        try value(of: "SELECT lower(hex(randomblob(8)))") ?? ""
    }

    private func insert(_ epoch: StoreEpoch, beganAt: Instant?) throws(SQLiteError) {
        try statement(
            "INSERT INTO generation (id, parent, branch, start, began_at) VALUES (?,?,?,?,?)", epoch.id, epoch.parent,
            epoch.branch,
            epoch.start, beganAt?.milliseconds
        ).run()
    }
}
