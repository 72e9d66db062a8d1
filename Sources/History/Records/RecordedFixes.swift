import Model
import SQLite
import Store

extension PicketStore {
    /// Whether a fix is stored that can be evaluated.
    ///
    /// - Parameters:
    ///   - device: Nil for any device.
    ///   - moment: Only fixes at or after this moment count.
    /// - Complexity: O(fixes) if there is none.
    func hasFixes(of device: DeviceKey?, since moment: Instant?) throws(Problem) -> Bool {
        try hasRow(
            """
            SELECT 1 FROM fix f WHERE (?1 IS NULL OR device = ?1) AND (?2 IS NULL OR time >= ?2) AND \(Self.isEvaluated("f"))
            LIMIT 1
            """, device?.value, moment?.milliseconds)
    }

    /// The time of the newest fix of a device that came before an entry of the log; nil if there is none.
    ///
    /// - Complexity: O(fixes of the device).
    func time(ofFixBefore number: Int64, of device: DeviceKey) throws(Problem) -> Instant? {
        try firstValue(
            """
            SELECT max(time) FROM (
                SELECT max(time) AS time FROM fix_order WHERE device = ?1 AND number < ?2
                UNION ALL
                SELECT max(time) FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 AND number < ?2)
            """, device.value, number, as: Instant.self)
    }

    /// Removes positions of a device from a moment on, and everything else that the device's own time from then on has led to in its
    /// input log: deadlines that fired, signs of life, reports of its phone, and checkpoints. The events are left to a replay.
    ///
    /// - Parameters:
    ///   - end: No event of the device is later. It is kept, because the ids of retracted events must not be used again.
    ///   - limit: The maximum number of positions to remove.
    /// - Returns: The number of removed positions.
    func removeFixes(
        of device: DeviceKey, since moment: Instant, eventsUpTo end: Instant, limit: Int, in transaction: borrowing Transaction
    ) throws(Problem) -> Int {
        try prepareFixRemoval(in: transaction)
        try attempt { () throws(SQLiteError) in
            try saveSetting(
                Self.retractedUpTo(device), max(end.milliseconds, setting(Self.retractedUpTo(device))), in: transaction)
        }
        // Fired deadlines, signs of life and reports. The time of a backdating is that of a fix, and is compared with fixes only.
        try execute(
            "DELETE FROM input WHERE device = ? AND at >= ? AND kind IN (2, 3, 4)", device.value, moment.milliseconds,
            in: transaction)
        // A checkpoint's time is that of the newest fix that was believed; its state may contain a later one.
        try execute(
            """
            DELETE FROM checkpoint
            WHERE device = ?1 AND max(time, ifnull(json_extract(state, '$.suspect[0]'), time),
            ifnull(json_extract(state, '$.heard'), time), ifnull(json_extract(state, '$.reached'), time)) >= ?2
            """, device.value, moment.milliseconds, in: transaction)
        return try removeFixes(of: device, since: moment, limit: limit, in: transaction)
    }

    /// The number of positions of a device from a moment on.
    func fixCount(of device: DeviceKey, since moment: Instant) throws(Problem) -> Int {
        try firstValue(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM fix_order WHERE device = ?1 AND time >= ?2
                UNION ALL SELECT 1 FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 AND time >= ?2)
            """, device.value, moment.milliseconds, as: Int.self) ?? 0
    }
}
