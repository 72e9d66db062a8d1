import Model
import SQLite

// The keys by which devices encrypt what they send. They leave the store for no list and no export.

extension RegionStore {
    /// The key of a device as a person chose it; nil when it has none.
    package func ownTracksKey(of device: DeviceKey) throws(Problem) -> String? {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT key FROM owntracks_key WHERE device = ?")
            row.bind(1, device.value)
            return try row.value(String.self)
        }
    }

    /// Saves the key of a device; nil forgets it.
    package func save(ownTracksKey key: String?, of device: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(
                key == nil
                    ? "DELETE FROM owntracks_key WHERE device = ?1"
                    : "INSERT INTO owntracks_key (device, key) VALUES (?1, ?2) ON CONFLICT (device) DO UPDATE SET key = excluded.key"
            )
            statement.bind(1, device.value)
            if let key { statement.bind(2, key) }
            try statement.run()
        }
    }

    /// What an MQTT broker knows this store's client by: letters and digits, the same for as long as the store exists.
    package func mqttClientID() throws(Problem) -> String {
        try text(ofSetting: "mqtt_client") ?? "picket"
    }
}
