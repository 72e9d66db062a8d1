import Geodesy
import Model
import Monitor
import SQLite

// States of devices are written behind the inputs that led to them. What is missing is found by the numbers of the inputs.

extension RegionStore {
    private static let statesSaved = "states_saved"

    /// Notes that every input up to this number is in the states of the devices that it concerns.
    package func noteStatesSaved(upTo number: Int64) throws(Problem) {
        try attempt { () throws(SQLiteError) in try set(Self.statesSaved, number) }
    }

    /// Every input up to this number is in the states of the devices that it concerns.
    package func statesSaved() throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in try setting(Self.statesSaved) }
    }

    /// Whether there may be inputs that are in no state.
    package func mayMissStates() throws(Problem) -> Bool { try statesSaved() < newestInput() }

    /// How far the state of a device has come: the number of the newest input that is in it.
    package func appliedInput(of device: DeviceKey) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT applied FROM device_state WHERE device = ?")
            row.bind(1, device.value)
            return try row.value(Int64.self) ?? 0
        }
    }

    /// Gives a connection that reads tables of states of its own, which it can change: those of the store stay as they are.
    ///
    /// A table among the temporary ones is found before another of its name (https://www.sqlite.org/lang_naming.html).
    ///
    /// - Complexity: O(devices + presences).
    package func copyStatesAside() throws(Problem) {
        try dropStatesAside()
        try attempt { () throws(SQLiteError) in
            for table in Self.stateTables {
                let rows = try connection.freshStatement(
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
    }

    /// Has a connection that reads see the tables of the store again.
    package func dropStatesAside() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            for table in Self.stateTables { try connection.execute("DROP TABLE IF EXISTS temp.\(table)") }
        }
    }

    private static let stateTables = ["device_state", "presence"]
}
