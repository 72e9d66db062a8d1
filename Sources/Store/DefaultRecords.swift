import Model
import SQLite

// The values for devices that have none of their own.

extension RegionStore {
    /// The values of all devices, and those of each group that has any.
    package func deviceDefaults() throws(Problem) -> (general: DeviceDefaults, ofGroups: [String: DeviceDefaults]) {
        let row = try attempt { () throws(SQLiteError) in try connection.statement("SELECT name, config FROM device_default") }
        defer { row.reset() }
        var found: [String: DeviceDefaults] = [:]
        while let (name, config) = try next(String.self, String.self, of: row) {
            found[name] = try DeviceDefaults(json: json(config), of: "a group")
        }
        return (found.removeValue(forKey: "") ?? DeviceDefaults(), found)
    }

    /// Saves the values of a group; those of all devices when the name is empty. Empty values are removed.
    package func save(_ defaults: DeviceDefaults, ofGroup name: String) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                defaults.isEmpty
                    ? "DELETE FROM device_default WHERE name = ?" : "INSERT OR REPLACE INTO device_default VALUES (?, ?)")
            row.bind(1, name)
            if !defaults.isEmpty { row.bind(2, defaults.json.description) }
            try row.run()
        }
    }
}
