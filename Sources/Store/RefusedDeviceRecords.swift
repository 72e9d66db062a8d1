import Model
import SQLite

// Devices that report without a token, and that a person does not want to see in the list of those that wait.

extension RegionStore {
    /// A device that a person has refused.
    package struct RefusedDevice: Hashable, Sendable {
        /// As it names itself; it need not be known.
        package var deviceId: String
        package var refusedAt: Instant
    }

    /// The devices that were refused, the newest first.
    package func refusedDevices() throws(Problem) -> [RefusedDevice] {
        try attempt { () throws(SQLiteError) in
            try connection.freshStatement(
                "SELECT \(RefusedDevice.columns) FROM refused_device ORDER BY refused_at DESC, device"
            ).all()
        }
    }

    /// Refuses a device. One that was refused before stays as it is.
    package func refuse(device id: String, at now: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement("INSERT OR IGNORE INTO refused_device VALUES (?, ?)")
            statement.bind(1, id)
            statement.bind(2, now.milliseconds)
            try statement.run()
        }
    }

    /// Refuses a device no longer. One that was not refused stays as it is.
    package func readmit(device id: String) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement("DELETE FROM refused_device WHERE device = ?")
            statement.bind(1, id)
            try statement.run()
        }
    }
}

extension RegionStore.RefusedDevice: Row {
    @usableFromInline package static let columns = "device, refused_at"

    @usableFromInline package init(_ row: inout ColumnReader) {
        deviceId = row.next()
        refusedAt = row.next()
    }
}
