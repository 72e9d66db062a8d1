import Model
import SQLite

extension RegionStore {
    /// An event's place in the order of time: by `occurredAt`, then by number.
    package struct EventPlace: Hashable, Sendable {
        package var occurredAt: Instant
        package var sequence: Int64

        package init(occurredAt: Instant, sequence: Int64) {
            self.occurredAt = occurredAt
            self.sequence = sequence
        }
    }

    /// Calls `body` with each event, by `occurredAt` from the newest to the oldest; of events of the same moment, the one with the higher
    /// number first. So an entry that takes an event back comes before that event. `limit` has no effect.
    ///
    /// - Parameter place: Only those before this one; nil for all.
    /// - Complexity: O(n) in the events of the page, by the index on the time; O(n log n) in the events of the device or the geofence
    ///   when the filter names one.
    package func forEachNewestEvent(
        _ filter: EventFilter, before place: EventPlace?, _ body: (Event) throws(Problem) -> Void
    ) throws(Problem) {
        try settleEvents()
        let sql = Self.newest(filter, isAfterPlace: place != nil)
        let row = try attempt { () throws(SQLiteError) in try connection.freshStatement(sql) }
        Self.bind(filter, to: row)
        if let place {
            row.bind(8, place.occurredAt.milliseconds)
            row.bind(9, place.sequence)
        }
        while let next = try next(EventRow.self, of: row) { try body(try event(next)) }
    }

    static func newest(_ filter: EventFilter, isAfterPlace: Bool) -> String {
        let (sequence, time) = EventOrder.byTime.columns(filter)
        var sql = selection(filter, for: .byTime)
        // The first of these is what an index can answer.
        if isAfterPlace { sql += " AND \(time) <= ?8 AND (\(time), \(sequence)) < (?8, ?9)" }
        return sql + " ORDER BY \(time) DESC, \(sequence) DESC" + (filter.pageSize.map { " LIMIT \($0)" } ?? "")
    }
}
