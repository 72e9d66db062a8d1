import Geodesy
import Model
import Monitor
import SQLite

// States of devices are written behind the fixes that led to them. What is missing is found by the numbers of the fixes.

extension RegionStore {
    static let statesSaved = "states_saved"

    /// Notes that every fix up to this number is in the state of its device.
    public func noteStatesSaved(upTo number: Int64) throws(Problem) {
        try attempt { () throws(SQLiteError) in try set(Self.statesSaved, number) }
    }

    /// Whether there may be fixes that are in no state.
    public func mayMissStates() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try setting(Self.statesSaved) } < newestFixNumber()
    }

    /// A fix that was judged when it came, and is not in the state of its device.
    public struct UnsavedFix: Sendable {
        public var number: Int64
        public var device: DeviceKey
        public var fix: Fix
        /// Of the fences that it was judged by.
        public var revision: Int64
        /// Seconds that it was behind the clock; 0 for up to a minute.
        public var lag: Double
    }

    /// Calls `body` with each fix that is not in the state of its device, in the order of arrival.
    ///
    /// - Complexity: O(fixes after the number that was noted last).
    public func forEachUnsavedFix(_ body: (UnsavedFix) throws(Problem) -> Void) throws(Problem) {
        let row = try attempt { () throws(SQLiteError) in
            let row = try connection.freshStatement(
                """
                SELECT number, f.device, revision, ifnull(f.lag, 0), f.time, f.latitude, f.longitude, f.accuracy, f.altitude, f.speed,
                f.course, f.battery
                FROM fix f LEFT JOIN device_state s ON s.device = f.device
                WHERE number > ? AND late IS NULL AND number > ifnull(s.applied, 0) ORDER BY number
                """)
            row.bind(1, try setting(Self.statesSaved))
            return row
        }
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            try body(
                UnsavedFix(
                    number: row.int64(0), device: DeviceKey(row.int64(1)), fix: fix(row, from: 4), revision: row.int64(2),
                    lag: row.double(3)))
        }
    }

    /// How far the state of a device has come: the number of the newest fix that is in it.
    public func appliedFix(of device: DeviceKey) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT applied FROM device_state WHERE device = ?")
            defer { row.reset() }
            row.bind(1, device.value)
            return try row.step() ? row.int64(0) : 0
        }
    }

    /// Gives a connection that reads tables of states of its own, which it can change: those of the store stay as they are.
    ///
    /// A table among the temporary ones is found before another of its name (https://www.sqlite.org/lang_naming.html).
    ///
    /// - Complexity: O(devices + presences).
    public func copyStatesAside() throws(Problem) {
        try dropStatesAside()
        try attempt { () throws(SQLiteError) in
            for table in Self.stateTables {
                let rows = try connection.freshStatement(
                    "SELECT sql FROM main.sqlite_schema WHERE tbl_name = '\(table)' AND sql IS NOT NULL ORDER BY type = 'index'")
                var definitions: [String] = []
                while try rows.step() { definitions.append(rows.text(0)) }
                rows.reset()
                for definition in definitions {
                    for (start, own) in [("CREATE TABLE ", "CREATE TEMP TABLE "), ("CREATE INDEX ", "CREATE INDEX temp.")]
                    where definition.hasPrefix(start) {
                        try connection.execute(own + definition.dropFirst(start.count))
                    }
                }
                try connection.execute("INSERT INTO temp.\(table) SELECT * FROM main.\(table)")
            }
        }
    }

    /// Has a connection that reads see the tables of the store again.
    public func dropStatesAside() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            for table in Self.stateTables { try connection.execute("DROP TABLE IF EXISTS temp.\(table)") }
        }
    }

    private static let stateTables = ["device_state", "presence"]
}
