import Model
import SQLite

// The removal of a device's positions from a time on, for example because its clock was ahead.

extension PicketStore {
    /// The number of stored fixes and the number of those before a moment.
    ///
    /// - Parameter device: The device whose fixes are counted; nil for all devices without their own retention time.
    /// - Complexity: O(fixes of the device), or O(all fixes).
    package func fixCount(of device: DeviceKey?, before moment: Instant) throws(Problem) -> (older: Int, all: Int) {
        guard let device else {
            return try firstRow(
                """
                SELECT ifnull(sum(time < ?1), 0), count(*) FROM fix
                WHERE device IN (SELECT key FROM device WHERE keep_positions IS NULL)
                """, moment.milliseconds, as: Int.self, Int.self) ?? (0, 0)
        }
        return try firstRow(
            """
            SELECT ifnull(sum(time < ?1), 0), count(*) FROM (
                SELECT time FROM fix_order WHERE device = ?2
                UNION ALL SELECT time FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?2)
            """, moment.milliseconds, device.value, as: Int.self, Int.self) ?? (0, 0)
    }

    /// The numbers and times of positions of a device from a moment on, at most `limit`.
    private func fixes(
        of device: DeviceKey, since moment: Instant, limit: Int
    ) throws(Problem) -> [(number: Int64, time: Int64)] {
        try rows(
            """
            SELECT number, time FROM fix_order WHERE device = ?1 AND time >= ?2
            UNION ALL SELECT number, time FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 AND time >= ?2 LIMIT ?3
            """, device.value, moment.milliseconds, limit, as: Int64.self, Int64.self
        ).map { (number: $0, time: $1) }
    }

    /// The time of a device's earliest late position that no replay has evaluated; nil if there is none.
    ///
    /// - Parameter moment: Only positions after this moment; nil for all.
    /// - Complexity: O(positions of the device + fixes that are not in order yet).
    package func earliestWaitingFix(of device: DeviceKey, after moment: Instant? = nil) throws(Problem) -> Instant? {
        let (rest, _) = unorderedFixes
        return try firstValue(
            """
            SELECT min(time) FROM (
                SELECT f.time FROM fix_order o CROSS JOIN fix f USING (number)
                WHERE o.device = ?1 AND o.time > ?2 AND f.late & 7 IN (1, 2, 3)
                UNION ALL SELECT f.time FROM \(rest) AND f.time > ?2 AND f.late & 7 IN (1, 2, 3))
            """, device.value, moment?.milliseconds ?? Int64.min, as: Instant.self)
    }

    /// The setting with the time up to which events of a device were retracted because its positions were removed.
    package static func retractedUpTo(_ device: DeviceKey) -> String { "retracted_up_to \(device.value)" }

    /// The time up to which events of a device were retracted because its positions were removed; nil if none were.
    package func retractedUpTo(of device: DeviceKey) throws(Problem) -> Instant? {
        let end: Int64 = try attempt { () throws(SQLiteError) in try setting(Self.retractedUpTo(device)) }
        return end == 0 ? nil : Instant(milliseconds: end)
    }

    /// The setting with the moment at which a device without a state starts again.
    package static func restartSetting(_ device: DeviceKey) -> String { "restarted_at \(device.value)" }

    /// Removes the rows of positions of a device from a moment on, at most `limit`. Returns their number.
    package func removeFixes(
        of device: DeviceKey, since moment: Instant, limit: Int, in transaction: borrowing Transaction
    ) throws(Problem) -> Int {
        let removed = try fixes(of: device, since: moment, limit: limit)
        for (number, time) in removed {
            try execute("DELETE FROM fix WHERE number = ?", number, in: transaction)
            try execute(
                "DELETE FROM fix_order WHERE device = ? AND time = ? AND number = ?", device.value, time, number, in: transaction)
        }
        return removed.count
    }
}
