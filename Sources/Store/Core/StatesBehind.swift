import Model
import SQLite

// The states of devices are stored later than the inputs that led to them. The numbers of the inputs show which ones a stored
// state lacks.

extension PicketStore {
    /// Whether some inputs may be missing from the stored states.
    package func mayHaveUnsavedStates() throws(Problem) -> Bool { try completeUpTo(.states) < newestInput() }

    /// The number of the newest input that the stored state of a device includes.
    package func appliedInput(of device: DeviceKey) throws(Problem) -> Int64 {
        try firstValue("SELECT applied FROM device_state WHERE device = ?", device.value, as: Int64.self) ?? 0
    }

    /// Gives this connection temporary copies of the tables of states, which it can change without changing the store.
    ///
    /// SQLite finds a temporary table before another one of the same name (https://www.sqlite.org/lang_naming.html).
    ///
    /// - Parameter body: Writes states, to these copies.
    /// - Complexity: O(devices + stored states of geofences).
    package func createTemporaryStates(_ body: (borrowing Transaction) throws(Problem) -> Void) throws(Problem) {
        try dropTemporaryStates()
        try attempt { () throws(SQLiteError) in
            for table in Self.stateTables {
                let rows = try connection.uncachedStatement(
                    "SELECT sql FROM main.sqlite_schema WHERE tbl_name = '\(table)' AND sql IS NOT NULL ORDER BY type = 'index'")
                for definition in try rows.values(String.self) {
                    for (start, own) in [("CREATE TABLE ", "CREATE TEMP TABLE "), ("CREATE INDEX ", "CREATE INDEX temp.")]
                    where definition.hasPrefix(start) {
                        try connection.execute(own + definition.dropFirst(start.count))
                    }
                }
                try connection.execute("INSERT INTO temp.\(table) SELECT * FROM main.\(table)")
            }
        }
        try body(Transaction())
    }

    /// Removes the temporary copies that `createTemporaryStates` has created, so that this connection reads the tables of the store again.
    package func dropTemporaryStates() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            for table in Self.stateTables { try connection.execute("DROP TABLE IF EXISTS temp.\(table)") }
        }
    }

    private static let stateTables = ["device_state", "presence"]
}
