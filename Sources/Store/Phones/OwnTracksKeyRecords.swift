import Model
import SQLite

// The keys with which OwnTracks apps encrypt their messages. No list and no export contains them.

extension PicketStore {
    /// The encryption key of a device, as entered by a person; nil if it has none.
    package func ownTracksKey(of device: DeviceKey) throws(Problem) -> String? {
        try firstValue("SELECT key FROM owntracks_key WHERE device = ?", device.value, as: String.self)
    }

    /// Saves the encryption key of a device; nil deletes it.
    package func save(ownTracksKey key: String?, of device: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(
                key == nil
                    ? "DELETE FROM owntracks_key WHERE device = ?1"
                    : "INSERT INTO owntracks_key (device, key) VALUES (?1, ?2) ON CONFLICT (device) DO UPDATE SET key = excluded.key"
            )
            statement.bind(1, device.value)
            if let key { statement.bind(2, exact: key) }
            try statement.run()
        }
    }
}
