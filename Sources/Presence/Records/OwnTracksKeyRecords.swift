import Model
import SQLite
import Store

// The keys with which OwnTracks apps encrypt their messages. No list and no export contains them.

extension PicketStore {
    /// The encryption key of a device, as entered by a person; nil if it has none.
    package func ownTracksKey(of device: DeviceKey) throws(Problem) -> String? {
        try firstValue("SELECT key FROM owntracks_key WHERE device = ?", device.value, as: String.self)
    }

    /// Saves the encryption key of a device; nil deletes it.
    package func save(ownTracksKey key: String?, of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        if let key {
            try execute(
                "INSERT INTO owntracks_key (device, key) VALUES (?, ?) ON CONFLICT (device) DO UPDATE SET key = excluded.key",
                device.value, StoredValue.text(key), in: transaction)
        } else {
            try execute("DELETE FROM owntracks_key WHERE device = ?", device.value, in: transaction)
        }
    }
}
