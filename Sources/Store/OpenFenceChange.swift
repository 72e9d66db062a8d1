import Model
import Monitor
import SQLite

/// A change of the geofences that is not applied to all devices yet.
///
/// A change that concerns many devices is recorded at once, and applied to the devices in steps, in the order of their keys. A device that
/// has an input of its own before its turn gets the change first. So the devices without the change are those after the last step that have no
/// newer input.
package struct OpenFenceChange: Sendable {
    /// The number of the change in the input log.
    package var number: Int64
    package var revision: Int64
    /// The last device of the last step.
    package var last: DeviceKey
    /// The newest device when the change was made.
    package var newest: DeviceKey

    package init(number: Int64, revision: Int64, last: DeviceKey, newest: DeviceKey) {
        self.number = number
        self.revision = revision
        self.last = last
        self.newest = newest
    }
}

extension RegionStore {
    private static let openNumber = "open_fence_change"
    private static let openRevision = "open_fence_revision"
    private static let openLast = "open_fence_last"
    private static let openNewest = "open_fence_newest"

    /// The change of the geofences that is not applied to all devices yet; nil if there is none.
    package func openFenceChange() throws(Problem) -> OpenFenceChange? {
        try attempt { () throws(SQLiteError) in
            let number = try setting(Self.openNumber)
            if number == 0 { return nil }
            return OpenFenceChange(
                number: number, revision: try setting(Self.openRevision), last: DeviceKey(try setting(Self.openLast)),
                newest: DeviceKey(try setting(Self.openNewest)))
        }
    }

    /// Records that a change of the geofences is not applied to all devices yet.
    package func save(_ open: OpenFenceChange) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try saveSetting(Self.openNumber, open.number)
            try saveSetting(Self.openRevision, open.revision)
            try saveSetting(Self.openLast, open.last.value)
            try saveSetting(Self.openNewest, open.newest.value)
        }
    }

    /// Records the last device to which the open change is applied.
    package func saveOpenFenceChange(upTo last: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in try saveSetting(Self.openLast, last.value) }
    }

    /// Records that the change is applied to all devices.
    package func closeFenceChange() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("DELETE FROM setting WHERE name IN (?, ?, ?, ?)")
            for (index, name) in [Self.openNumber, Self.openRevision, Self.openLast, Self.openNewest].enumerated() {
                row.bind(Int32(index + 1), name)
            }
            try row.run()
        }
    }

    /// The newest device.
    package func newestDevice() throws(Problem) -> DeviceKey {
        DeviceKey(Int64(try count("SELECT ifnull(max(key), 0) FROM device")))
    }

    /// The devices to which an open change is not applied yet, in the order of their keys.
    ///
    /// - Complexity: O(devices + inputs since the change).
    package func devices(without open: OpenFenceChange) throws(Problem) -> [DeviceKey] {
        try attempt { () throws(SQLiteError) in
            // A device whose positions are not stored has no input, but its state is stored with each one.
            let row = try connection.uncachedStatement(
                """
                SELECT key FROM device d LEFT JOIN device_state s ON s.device = d.key
                WHERE key > ?2 AND key <= ?3 AND NOT removed AND ifnull(s.applied, 0) < ?1
                AND key NOT IN (SELECT device FROM fix WHERE number > ?1)
                AND key NOT IN (SELECT device FROM input WHERE number > ?1 AND device IS NOT NULL)
                ORDER BY key
                """)
            row.bind(1, open.number)
            row.bind(2, open.last.value)
            row.bind(3, open.newest.value)
            return try row.values(Int64.self).map { DeviceKey($0) }
        }
    }
}
