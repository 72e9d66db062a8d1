import Model
import SQLite
import Store

extension PicketStore {
    /// Stores a message of a device other than a position.
    ///
    /// - Parameter body: The message as a JSON object.
    func appendEvidence(
        _ body: String, of device: DeviceKey, at time: Instant, receivedAt now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "INSERT INTO evidence (device, at, received_at, body) VALUES (?,?,?,?)",
            device.value, time.milliseconds, now.milliseconds, body, in: transaction)
    }

    /// Calls `body` with each enter and exit that the device itself reported at or after `start`, ordered by time.
    package func forEachTransition(
        of device: DeviceKey, since start: Instant, _ body: (_ at: Instant, JSONValue) throws(Problem) -> Void
    ) throws(Problem) {
        let row = try query(
            """
            SELECT at, body FROM evidence WHERE device = ? AND at >= ? AND json_extract(body, '$._type') = 'transition' ORDER BY at
            """, device.value, start.milliseconds)
        while let (at, text) = try next(Instant.self, String.self, of: row) { try body(at, json(text)) }
    }
}
