import Model
import SQLite
import Store

extension PicketStore {
    /// The position of an event in the order of time: by `occurredAt`, then by sequence number.
    struct EventPosition: Hashable, Sendable {
        var occurredAt: Instant
        var sequence: Int64
    }

    /// Calls `body` with each event, ordered by `occurredAt` from the newest to the oldest. Events of the same moment are ordered by
    /// sequence number, the highest first, so that a retraction comes before the retracted event. `limit` of the filter is ignored.
    ///
    /// - Parameters:
    ///   - place: Return only events before this position, or after it in the reverse order; nil for all.
    ///   - isOldestFirst: Whether the order is the reverse one.
    /// - Complexity: O(n) in the events of the page, with the index by time; O(n log n) in the events of the device or the geofence if the
    ///   filter names one.
    func forEachNewestEvent(
        _ filter: EventFilter, before place: EventPosition?, isOldestFirst: Bool,
        _ body: (Event) throws(Problem) -> Void
    ) throws(Problem) {
        try indexAllEvents()
        let sql = Self.newestEventsQuery(filter, isAfterPosition: place != nil, isOldestFirst: isOldestFirst)
        let row = try query(sql)
        Self.bind(filter, to: row)
        if let place {
            row.bind(8, place.occurredAt.milliseconds)
            row.bind(9, place.sequence)
        }
        while let next = try next(EventRow.self, of: row) { try body(try event(next)) }
    }

    static func newestEventsQuery(
        _ filter: EventFilter, isAfterPosition isAfterPlace: Bool, isOldestFirst: Bool = false
    ) -> String {
        let (sequence, time) = EventOrder.byTime.columns(filter)
        var sql = selection(filter, for: .byTime)
        // The index serves the first of these two conditions, but not the second one.
        let (sign, direction) = isOldestFirst ? (">", "ASC") : ("<", "DESC")
        if isAfterPlace { sql += " AND \(time) \(sign)= ?8 AND (\(time), \(sequence)) \(sign) (?8, ?9)" }
        return sql + " ORDER BY \(time) \(direction), \(sequence) \(direction)" + (filter.pageSize.map { " LIMIT \($0)" } ?? "")
    }
}
