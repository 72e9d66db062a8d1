import Model
import SQLite
import Store

// What apps observed is evidence of the type `observation`.

extension PicketStore {
    /// The value of the member `_type` in the body of an observation, by which it differs from messages of OwnTracks.
    private static let observationType = "observation"

    /// Stores an observation of a device's app.
    ///
    /// - Parameter observation: A JSON object.
    /// - Returns: False if the same observation is stored already.
    package func appendObservation(
        _ observation: JSONValue, of device: DeviceKey, at time: Instant, receivedAt now: Instant,
        in transaction: borrowing Transaction
    ) throws(Problem) -> Bool {
        let members = [JSONValue.Member("_type", .string(Self.observationType))] + (observation.members ?? [])
        let body = JSONValue.object(members).description
        return try execute(
            """
            INSERT INTO evidence (device, at, received_at, body)
            SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM evidence WHERE device = ?1 AND at = ?2 AND body = ?4)
            """, device.value, time.milliseconds, now.milliseconds, body, in: transaction) > 0
    }

    /// Calls `body` with each observation of a device from `start` to `end`, ordered by time.
    package func forEachObservation(
        of device: DeviceKey, from start: Instant, to end: Instant, _ body: (JSONValue) throws(Problem) -> Void
    ) throws(Problem) {
        let row = try query(
            """
            SELECT body FROM evidence
            WHERE device = ? AND at BETWEEN ? AND ? AND json_extract(body, '$._type') = '\(Self.observationType)' ORDER BY at, number
            """, device.value, start.milliseconds, end.milliseconds)
        while let text = try next(String.self, of: row) { try body(Self.withoutType(json(text))) }
    }

    /// The last observation of each of some types before a moment, ordered by time.
    package func lastObservations(
        of device: DeviceKey, types: [String], before moment: Instant
    ) throws(Problem) -> [JSONValue] {
        var found: [(at: Instant, body: JSONValue)] = []
        for type in types {
            let row = try firstRow(
                """
                SELECT at, body FROM evidence
                WHERE device = ? AND at < ? AND json_extract(body, '$._type') = '\(Self.observationType)'
                    AND json_extract(body, '$.type') = ?
                ORDER BY at DESC, number DESC LIMIT 1
                """, device.value, moment.milliseconds, type, as: Instant.self, String.self)
            if let (at, text) = row { found.append((at, Self.withoutType(try json(text)))) }
        }
        return found.sorted { $0.at < $1.at }.map(\.body)
    }

    private static func withoutType(_ body: JSONValue) -> JSONValue {
        .object((body.members ?? []).filter { $0.name != "_type" })
    }

    /// Removes observations at the end of the time for which the positions of their device are kept.
    ///
    /// - Parameters:
    ///   - seconds: The time for which positions are kept.
    ///   - isDeviceSpecific: Whether this concerns the devices for which this time is set, or those without their own time.
    /// - Returns: Whether more than `limit` are to be removed.
    package func trimObservations(
        keeping seconds: Double, isDeviceSpecific: Bool, before cutoff: Instant, limit: Int, in transaction: borrowing Transaction
    ) throws(Problem) -> Bool {
        try execute(
            """
            DELETE FROM evidence WHERE number IN (
                SELECT e.number FROM evidence e JOIN device d ON d.key = e.device
                WHERE e.at < ?1 AND \(isDeviceSpecific ? "d.keep_positions = ?2" : "d.keep_positions IS NULL AND ?2 >= 0")
                    AND json_extract(e.body, '$._type') = '\(Self.observationType)' LIMIT ?3)
            """, cutoff.milliseconds, seconds, limit, in: transaction) >= limit
    }
}
