import Model
import SQLite

extension RegionStore {
    /// A fix as it is on record.
    public struct TrackPoint: Sendable {
        public var fix: Fix
        /// Whether it came after a newer one.
        public var isLate: Bool
        /// False when its device says that the position is not valid; it is never judged.
        public var isValid: Bool
        /// What else its source said.
        public var attributes: JSONValue?
        public var place: TrackPlace
    }

    /// A fix's place in its device's track: by time, then by arrival.
    public struct TrackPlace: Hashable, Sendable {
        public var time: Instant
        public var number: Int64

        public init(time: Instant, number: Int64) {
            self.time = time
            self.number = number
        }
    }

    /// The first fixes of a device after a place, not before `since`, and before `until`.
    ///
    /// - Complexity: O(limit + fixes that are not in order yet).
    public func track(
        of device: DeviceKey, since: Instant?, until: Instant?, after place: TrackPlace?, limit: Int
    ) throws(Problem) -> [TrackPoint] {
        let row = try trackStatement(
            "f.time, f.latitude, f.longitude, f.accuracy, f.altitude, f.speed, f.course, f.battery, f.late, f.attributes, f.number",
            time: 1, number: 11, condition: "TRUE")
        defer { row.reset() }
        // The place before all fixes of `since`, or the one given, whichever is later.
        let start = since.map { TrackPlace(time: $0, number: -1) }
        let first = [start, place].compactMap { $0 }.max { ($0.time, $0.number) < ($1.time, $1.number) }
        row.bind(1, device.value)
        row.bind(2, first?.time.milliseconds ?? Int64.min)
        row.bind(3, first?.number ?? -1)
        row.bind(4, until?.milliseconds ?? Int64.max)
        row.bind(5, limit)
        var found: [TrackPoint] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            let fix = fix(row, from: 0)
            found.append(
                TrackPoint(
                    fix: fix, isLate: row.int(8) & 3 != 0, isValid: row.int(8) & 8 == 0,
                    attributes: try row.optionalText(9).map { text throws(Problem) in try json(text) },
                    place: TrackPlace(time: fix.time, number: row.int64(10))))
        }
        return found
    }

    /// The first fixes of a device after a place in its track that are judged, as entries of the input log.
    ///
    /// - Complexity: O(limit + fixes that are not in order yet).
    public func fixes(of device: DeviceKey, after place: TrackPlace, limit: Int) throws(Problem) -> [LoggedInput] {
        let row = try trackStatement(
            """
            f.number, f.device, f.late, ifnull(f.lag, 0), f.time, f.latitude, f.longitude, f.accuracy, f.altitude, f.speed, f.course,
            f.battery
            """, time: 5, number: 1, condition: Self.isJudged("f"))
        defer { row.reset() }
        row.bind(1, device.value)
        row.bind(2, place.time.milliseconds)
        row.bind(3, place.number)
        row.bind(4, Int64.max)
        row.bind(5, limit)
        return try attempt { () throws(SQLiteError) in
            var found: [LoggedInput] = []
            while try row.step() { found.append(loggedFix(row)) }
            return found
        }
    }

    /// Reads fixes of a device (`?1`) after a time and number (`?2`, `?3`) and before a time (`?4`), at most `?5`, by time and number.
    ///
    /// - Parameters:
    ///   - columns: Of the table `f`.
    ///   - time: Which of them is the time, from 1 on.
    ///   - number: Which is the number.
    ///   - condition: On `f`; others are left out.
    private func trackStatement(_ columns: String, time: Int, number: Int, condition: String) throws(Problem) -> Statement {
        let (rest, r) = unordered
        return try attempt { () throws(SQLiteError) in
            try connection.statement(
                """
                SELECT * FROM (
                    SELECT \(columns) FROM fix_order o CROSS JOIN fix f USING (number)
                    WHERE o.device = ?1 AND (o.time, o.number) > (?2, ?3) AND o.time < ?4 AND \(condition)
                    ORDER BY o.time, o.number LIMIT ?5)
                UNION ALL SELECT * FROM (
                    SELECT \(columns) FROM \(rest)
                    AND (\(r).time, \(r).number) > (?2, ?3) AND \(r).time < ?4 AND \(condition) ORDER BY \(r).time, \(r).number LIMIT ?5)
                ORDER BY \(time), \(number) LIMIT ?5
                """)
        }
    }

    /// The fixes `f` of a device (`?1`) that `fix_order` does not have yet, and the table that has their times and numbers in order,
    /// if any has.
    var unordered: (rows: String, order: String) {
        if isOrderedAside { return ("temp.rest_order r CROSS JOIN fix f USING (number) WHERE r.device = ?1", "r") }
        return ("fix f WHERE \(Self.isUnordered("f")) AND f.device = ?1", "f")
    }

    /// Runs `body` with the fixes of some devices in order by device and time, also those that `fix_order` does not have yet: these
    /// are put in order aside, and nothing of it is written to the store. To be called in a snapshot, for many looks at many tracks.
    ///
    /// - Complexity: O(n log n) in the fixes that are not in order yet, once, and not for each look.
    public func withOrder(of devices: [DeviceKey], _ body: () throws(Problem) -> Void) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try connection.execute(
                "CREATE TEMP TABLE rest_order (device, time, number, PRIMARY KEY (device, time, number)) WITHOUT ROWID")
            let fill = try connection.statement(
                """
                INSERT INTO temp.rest_order SELECT device, time, number FROM fix f
                WHERE \(Self.isUnordered("f")) AND device IN (SELECT value FROM json_each(?)) ORDER BY device, time, number
                """)
            fill.bind(1, Self.list(devices.map(\.value)))
            try fill.run()
        }
        isOrderedAside = true
        let result = Result { () throws(Problem) in try body() }
        isOrderedAside = false
        try attempt { () throws(SQLiteError) in try connection.execute("DROP TABLE temp.rest_order") }
        try result.get()
    }
}
