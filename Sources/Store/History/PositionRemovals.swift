import Model
import SQLite

// The removal of a device's positions from a time on, for example because its clock was ahead.

extension PicketStore {
    /// The number of positions of a device from a moment on.
    package func fixCount(of device: DeviceKey, since moment: Instant) throws(Problem) -> Int {
        try fixes(of: device, since: moment).count
    }

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
        of device: DeviceKey, since moment: Instant, limit: Int = .max
    ) throws(Problem) -> [(number: Int64, time: Int64)] {
        try rows(
            """
            SELECT number, time FROM fix_order WHERE device = ?1 AND time >= ?2
            UNION ALL SELECT number, time FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 AND time >= ?2 LIMIT ?3
            """, device.value, moment.milliseconds, limit, as: Int64.self, Int64.self
        ).map { (number: $0, time: $1) }
    }

    /// The time of a device's earliest position after a moment; nil if there is none.
    ///
    /// - Complexity: O(fixes that are not in order yet).
    package func earliestFix(of device: DeviceKey, after moment: Instant) throws(Problem) -> Instant? {
        try firstValue(
            """
            SELECT min(time) FROM (
                SELECT min(time) AS time FROM fix_order WHERE device = ?1 AND time > ?2
                UNION ALL SELECT min(time) FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 AND time > ?2)
            """, device.value, moment.milliseconds, as: Instant.self)
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

    /// Records that a device whose positions were removed starts again without a state. Until its next fix is evaluated, `state(of:policy:)`
    /// returns a state for which fixes before the moment are late.
    ///
    /// - Parameter moment: Everything that is left on record for the device is at most as new as this; nil if nothing is left.
    package func saveRestart(of device: DeviceKey, at moment: Instant?, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try saveSetting(Self.restartSetting(device), moment?.milliseconds ?? 0, in: transaction)
        }
    }

    /// Removes positions of a device from a moment on, and everything else that the device's own time from then on has led to in its
    /// input log: deadlines that fired, signs of life, reports of its phone, and checkpoints. The events are left to a replay.
    ///
    /// - Parameters:
    ///   - end: No event of the device is later. It is kept, because the ids of retracted events must not be used again.
    ///   - limit: The maximum number of positions to remove.
    /// - Returns: The number of removed positions.
    package func removeFixes(
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
