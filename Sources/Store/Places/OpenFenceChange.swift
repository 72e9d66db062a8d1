import Model
import SQLite

/// A change of the geofences that is not applied to all devices yet.
///
/// A change that concerns many devices is recorded at once, and applied to the devices in steps, in the order of their keys. If a
/// device gets its own input before its turn, the change is applied to it first. So the devices without the change are those
/// after the last step that have no newer input.
package struct OpenFenceChange: Sendable {
    /// The number of the change in the input log.
    package var number: Int64
    /// The last device of the last step.
    var last: DeviceKey

    package init(number: Int64, last: DeviceKey) {
        self.number = number
        self.last = last
    }
}

extension PicketStore {
    private static let openNumber = "open_fence_change"
    private static let openLast = "open_fence_change_last"

    /// The change of the geofences that is not applied to all devices yet; nil if there is none.
    package func openFenceChange() throws(Problem) -> OpenFenceChange? {
        try attempt { () throws(SQLiteError) in
            let number: Int64 = try setting(Self.openNumber)
            return number == 0 ? nil : OpenFenceChange(number: number, last: DeviceKey(try setting(Self.openLast)))
        }
    }

    /// Records which change of the geofences is not applied to all devices yet; nil for none.
    package func save(_ open: OpenFenceChange?, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try saveSetting(Self.openNumber, open?.number ?? 0, in: transaction)
            try saveSetting(Self.openLast, open?.last.value ?? 0, in: transaction)
        }
    }

    /// The number of the newest input that all states include when all of them are written. Steps of an open change still change states.
    package func newestInputOfStates() throws(Problem) -> Int64 {
        if let open = try openFenceChange() { return open.number - 1 }
        return try newestInput()
    }

    /// The devices to which an open change is not applied yet, in the order of their keys.
    ///
    /// - Complexity: O(devices + inputs since the change).
    package func devices(without open: OpenFenceChange) throws(Problem) -> [DeviceKey] {
        // A device whose positions are not stored has no input, but its state is stored with each one.
        try values(
            """
            SELECT key FROM device d LEFT JOIN device_state s ON s.device = d.key
            WHERE key > ?2 AND NOT removed AND ifnull(s.applied, 0) < ?1
            AND key NOT IN (SELECT device FROM fix WHERE number > ?1)
            AND key NOT IN (SELECT device FROM input WHERE number > ?1 AND device IS NOT NULL)
            ORDER BY key
            """, open.number, open.last.value, as: DeviceKey.self)
    }
}
