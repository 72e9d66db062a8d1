import Model
import SQLite

extension PicketStore {
    /// A stored fix of a track.
    package struct TrackPoint: Sendable {
        package var fix: Fix
        /// Whether the fix was received after a newer one.
        package var isLate: Bool
        /// Whether the fix is valid. A fix that its device marked as invalid is not evaluated.
        package var isValid: Bool
        /// Further attributes that the source sent.
        package var attributes: JSONValue?
        package var place: TrackPosition
    }

    /// The position of a fix in its device's track: by time, then by the order of receipt.
    package struct TrackPosition: Hashable, Sendable {
        package var time: Instant
        package var number: Int64

        package init(time: Instant, number: Int64) {
            self.time = time
            self.number = number
        }
    }

    /// The first fixes of a device after a place in its track, at or after `since` and before `until`.
    ///
    /// - Complexity: O(limit + fixes that are not in order yet).
    package func track(
        of device: DeviceKey, since: Instant?, until: Instant?, after place: TrackPosition?, limit: Int
    ) throws(Problem) -> [TrackPoint] {

        // The fixes after the place right before `since` or after `place`, whichever is later.
        let start = since.map { TrackPosition(time: $0, number: -1) }
        let first = [start, place].compactMap { $0 }.max { ($0.time, $0.number) < ($1.time, $1.number) }
        let row = try trackStatement(TrackRow.self, condition: "TRUE", of: device, after: first, until: until, limit: limit)
        defer { row.reset() }
        var found: [TrackPoint] = []
        while let next = try next(TrackRow.self, of: row) {
            found.append(
                TrackPoint(
                    fix: next.fix, isLate: next.evaluation.isLate, isValid: next.evaluation.isValid,
                    attributes: try next.attributes.map(json), place: TrackPosition(time: next.fix.time, number: next.number)))
        }
        return found
    }

    private struct TrackRow: Row {
        static let columns = "\(Fix.columns), late, attributes, number"

        var fix: Fix
        var evaluation: EvaluationFlags
        /// A JSON object.
        var attributes: String?
        var number: Int64

        init(_ row: inout ColumnReader) {
            fix = row.next()
            evaluation = row.next()
            attributes = row.next()
            number = row.next()
        }
    }

    /// The first fixes of a device after a place in its track, as entries of the input log. Invalid fixes are left out.
    ///
    /// - Complexity: O(limit + fixes that are not in order yet).
    package func fixes(of device: DeviceKey, after place: TrackPosition, limit: Int) throws(Problem) -> [LoggedInput] {
        let row = try trackStatement(
            LoggedFixRow.self, condition: Self.isEvaluated("f"), of: device, after: place, limit: limit)
        return try attempt { () throws(SQLiteError) in try row.all(LoggedFixRow.self).map(\.logged) }
    }

    /// A statement that reads the first fixes of a device after a place in its track and before `end`, ordered by time and number.
    ///
    /// - Parameters:
    ///   - type: The type of a row. Its columns must be plain names of columns of `fix` and include time and number.
    ///   - condition: An additional SQL condition on `f`.
    package func trackStatement<Whole: Row>(
        _ type: Whole.Type, condition: String, of device: DeviceKey, after place: TrackPosition?, until end: Instant? = nil,
        limit: Int = .max
    ) throws(Problem) -> Statement {
        let (rest, r) = unorderedFixes
        let columns = Whole.columns(after: "f.")
        return try attempt { () throws(SQLiteError) in
            try statement(
                """
                SELECT * FROM (
                    SELECT \(columns) FROM fix_order o CROSS JOIN fix f USING (number)
                    WHERE o.device = ?1 AND (o.time, o.number) > (?2, ?3) AND o.time < ?4 AND \(condition)
                    ORDER BY o.time, o.number LIMIT ?5)
                UNION ALL SELECT * FROM (
                    SELECT \(columns) FROM \(rest)
                    AND (\(r).time, \(r).number) > (?2, ?3) AND \(r).time < ?4 AND \(condition) ORDER BY \(r).time, \(r).number LIMIT ?5)
                ORDER BY time, number LIMIT ?5
                """, device.value, place?.time.milliseconds ?? Int64.min, place?.number ?? -1, end?.milliseconds ?? Int64.max,
                limit)
        }
    }

    /// The SQL source of the fixes `f` of a device (`?1`) that `fix_order` does not contain yet, and the alias of the table from which
    /// their times and numbers are read in order.
    package var unorderedFixes: (rows: String, order: String) {
        if hasTemporaryOrder { return ("temp.rest_order r CROSS JOIN fix f USING (number) WHERE r.device = ?1", "r") }
        return ("fix f WHERE \(Self.isUnordered("f")) AND f.device = ?1", "f")
    }

    /// Runs `body` while all fixes of some devices can be read in order by device and time. The fixes that `fix_order` does not contain yet
    /// are sorted into a temporary table; the store is not changed. This must be called in a snapshot, and speeds up many reads of tracks.
    ///
    /// - Complexity: O(n log n) in the fixes that are not in order yet, once instead of for each read.
    package func withTemporaryOrder<Value>(of devices: [DeviceKey], _ body: () throws(Problem) -> Value) throws(Problem) -> Value
    {
        try attempt { () throws(SQLiteError) in
            try connection.execute(
                "CREATE TEMP TABLE rest_order (device, time, number, PRIMARY KEY (device, time, number)) WITHOUT ROWID")
            try connection.statement(
                """
                INSERT INTO temp.rest_order SELECT device, time, number FROM fix f
                WHERE \(Self.isUnordered("f")) AND device IN (SELECT value FROM json_each(?)) ORDER BY device, time, number
                """, Self.jsonList(devices.map(\.value))
            ).run()
        }
        hasTemporaryOrder = true
        let result = Result { () throws(Problem) in try body() }
        hasTemporaryOrder = false
        try attempt { () throws(SQLiteError) in try connection.execute("DROP TABLE temp.rest_order") }
        return try result.get()
    }
}
