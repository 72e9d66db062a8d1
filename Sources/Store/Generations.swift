import DatabaseProblems
import Model
import SQLite

extension RegionStore {
    /// The generations of the store; see `StoreGenerations`.
    public func generations() throws(Problem) -> StoreGenerations {
        let all = try attempt { () throws(SQLiteError) in try connection.generations() }
        guard let generations = StoreGenerations(all) else { throw Self.noTree(path) }
        return generations
    }

    fileprivate static func noTree(_ path: String) -> Problem {
        .storeCorrupt(path: path, details: "a generation's parent is missing")
    }

    /// What a store is known to have numbered, for one that takes its place.
    public struct Lineage: Sendable {
        /// The oldest first. Empty for a store of a version that knows none.
        var generations: [StoreGeneration]
        /// The newest number that was given.
        var newest: Int64
    }

    /// What this store has numbered. It may be of an earlier version.
    public func lineage() throws(Problem) -> Lineage {
        try attempt { () throws(SQLiteError) in
            try connection.hasTables(["generation"])
                ? Lineage(generations: connection.generations(), newest: connection.newestSequence())
                : Lineage(
                    generations: [], newest: connection.hasTables(["event"]) ? connection.newestEvent() : 0)
        }
    }

    /// Begins a new generation: the next event's number is beyond everything that an earlier one may have given.
    ///
    /// - Parameters:
    ///   - path: A store that nobody knows of yet, up to date.
    ///   - other: What the store has numbered whose place it takes; nil when there is none or nobody knows.
    public static func beginGeneration(of path: String, inPlaceOf other: Lineage?, at now: Instant) throws(Problem) {
        do {
            let connection = try Connection(path: path, access: .alone)
            try connection.transaction(failure: { $0 as any Error }) {
                try connection.beginGeneration(inPlaceOf: other, at: now)
                // A note of a service that worked on it elsewhere.
                try connection.execute("DELETE FROM setting WHERE name = '\(Self.unsynced)'")
            }
        } catch {
            throw Problem(error, at: path)
        }
    }
}

extension Connection {
    /// The number of the newest event; 0 when there is none.
    func newestEvent() throws(SQLiteError) -> Int64 { try number("SELECT ifnull(max(sequence), 0) FROM event") }

    /// The newest number that was given or passed over.
    func newestSequence() throws(SQLiteError) -> Int64 {
        try number("SELECT max((SELECT ifnull(max(sequence), 0) FROM event), (SELECT ifnull(max(start), 0) FROM generation))")
    }

    private func number(_ sql: String) throws(SQLiteError) -> Int64 {
        let row = try statement(sql)
        defer { row.reset() }
        return try row.step() ? row.int64(0) : 0
    }

    fileprivate func generations() throws(SQLiteError) -> [StoreGeneration] {
        let row = try statement("SELECT id, parent, branch, start FROM generation ORDER BY number")
        defer { row.reset() }
        var found: [StoreGeneration] = []
        while try row.step() {
            found.append(
                StoreGeneration(id: row.text(0), parent: row.optionalText(1), branch: row.int64(2), start: row.int64(3)))
        }
        return found
    }

    /// Begins a new generation. To be called in a transaction.
    func beginGeneration(inPlaceOf other: RegionStore.Lineage?, at now: Instant) throws {
        let own = try generations()
        guard let generations = StoreGenerations(own) else { throw RegionStore.noTree(path) }
        let next = generations.next(
            try newGenerationID(), newest: try newestSequence(), inPlaceOf: other.map { ($0.generations, $0.newest) }, at: now)
        for generation in next.dropFirst(own.count) {
            try insert(generation, beganAt: generation.id == next.last?.id ? now : nil)
        }
    }

    private func newGenerationID() throws(SQLiteError) -> String {
        let row = try statement("SELECT lower(hex(randomblob(8)))")
        defer { row.reset() }
        return try row.step() ? row.text(0) : ""
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
