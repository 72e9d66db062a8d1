import Delivery
import Model
import SQLite
import Store

extension PicketStore {
    /// A stored sink with its delivery progress.
    package struct StoredSink: Sendable {
        package var sink: Sink
        /// When the sink was paused; nil if it is not paused.
        package var pausedAt: Instant?
        /// The problem that paused the sink; nil if a person paused it.
        var pausedBy: Problem?
        /// The number up to which everything is delivered or skipped: of events, or of fixes for a sink of positions. For a sink of
        /// reports, the first day after the period of the newest report that is delivered or skipped (`OutboxReport.number`).
        var cursor: Int64
        /// The event number up to which all alarms are delivered or skipped.
        var alarmCursor: Int64
        package var delivered: Int
        package var deliveredAt: Instant?
        /// The filters for events, in the order of the event numbers from which they apply.
        var filters: [FilterPeriod] = []
        /// The number of events that the sink refused permanently.
        package var rejected = 0

        init(_ sink: Sink, cursor: Int64, alarmCursor: Int64) {
            self.sink = sink
            self.cursor = cursor
            self.alarmCursor = alarmCursor
            delivered = 0
        }
    }

    /// The filter for events from a number on.
    struct FilterPeriod: Sendable {
        var from: Int64
        /// Nil if no events are sent.
        var filter: SinkFilter?
        /// The name of the time zone for the time windows of the filter.
        var timeZone: String
        /// See `Sink.maxAge`.
        var maxAge: Double

        init(from: Int64, filter: SinkFilter?, timeZone: String, maxAge: Double = .infinity) {
            self.from = from
            self.filter = filter
            self.timeZone = timeZone
            self.maxAge = maxAge
        }
    }

    /// An event that a sink refused permanently.
    struct RejectedEvent: Sendable {
        var sequence: Int64
        var rejectedAt: Instant
        var problem: Problem
        /// Whether the event will be sent again.
        var isResent: Bool

        init(sequence: Int64, rejectedAt: Instant, problem: Problem, isResent: Bool = false) {
            self.sequence = sequence
            self.rejectedAt = rejectedAt
            self.problem = problem
            self.isResent = isResent
        }
    }

    // MARK: - Sinks

    /// All sinks, ordered by id.
    func sinks() throws(Problem) -> [StoredSink] { try sinks(id: nil) }

    /// The sink with an id; nil if there is none.
    func sink(id: String) throws(Problem) -> StoredSink? { try sinks(id: id).first }

    private func sinks(id: String?) throws(Problem) -> [StoredSink] {
        try rows(
            "SELECT \(SinkRow.columns) FROM sink s WHERE ?1 IS NULL OR s.id = ?1 ORDER BY id", id, as: SinkRow.self
        ).map { row throws(Problem) in
            var stored = StoredSink(
                try Sink(json: json(row.config).withAvailableLanguage, id: row.id), cursor: row.cursor,
                alarmCursor: row.alarmCursor)
            stored.pausedAt = row.pausedAt
            stored.pausedBy = try row.pausedBy.map(problem)
            stored.delivered = row.delivered
            stored.deliveredAt = row.deliveredAt
            stored.rejected = row.rejected
            stored.filters = try filters(ofSink: row.id)
            return stored
        }
    }

    private struct SinkRow: Row {
        static let columns = """
            id, config, paused_at, paused_by, cursor, alarm_cursor, delivered, delivered_at,
            (SELECT count(*) FROM sink_parked p WHERE p.sink = s.id)
            """

        var id: String
        /// A JSON object.
        var config: String
        var pausedAt: Instant?
        /// The problem as JSON.
        var pausedBy: String?
        var cursor: Int64
        var alarmCursor: Int64
        var delivered: Int
        var deliveredAt: Instant?
        var rejected: Int

        init(_ row: inout ColumnReader) {
            id = row.next()
            config = row.next()
            pausedAt = row.next()
            pausedBy = row.next()
            cursor = row.next()
            alarmCursor = row.next()
            delivered = row.next()
            deliveredAt = row.next()
            rejected = row.next()
        }
    }

    private func filters(ofSink id: String) throws(Problem) -> [FilterPeriod] {
        try rows(
            "SELECT from_sequence, filter FROM sink_filter WHERE sink = ? ORDER BY from_sequence", id,
            as: Int64.self, String?.self
        ).map { from, text throws(Problem) in
            var period = FilterPeriod(from: from, filter: nil, timeZone: "UTC")
            if let text {
                let json = try json(text)
                period.filter = try SinkFilter(json: json["filter"] ?? .object([]))
                period.timeZone = json["timeZone"]?.string ?? "UTC"
                period.maxAge = json["maxAge"]?.double ?? .infinity
            }
            return period
        }
    }

    /// Adds a sink, or updates the configuration and the pause of the sink with this id. The delivery progress of an existing sink stays.
    func save(_ stored: StoredSink, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            """
            INSERT INTO sink (id, config, paused_at, paused_by, cursor, alarm_cursor) VALUES (?,?,?,?,?,?)
            ON CONFLICT (id) DO UPDATE SET config = excluded.config, paused_at = excluded.paused_at,
            paused_by = excluded.paused_by
            """, stored.sink.id, StoredValue.text(stored.sink.json(withSecrets: true).description), stored.pausedAt?.milliseconds,
            stored.pausedBy.map(Self.text), stored.cursor, stored.alarmCursor, in: transaction)
    }

    /// Saves the filter for the events of a sink from a number on.
    func save(_ period: FilterPeriod, ofSink id: String, in transaction: borrowing Transaction) throws(Problem) {
        let json = period.filter.map {
            JSONValue.compact([
                ("filter", $0 == SinkFilter() ? nil : $0.json(in: AnswerLocale())), ("timeZone", .string(period.timeZone)),
                ("maxAge", period.maxAge.isFinite ? JSONValue(period.maxAge) : nil),
            ]).description
        }
        try execute(
            "INSERT OR REPLACE INTO sink_filter (sink, from_sequence, filter) VALUES (?,?,?)", id, period.from, json,
            in: transaction)
    }

    /// Deletes the filters of a sink that begin at or after an event number.
    func skipFilters(ofSink id: String, from sequence: Int64, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM sink_filter WHERE sink = ? AND from_sequence >= ?", id, sequence, in: transaction)
    }

    /// Sets the delivery progress of a sink, forward or back.
    func setCursors(
        ofSink id: String, _ cursor: Int64, alarms: Int64, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute("UPDATE sink SET cursor = ?, alarm_cursor = ? WHERE id = ?", cursor, alarms, id, in: transaction)
    }

    /// Adds to the count of deliveries to a sink and sets the time of the last one.
    func addDelivered(
        _ count: Int, at time: Instant, toSink id: String, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "UPDATE sink SET delivered = delivered + ?, delivered_at = ? WHERE id = ?", count, time.milliseconds, id,
            in: transaction)
    }

    /// Removes a sink and all its records.
    func removeSink(id: String, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM sink WHERE id = ?", id, in: transaction)
    }

    // MARK: - Rejected events

    /// The first rejected events of a sink after an event number, in order.
    ///
    /// - Parameter onlyResent: Whether to return only events that will be sent again.
    func rejectedEvents(
        ofSink id: String, onlyResent: Bool = false, after sequence: Int64, limit: Int
    ) throws(Problem) -> [RejectedEvent] {
        try rows(
            """
            SELECT sequence, parked_at, problem, resend FROM sink_parked
            WHERE sink = ? AND sequence > ? AND resend >= ? ORDER BY sequence LIMIT ?
            """, id, sequence, onlyResent, limit, as: Int64.self, Instant.self, String.self, Bool.self
        ).map { sequence, rejectedAt, text, isResent throws(Problem) in
            RejectedEvent(sequence: sequence, rejectedAt: rejectedAt, problem: try problem(text), isResent: isResent)
        }
    }

    /// Whether a sink refused an event permanently.
    func isRejected(_ sequence: Int64, ofSink id: String) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM sink_parked WHERE sink = ? AND sequence = ?", id, sequence)
    }

    /// Records an event that a sink refused permanently.
    func reject(_ event: RejectedEvent, ofSink id: String, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "INSERT OR REPLACE INTO sink_parked (sink, sequence, parked_at, problem, resend) VALUES (?,?,?,?,?)",
            id, event.sequence, event.rejectedAt.milliseconds, Self.text(event.problem), event.isResent, in: transaction)
    }

    /// Marks rejected events of a sink to be sent again.
    ///
    /// - Parameter sequence: The event; nil for all rejected events of the sink.
    /// - Returns: The number of events that were marked.
    func resendRejected(
        _ sequence: Int64?, ofSink id: String, in transaction: borrowing Transaction
    ) throws(Problem) -> Int {
        try execute(
            "UPDATE sink_parked SET resend = 1 WHERE sink = ?1 AND (?2 IS NULL OR sequence = ?2)", id, sequence, in: transaction)
    }

    /// Removes rejected events of a sink.
    ///
    /// - Parameter sequence: The event; nil for all rejected events of the sink.
    /// - Returns: The number of events that were removed.
    func removeRejected(
        _ sequence: Int64?, ofSink id: String, in transaction: borrowing Transaction
    ) throws(Problem) -> Int {
        try execute("DELETE FROM sink_parked WHERE sink = ?1 AND (?2 IS NULL OR sequence = ?2)", id, sequence, in: transaction)
    }

    // MARK: - Problems

    private static func text(_ problem: Problem) -> String {
        JSONValue.object([.init("code", .string(problem.code)), .init("parameters", problem.parameters)]).description
    }

    private func problem(_ text: String) throws(Problem) -> Problem {
        let json = try json(text)
        let code = json["code"]?.string ?? ""
        return Problem(code: code, parameters: json["parameters"] ?? .null) ?? .unknown(details: .verbatim(code))
    }
}
