import Model
import SQLite

extension RegionStore {
    /// Keeps something that a device said besides its positions.
    ///
    /// - Parameter body: A JSON object.
    public func appendEvidence(_ body: String, of device: DeviceKey, at time: Instant, receivedAt now: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT INTO evidence (device, at, received_at, body) VALUES (?,?,?,?)")
            row.bind(1, device.value)
            row.bind(2, time.milliseconds)
            row.bind(3, now.milliseconds)
            row.bind(4, body)
            try row.run()
        }
    }
}
