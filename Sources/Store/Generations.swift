import DatabaseProblems
import Model
import SQLite

extension PicketStore {
    /// The generations of the store; see `StoreGenerations`.
    package func generations() throws(Problem) -> StoreGenerations {
        let all = try attempt { () throws(SQLiteError) in try connection.generations() }
        guard let generations = StoreGenerations(all) else { throw Self.missingParent(path) }
        return generations
    }

    fileprivate static func missingParent(_ path: String) -> Problem {
        .storeCorrupt(path: path, details: "a generation's parent is missing")
    }

    /// The event numbering of a store, for a store that replaces it.
    package struct EventNumbering: Sendable {
        /// The generations, oldest first.
        var generations: [StoreGeneration]
        /// The newest sequence number of an event.
        var newest: Int64
    }

    /// The event numbering of this store.
    package func eventNumbering() throws(Problem) -> EventNumbering {
        try attempt { () throws(SQLiteError) in
            EventNumbering(generations: try connection.generations(), newest: try connection.newestSequence())
        }
    }

    /// Begins a new generation. The sequence number of the next event is greater than any that an earlier generation may have used.
    ///
    /// - Parameters:
    ///   - path: A store with the newest schema that no other process uses yet.
    ///   - other: The numbering of the store that is replaced; nil if there is none or it is unknown.
    package static func beginGeneration(of path: String, inPlaceOf other: EventNumbering?, at now: Instant) throws(Problem) {
        do {
            let connection = try Connection(path: path, access: .exclusive)
            try connection.transaction(failure: { $0 as any Error }) {
                try connection.beginGeneration(inPlaceOf: other, at: now)
                // A service that used the store elsewhere may have left this setting.
                try connection.execute("DELETE FROM setting WHERE name = '\(Self.unsyncedSetting)'")
            }
        } catch {
            throw Problem(error, at: path)
        }
    }
}

extension StoreGeneration: Row {
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

    fileprivate func generations() throws(SQLiteError) -> [StoreGeneration] {
        try statement("SELECT \(StoreGeneration.columns) FROM generation ORDER BY number").all()
    }

    /// Begins a new generation. This must be called in a transaction.
    func beginGeneration(inPlaceOf other: PicketStore.EventNumbering?, at now: Instant) throws {
        let own = try generations()
        guard let generations = StoreGenerations(own) else { throw PicketStore.missingParent(path) }
        let next = generations.next(
            try newGenerationID(), newest: try newestSequence(), inPlaceOf: other.map { ($0.generations, $0.newest) }, at: now)
        for generation in next.dropFirst(own.count) {
            try insert(generation, beganAt: generation.id == next.last?.id ? now : nil)
        }
    }

    private func newGenerationID() throws(SQLiteError) -> String {
        try value(of: "SELECT lower(hex(randomblob(8)))") ?? ""
    }

    private func insert(_ generation: StoreGeneration, beganAt: Instant?) throws(SQLiteError) {
        let row = try statement("INSERT INTO generation (id, parent, branch, start, began_at) VALUES (?,?,?,?,?)")
        row.bind(1, generation.id)
        row.bind(2, generation.parent)
        row.bind(3, generation.branch)
        row.bind(4, generation.start)
        row.bind(5, beganAt?.milliseconds)
        try row.run()
    }
}
