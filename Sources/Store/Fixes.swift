import Geodesy
import Model
import SQLite

extension RegionStore {
    /// When a fix is judged; the raw value is that of the column `late`.
    package enum Judging: Int64, Sendable {
        /// As it comes.
        case now = 0
        /// By a replay: it came after a newer one.
        case later = 1
        /// By a replay: no newer one was there, but a deadline had fired that is newer.
        case afterDeadline = 2
        /// Not at all: its device says that it is not valid.
        case never = 8
    }

    /// What the column `late` says: a raw value of `Judging`, and 4 more once a replay has judged the fix.
    struct JudgingFlags: ColumnValue {
        private let rawValue: Int64

        init(_ column: Int32, of row: Statement) { rawValue = Int64(column, of: row) }

        /// It was judged as it came.
        var isOnTime: Bool { rawValue == 0 }
        var isLate: Bool { rawValue & 3 != 0 }
        var isReplayed: Bool { rawValue & 4 != 0 }
        var isValid: Bool { rawValue & 8 == 0 }
    }

    /// The condition that a fix of the table is judged at all.
    static func isJudged(_ table: String) -> String { "ifnull(\(table).late, 0) <> 8" }

    /// Appends a fix.
    ///
    /// - Parameters:
    ///   - revision: Of the fences that it was judged by.
    ///   - attributes: What else its source said, as a JSON object.
    ///   - lag: How many seconds it was behind the clock when it came.
    /// - Returns: Its number.
    @discardableResult
    package func append(
        _ fix: Fix, of device: DeviceKey, revision: Int64, judging: Judging, attributes: String?, lag: Double = 0
    ) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(
                """
                INSERT INTO fix (device, time, latitude, longitude, accuracy, altitude, speed, course, battery, revision, late, attributes,
                lag, number) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
                """)
            statement.bind(1, device.value)
            bind(fix, to: statement, from: 2)
            statement.bind(10, revision)
            statement.bind(11, judging == .now ? nil : judging.rawValue)
            if let attributes { statement.bind(12, attributes) }
            // What a network delays is not worth its room.
            if lag > 60 { statement.bind(13, Int64(lag.rounded())) }
            let number = try nextInput()
            statement.bind(14, number)
            try statement.run()
            return number
        }
    }

    /// Whether a fix of this device, time and place is stored.
    ///
    /// - Parameter isValid: Whether the device calls the fix valid. Then a stored fix that the device called not valid does not count:
    ///   that one was never judged.
    /// - Complexity: O(fixes that are not in order yet).
    package func contains(_ fix: Fix, of device: DeviceKey, isValid: Bool = true) throws(Problem) -> Bool {
        try orderFixes()
        return try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT 1 FROM fix_order JOIN fix USING (number)
                WHERE fix_order.device = ? AND fix_order.time = ? AND latitude = ? AND longitude = ?
                \(isValid ? "AND \(Self.isJudged("fix"))" : "")
                """)
            statement.bind(1, device.value)
            statement.bind(2, fix.time.milliseconds)
            statement.bind(3, fix.coordinate.latitude)
            statement.bind(4, fix.coordinate.longitude)
            return try statement.hasRow()
        }
    }

    /// The time of the newest stored fix of a device, valid or not; nil when none is stored.
    ///
    /// - Complexity: O(fixes that are not in order yet).
    package func newestFixTime(of device: DeviceKey) throws(Problem) -> Instant? {
        try orderFixes()
        return try attempt { () throws(SQLiteError) in
            let statement = try connection.statement("SELECT max(time) FROM fix_order WHERE device = ?")
            statement.bind(1, device.value)
            return try statement.value(Instant.self)
        }
    }

    package func fixCount() throws(Problem) -> Int { try count("SELECT count(*) FROM fix") }

    /// Binds the columns of a fix: eight values.
    func bind(_ fix: Fix, to statement: Statement, from index: Int32) {
        statement.bind(index, fix.time.milliseconds)
        statement.bind(index + 1, fix.coordinate.latitude)
        statement.bind(index + 2, fix.coordinate.longitude)
        statement.bind(index + 3, fix.accuracy)
        statement.bind(index + 4, fix.altitude)
        statement.bind(index + 5, fix.speed)
        statement.bind(index + 6, fix.course)
        statement.bind(index + 7, fix.battery)
    }
}
